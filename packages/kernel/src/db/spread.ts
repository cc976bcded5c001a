import { type Kysely, PostgresAdapter, type QueryExecutorProvider, type RawBuilder, sql } from 'kysely';

/**
 * Whether a database lies on a Citus cluster (`decisions.md 18.6`). A pool and its transactions share the adapter, so that
 * each statement can ask what it runs on.
 */
export class SpreadAdapter extends PostgresAdapter {
  isSpread = false;
}

/** Whether the rows of stores lie on several servers. False where nobody has looked. */
export function isSpread(db: QueryExecutorProvider): boolean {
  return (db.getExecutor().adapter as Partial<SpreadAdapter>).isSpread === true;
}

/** Looks whether a database has Citus, and notes it for all statements of the pool: once, before the first of them. */
// biome-ignore lint/suspicious/noExplicitAny: Kysely's types are invariant in their tables
export async function detectSpread(db: Kysely<any>): Promise<void> {
  const { rows } = await sql<{ isSpread: boolean }>`
    select exists (select 1 from pg_extension where extname = 'citus') as "isSpread"`.execute(db);
  const { adapter } = db.getExecutor();
  if (adapter instanceof SpreadAdapter) adapter.isSpread = rows[0]!.isSpread;
}

/** A condition that holds a part of a statement to one store; without a store it is about all of them. */
export function ofStore(storeId: string | null, column = 'store_id'): RawBuilder<boolean> {
  return storeId === null ? sql<boolean>`true` : sql<boolean>`${sql.ref(column)} = ${storeId}`;
}

/**
 * SQL of a statement about one store whose parts compare their store with the value, and not with that of another part: so
 * a cluster sees that all of it lies on one server, and runs it there as a whole.
 */
export const withinStore = (storeId: string, text: string): string =>
  text.replaceAll(/= \w+\.store_id\b/g, `= ${storeId}`);

/**
 * Runs a statement about things of several stores. On one server that is one statement, and its store null; on Citus there
 * is one for each store, always in the same order, so that each runs as a whole on the server of its store.
 */
export async function eachStore<Item extends { storeId: string }, Row>(
  db: QueryExecutorProvider,
  items: readonly Item[],
  run: (items: readonly Item[], storeId: string | null) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  if (items.length === 0) return [];
  if (!isSpread(db)) return run(items, null);
  const byStore = [...Map.groupBy(items, ({ storeId }) => storeId)];
  const rows: Row[] = [];
  for (const [storeId, own] of byStore.sort(([a], [b]) => (a < b ? -1 : 1)))
    rows.push(...(await run(own, storeId)));
  return rows;
}

export interface TakeByStore<Row> {
  /**
   * SQL that names the stores which have something to take, the most urgent first; a store may be named once for each of
   * its rows. A read over all shards, which locks nothing.
   */
  stores(limit: number): RawBuilder<{ storeId: string }>;
  /** Takes and locks up to `limit` rows of a store; of any store where it is null. */
  take(storeId: string | null, limit: number): Promise<readonly Row[]>;
  limit: number;
}

/**
 * Takes what is next of any store. On one server that is one statement. Citus locks rows in statements about one store
 * only, so there the stores with work come first, and then a statement for each: every store gets an equal share, and what
 * some leave goes to the others.
 */
export async function takeByStore<Row>(
  db: QueryExecutorProvider,
  { stores, take, limit }: TakeByStore<Row>,
): Promise<Row[]> {
  if (!isSpread(db)) return [...(await take(null, limit))];
  const { rows: withWork } = await stores(limit).execute(db);
  const names = [...new Set(withWork.map(({ storeId }) => storeId))];
  const rows: Row[] = [];
  for (const [i, storeId] of names.entries()) {
    const share = Math.ceil((limit - rows.length) / (names.length - i));
    if (share < 1) break;
    rows.push(...(await take(storeId, share)));
  }
  return rows;
}
