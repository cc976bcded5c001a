import type { Writable } from 'node:stream';
import {
  Kysely,
  PostgresDialect,
  type PostgresDialectConfig,
  type QueryExecutorProvider,
  sql,
  type Transaction,
} from 'kysely';
import pg from 'pg';
import { createQueue, type Queue } from '../concurrency/queue.ts';
import { StartError } from '../operations/config.ts';
import { createLog, type Log, ReportedError, rateLimited } from '../operations/log.ts';
import { databaseReachable, measurePool } from '../operations/metrics.ts';
import { isSpread, SpreadAdapter } from './spread.ts';
import { isSentAhead, preparedStatement } from './statements.ts';

// bigint columns hold numbers and counts far below 2^53 here.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

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

/** The same where rows may be spread over several servers: there a change waits, for Citus takes no such condition. */
export const withoutWaitingOn = (db: QueryExecutorProvider) =>
  sql.raw<boolean>(isSpread(db) ? 'true' : withoutWaitingForDisk);

/**
 * The `updated_at` of a change: now, but always later than the last. Clients take it for the sequence of what they
 * hear (`store-api.md 2.3`), and two changes may fall in one millisecond, or on two clocks.
 */
export const changedAt = (now: Date) =>
  sql<Date>`greatest(${now}::timestamptz, ${sql.raw(later('updated_at', '1 millisecond'))})`;

/**
 * The SQL of an instant that is so much later than a column's, in an update: what depends on no session's time zone, as
 * `+ interval` does, Citus runs on the shard.
 */
export const later = (column: string, interval: string): string =>
  `(((${column} at time zone 'UTC') + interval '${interval}') at time zone 'UTC')`;

export interface DatabaseOptions {
  service: string;
  url: string;
  poolSize: number;
  /** PostgreSQL's settings, and those with a dot that its SQL reads with `current_setting`. */
  settings?: Readonly<Record<string, string>>;
  /** How long a statement may take; 0: as long as it needs. */
  statementMs?: number;
  /** Where who needs a connection waits for one. */
  queue?: Queue;
  log?: Log;
}

/** Opens a pool of connections and the query builder on it. */
export function openDatabase<Tables>(options: DatabaseOptions): Kysely<Tables> {
  const { service, statementMs = 15_000, queue = createQueue(), log = createLog('silent') } = options;
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    statement_timeout: statementMs,
    // A server whose machine is gone breaks nothing off. One that is there is to do so first.
    query_timeout: (statementMs * 4) / 3,
    idle_in_transaction_session_timeout: 30_000,
    // So that what begins a transaction goes out with its first statement.
    pipeline: true,
    application_name: `waybill-${service}`,
    options: Object.entries(options.settings ?? {})
      .map(([name, value]) => `-c ${name}=${value.replaceAll('\\', '\\\\').replaceAll(' ', '\\ ')}`)
      .join(' '),
  });
  const watch = watchDatabase(service, log);
  pool.on('error', (err) => log.debug({ err }, 'an idle database connection broke'));
  // A connection in use that breaks fails its query, and says so itself as well: unheard, that ends the process.
  pool.on('connect', (client) => void client.on('error', () => {}));
  const forget = measurePool(service, pool);
  const adapter = new SpreadAdapter();
  return new Kysely<Tables>({
    dialect: new SpreadDialect(adapter, {
      pool: {
        async connect() {
          const client = await queue
            .wait(() => pool.connect())
            .catch((error) => {
              throw watch.failed(error);
            });
          watch.answers();
          return ourClient(client, watch, adapter);
        },
        end() {
          forget();
          return pool.end();
        },
        options: {},
      } as unknown as pg.Pool,
    }),
  });
}

class SpreadDialect extends PostgresDialect {
  readonly #adapter: SpreadAdapter;

  constructor(adapter: SpreadAdapter, config: PostgresDialectConfig) {
    super(config);
    this.#adapter = adapter;
  }

  override createAdapter() {
    return this.#adapter;
  }
}

/** Logs, once each, that the database went out of reach and that it is back; and what breaks while it is here. */
function watchDatabase(service: string, log: Log) {
  const report = { busy: rateLimited(log), broken: rateLimited(log) };
  let isHere = true;
  return {
    answers(): void {
      if (!isHere) log.info('the database answers again');
      isHere = true;
      databaseReachable.set({ service }, 1);
    },
    /** The error to throw for one that kept a connection from being had. */
    failed(err: unknown): unknown {
      if (!isUnreachable(err)) return err;
      if (isPoolTimeout(err)) report.busy({ err }, 'no database connection was free in time');
      else {
        if (isHere) log.error({ err }, 'the database is out of reach; what needs it is answered 503');
        isHere = false;
        databaseReachable.set({ service }, 0);
      }
      return new DatabaseUnavailable(err);
    },
    /** The error to throw for one that ended a connection. */
    broke(err: unknown): DatabaseUnavailable {
      report.broken({ err }, 'a database connection broke off');
      return new DatabaseUnavailable(err);
    },
  };
}

/** The database could not be asked, or broke off: nobody's fault who asked. */
class DatabaseUnavailable extends ReportedError {
  constructor(cause: unknown) {
    super((cause as Error).message, { cause });
  }
}

type Query = (...args: unknown[]) => Promise<unknown>;

/** How Kysely begins a transaction. */
const isBeginning = (text: unknown) => typeof text === 'string' && /^(begin|start transaction)\b/.test(text);
/** Stands for an answer that says nothing, so that nobody waits for it. */
const noAnswer = { command: 'BEGIN', rowCount: null, rows: [] };

type OurClient = pg.PoolClient & {
  isOurs?: true;
  isSpoilt?: boolean;
  /** As pg has it. */
  connection?: { stream: Writable };
};

/** Has what is sent from now to the end of this tick go out in one write: each is a call of the system, which costs most. */
function holdWrites({ connection }: OurClient): void {
  if (!connection) return;
  const { stream } = connection;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

/**
 * Kysely passes statements on as text; this adds the name to those that were declared with `prepare`, and leaves the
 * pool no connection whose statements may be other ones than pg takes them for.
 */
function ourClient(
  client: OurClient,
  watch: ReturnType<typeof watchDatabase>,
  adapter: Readonly<SpreadAdapter>,
): pg.PoolClient {
  // The pool gives each loan a release of its own.
  const release = client.release.bind(client);
  client.release = () => release(client.isSpoilt);
  if (client.isOurs) return client;
  const query = client.query.bind(client) as Query;
  client.query = (async (text: unknown, values: unknown) => {
    const prepared = preparedStatement(text);
    const send = () =>
      prepared
        ? query({ name: prepared.name, text: adapter.isSpread ? text : prepared.oneServerText, values })
        : query(text, values);
    if (isBeginning(text) || isSentAhead(text)) {
      holdWrites(client);
      // Should it fail, nothing may be written outside of the transaction, or without what was to go before.
      send().catch(() => client.end().catch(() => {}));
      return noAnswer;
    }
    try {
      return await send();
    } catch (error) {
      if (!isUnreachable(error)) {
        if (prepared && isStatementSpoilt(error)) client.isSpoilt = true;
        throw error;
      }
      // Should it still wait for an answer, nobody else is to wait behind it.
      client.end().catch(() => {});
      throw watch.broke(error);
    }
  }) as Query as pg.PoolClient['query'];
  client.isOurs = true;
  return client;
}

/**
 * Whether a prepared statement is not what pg takes it for: when a value cannot be sent, pg closes the statement on
 * the server, and goes on using its name.
 */
function isStatementSpoilt(error: unknown): boolean {
  const unknownStatement = '26000';
  return !(error instanceof pg.DatabaseError) || error.code === unknownStatement;
}

/** Connects to a server, outside of any pool; throws one line where that cannot be. */
export async function connectTo(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  await client.connect().catch((error) => {
    const why = error.message || error.code;
    throw new StartError(`PostgreSQL (DATABASE_URL) cannot be reached: ${why}`, { cause: error });
  });
  await refusePooler(client);
  return client;
}

/**
 * A pooler between us and the server (PgBouncer) lends a connection for a transaction: locks that a session holds,
 * timeouts and settings would be another's, in silence. It shows by the process that it says it is.
 */
async function refusePooler(client: pg.Client): Promise<void> {
  const { rows } = await client.query('select pg_backend_pid() as pid');
  if (rows[0].pid === (client as unknown as { processID: number }).processID) return;
  await client.end();
  throw new StartError(
    'DATABASE_URL leads to a connection pooler: name PostgreSQL itself. Waybill pools by DATABASE_POOL_SIZE, and needs whole sessions.',
  );
}

/** The URL of a database on the server whose database `serverUrl` names. */
export function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/**
 * Makes the database unless it exists, from the server's database that `serverUrl` names, and gives its URL. A role that
 * reaches its own database alone is asked for nothing else (`decisions.md 18.2`).
 */
export async function ensureDatabase(serverUrl: string, name: string): Promise<string> {
  const client = await connectTo(serverUrl);
  try {
    if (new URL(serverUrl).pathname === `/${name}`) return serverUrl;
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (!rowCount)
      await client.query(`create database ${pg.escapeIdentifier(name)} template template0 encoding 'UTF8'`);
  } catch (error) {
    // Another process of the same service made it in the meantime.
    if (sqlState(error) !== '42P04' && sqlState(error) !== '23505') throw error;
  } finally {
    await client.end();
  }
  return databaseUrl(serverUrl, name);
}

/** How many bytes a database takes on disk. */
export async function sizeOf(db: AnyDatabase): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select pg_database_size(current_database()) as bytes`.execute(db);
  return rows[0]!.bytes;
}

/** The SQLSTATE of a database error, undefined for anything else. */
export function sqlState(error: unknown): string | undefined {
  if (!(error instanceof pg.DatabaseError)) return undefined;
  // Citus copies rows to a shard where they come from a `select`, and gives what the shard's server says as an error of its own.
  if (error.code === 'XX000' && error.message.startsWith('duplicate key value violates unique constraint'))
    return '23505';
  return error.code;
}

/** The name of the unique constraint or index that an error says was violated, null for any other error. */
export function violatedConstraint(error: unknown): string | null {
  if (!(error instanceof pg.DatabaseError) || sqlState(error) !== '23505') return null;
  // Citus gives what the shard's server says as a text, in which the name ends with the shard's number of six digits or more.
  const name = error.constraint ?? /constraint "([^"]+)"/.exec(error.message)?.[1];
  return name?.replace(/_\d{6,}$/, '') ?? null;
}

const connectionFailures = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
]);

/** How the driver's messages begin when a connection is gone. */
const lostConnection = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'Query read timeout',
];

const isPoolTimeout = (error: unknown) =>
  (error as Error).message === 'timeout exceeded when trying to connect';

/** Whether the database was out of reach, rather than the statement wrong. */
export function isUnreachable(error: unknown): boolean {
  if (error instanceof DatabaseUnavailable) return true;
  const state = sqlState(error);
  if (state) return state.startsWith('08') || state.startsWith('57P') || state === '53300';
  const { code, message } = error as { code?: string; message?: string };
  return (
    connectionFailures.has(code ?? '') ||
    lostConnection.some((start) => message?.startsWith(start)) ||
    /^Client .* is not queryable/.test(message ?? '')
  );
}

/** Thrown in a transaction that has seen what is no longer so: it begins anew. */
export class RetryTransaction extends Error {}

/** Whether a transaction broke off because of others: a deadlock, a row changed meanwhile. */
export function isTransient(error: unknown): boolean {
  if (error instanceof RetryTransaction) return true;
  const state = sqlState(error);
  return state === '40001' || state === '40P01';
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
      if (!isTransient(error) || attempt === 3) throw error;
    }
  }
}

/** How long a database may take to show that it answers. */
const probeMs = 2_000;

export interface DatabaseProbe {
  /** One round trip that shows the database answers; it throws when that does not. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Asks a database on a connection of its own whether it answers: one that is busy with requests, all of whose
 * connections are taken, answers still, and restarting the process would only make it worse. The connection is
 * there while somebody asks.
 */
export function openDatabaseProbe(service: string, url: string): DatabaseProbe {
  const pool = new pg.Pool({
    connectionString: url,
    max: 1,
    connectionTimeoutMillis: probeMs,
    idleTimeoutMillis: 5_000,
    query_timeout: probeMs,
    application_name: `waybill-${service}-health`,
  });
  // A connection that breaks fails the question that it has; the next one opens another.
  pool.on('error', () => {});
  return {
    async ping() {
      await pool.query('select 1');
    },
    close: () => pool.end(),
  };
}
