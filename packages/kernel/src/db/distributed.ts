import { type Kysely, PostgresAdapter, type QueryExecutorProvider, type RawBuilder, sql } from 'kysely';

/**
 * The adapter of a database that may run on a Citus cluster (`decisions.md 18.6`). A pool and its transactions share
 * the adapter, so each statement can tell where it runs.
 */
export class CitusAdapter extends PostgresAdapter {
  isDistributed = false;
}

/** Whether the rows of stores are on several servers. False until `detectCitus` has checked. */
export function isDistributed(db: QueryExecutorProvider): boolean {
  return (db.getExecutor().adapter as Partial<CitusAdapter>).isDistributed === true;
}

/**
 * Checks whether a database has Citus, and records it for all statements of the pool: once, before the first of them.
 */
// biome-ignore lint/suspicious/noExplicitAny: Kysely's types are invariant in their tables
export async function detectCitus(db: Kysely<any>): Promise<void> {
  const { rows } = await sql<{ hasCitus: boolean }>`
    select exists (select 1 from pg_extension where extname = 'citus') as "hasCitus"`.execute(db);
  const { adapter } = db.getExecutor();
  if (adapter instanceof CitusAdapter) adapter.isDistributed = rows[0]!.hasCitus;
}

/** Returns a condition that restricts a part of a statement to one store; without a store it covers all stores. */
export function ofStore(storeId: string | null, column = 'store_id'): RawBuilder<boolean> {
  return storeId === null ? sql<boolean>`true` : sql<boolean>`${sql.ref(column)} = ${storeId}`;
}

/**
 * Returns the SQL of a statement about one store whose parts compare their store with the value and not with the store
 * of another part. So a cluster sees that all data is on one server, and runs the whole statement there.
 */
export const withinStore = (storeId: string, text: string): string =>
  text.replaceAll(/= \w+\.store_id\b/g, `= ${storeId}`);

/**
 * Runs a statement about things of several stores. On one server, it is one statement with a null store. On Citus, it
 * is one statement for each store, always in the same order, and each runs entirely on the server of its store.
 */
export async function eachStore<Item extends { storeId: string }, Row>(
  db: QueryExecutorProvider,
  items: readonly Item[],
  run: (items: readonly Item[], storeId: string | null) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  if (items.length === 0) return [];
  if (!isDistributed(db)) return run(items, null);
  const byStore = [...Map.groupBy(items, ({ storeId }) => storeId)];
  const rows: Row[] = [];
  for (const [storeId, own] of byStore.sort(([a], [b]) => (a < b ? -1 : 1)))
    rows.push(...(await run(own, storeId)));
  return rows;
}

export interface ClaimByStore<Row> {
  /**
   * SQL of the stores that have rows to take, the most urgent first. A store may occur once for each of its rows. The
   * query reads all shards and locks nothing.
   */
  stores(limit: number): RawBuilder<{ storeId: string }>;
  /** Takes and locks up to `limit` rows of a store, or of any store if it is null. */
  claim(storeId: string | null, limit: number): Promise<readonly Row[]>;
  limit: number;
}

/**
 * Takes the next rows of any store. On one server, that is one statement. Citus locks rows only in statements about one
 * store, so there it first finds the stores with work and then runs a statement for each: every store gets an equal
 * share, and unused shares go to the others.
 */
export async function claimByStore<Row>(
  db: QueryExecutorProvider,
  { stores, claim, limit }: ClaimByStore<Row>,
): Promise<Row[]> {
  if (!isDistributed(db)) return [...(await claim(null, limit))];
  const { rows: withWork } = await stores(limit).execute(db);
  const names = [...new Set(withWork.map(({ storeId }) => storeId))];
  const rows: Row[] = [];
  for (const [i, storeId] of names.entries()) {
    const share = Math.ceil((limit - rows.length) / (names.length - i));
    if (share < 1) break;
    rows.push(...(await claim(storeId, share)));
  }
  return rows;
}
