import { type CompiledQuery, Kysely, PostgresDialect, sql, type Transaction } from 'kysely';
import pg from 'pg';
import { poolConnections } from '../metrics.ts';

// bigint columns hold numbers and counts far below 2^53 here.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** The text of a statement → the name under which each connection prepares it once. */
const preparedNames = new Map<string, string>();

/**
 * Declares a statement of a hot path: a connection parses and plans it once. Run it with
 * `db.executeQuery(statement([...values]))`.
 */
export function prepare<Row>(name: string, text: string): (values: readonly unknown[]) => CompiledQuery<Row> {
  preparedNames.set(text, name);
  return (values) =>
    ({ sql: text, parameters: values, query: { kind: 'RawNode' } }) as unknown as CompiledQuery<Row>;
}

// The kernel's own statements are raw SQL, at home in every service's database.
// biome-ignore lint/suspicious/noExplicitAny: Kysely's types are invariant in their tables
export type AnyDatabase = Kysely<any>;
// biome-ignore lint/suspicious/noExplicitAny: as above
export type AnyTransaction = Transaction<any>;

/**
 * A condition, always true, that lets its statement's commit return before it is on disk. For what a crash of the
 * server may take back without harm: leases, and notes of work done that would only be done again.
 */
export const withoutWaitingForDisk = `(select set_config('synchronous_commit', 'off', true)) = 'off'`;

export interface DatabaseOptions {
  service: string;
  url: string;
  poolSize: number;
  /** Called for an idle connection that breaks; the pool replaces it. */
  onError(error: Error): void;
}

/** Opens a pool of connections and the query builder on it. */
export function openDatabase<Tables>(options: DatabaseOptions): Kysely<Tables> {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    statement_timeout: 15_000,
    idle_in_transaction_session_timeout: 30_000,
    application_name: `waybill-${options.service}`,
  });
  pool.on('error', options.onError);
  // A connection in use that breaks fails its query, and says so itself as well: unheard, that ends the process.
  pool.on('connect', (client) => void client.on('error', () => {}));
  poolMetrics(options.service, pool);
  return new Kysely<Tables>({
    dialect: new PostgresDialect({
      pool: {
        connect: async () => withPreparedNames(await pool.connect()),
        end: () => pool.end(),
        options: {},
      } as unknown as pg.Pool,
    }),
  });
}

/** Kysely passes statements on as text; this adds the name to those that were declared with `prepare`. */
function withPreparedNames(client: pg.PoolClient): pg.PoolClient {
  const named = client as pg.PoolClient & { hasPreparedNames?: true };
  if (named.hasPreparedNames) return client;
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  named.query = ((text: unknown, values: unknown, ...rest: unknown[]) => {
    const name = typeof text === 'string' ? preparedNames.get(text) : undefined;
    return name ? query({ name, text, values }) : query(text, values, ...rest);
  }) as pg.PoolClient['query'];
  named.hasPreparedNames = true;
  return client;
}

function poolMetrics(service: string, pool: pg.Pool): void {
  const update = () => {
    poolConnections.set({ service, state: 'open' }, pool.totalCount);
    poolConnections.set({ service, state: 'idle' }, pool.idleCount);
    poolConnections.set({ service, state: 'waiting' }, pool.waitingCount);
  };
  pool.on('connect', update).on('acquire', update).on('remove', update);
}

/** Makes the database unless it exists; `url` names it, the server's `postgres` database is used to make it. */
export async function ensureDatabase(serverUrl: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: serverUrl, connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (!rowCount)
      await client.query(`create database ${pg.escapeIdentifier(name)} template template0 encoding 'UTF8'`);
  } catch (error) {
    // Another process of the same service made it in the meantime.
    if (sqlState(error) !== '42P04' && sqlState(error) !== '23505') throw error;
  } finally {
    await client.end();
  }
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** The SQLSTATE of a database error, undefined for anything else. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

/** The name of the unique constraint or index that an error says was violated, null for any other error. */
export function violatedConstraint(error: unknown): string | null {
  return error instanceof pg.DatabaseError && error.code === '23505' ? (error.constraint ?? null) : null;
}

const connectionFailures = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
]);

/** Whether the database was out of reach, rather than the statement wrong. */
export function isUnreachable(error: unknown): boolean {
  const state = sqlState(error);
  if (state) return state.startsWith('08') || state.startsWith('57P') || state === '53300';
  const { code, message } = error as { code?: string; message?: string };
  return (
    connectionFailures.has(code ?? '') ||
    /^(Connection terminated|timeout exceeded when trying to connect)/.test(message ?? '')
  );
}

/**
 * Runs `work` in a transaction; once more (three times at most) when the server broke it off because of others
 * (deadlock, serialisation), so `work` must not have effects outside the database.
 */
export async function inTransaction<Tables, Result>(
  db: Kysely<Tables>,
  work: (trx: Transaction<Tables>) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(work);
    } catch (error) {
      const state = sqlState(error);
      if ((state !== '40001' && state !== '40P01') || attempt === 3) throw error;
    }
  }
}

/** One round trip that shows the database answers. */
export async function ping(db: Kysely<unknown>): Promise<void> {
  await sql`select 1`.execute(db);
}
