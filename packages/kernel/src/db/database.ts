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
import { CitusAdapter, isDistributed } from './distributed.ts';
import { isPipelined, preparedStatement, recurringStatement } from './statements.ts';

// bigint columns hold numbers and counts far below 2^53 here.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

// The kernel's own statements are raw SQL that runs in every service's database.
// biome-ignore lint/suspicious/noExplicitAny: Kysely's types are invariant in their tables
export type AnyDatabase = Kysely<any>;
// biome-ignore lint/suspicious/noExplicitAny: as above
export type AnyTransaction = Transaction<any>;

/**
 * A condition, always true, that lets the commit of its statement return before it is on disk. Use it for writes that a
 * crash of the server may undo without harm: leases, and records of work that would only be done again.
 */
export const asyncCommit = `(select set_config('synchronous_commit', 'off', true)) = 'off'`;

/**
 * Returns the same condition, or `true` where rows may be distributed over several servers: Citus does not take the
 * condition, so a change waits there.
 */
export const asyncCommitOn = (db: QueryExecutorProvider) =>
  sql.raw<boolean>(isDistributed(db) ? 'true' : asyncCommit);

/**
 * Returns the SQL of the `updated_at` of a change: now, but always later than the last value. Clients order the changes
 * that they receive by it (`store-api.md 2.3`), and two changes may fall into one millisecond or come from two clocks.
 */
export const changedAt = (now: Date) =>
  sql<Date>`greatest(${now}::timestamptz, ${sql.raw(addInterval('updated_at', '1 millisecond'))})`;

/**
 * Returns the SQL of an instant later than a column's by `interval`, for an update. It does not depend on the time zone
 * of the session, as `+ interval` does, so Citus can run it on the shard.
 */
export const addInterval = (column: string, interval: string): string =>
  `(((${column} at time zone 'UTC') + interval '${interval}') at time zone 'UTC')`;

export interface DatabaseOptions {
  service: string;
  url: string;
  poolSize: number;
  /** PostgreSQL's settings, and those with a dot that its SQL reads with `current_setting`. */
  settings?: Readonly<Record<string, string>>;
  /** Maximum time of a statement in milliseconds; 0 means no limit. */
  statementMs?: number;
  /** The queue in which callers wait for a connection. */
  queue?: Queue;
  log?: Log;
}

/**
 * Settings of every connection.
 *
 * - `jit`: compiling a query takes longer than any of Waybill's queries runs, and servers do it where the planner
 *   overestimates rows: on Citus, a product's insert then takes half a second.
 * - `enable_seqscan`: prepared statements keep the plan of their first runs, when tables may be empty. A plan that scans
 *   a whole table would stay until the grown table gets new statistics. Every statement of a hot path has an index.
 */
const ownSettings = { jit: 'off', enable_seqscan: 'off' };

/** Opens a pool of connections and the query builder on it. */
export function openDatabase<Tables>(options: DatabaseOptions): Kysely<Tables> {
  const { service, statementMs = 15_000, queue = createQueue(), log = createLog('silent') } = options;
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    statement_timeout: statementMs,
    // A server whose machine is gone closes no connection, so the client gives up by itself. A live server times out
    // first.
    query_timeout: (statementMs * 4) / 3,
    idle_in_transaction_session_timeout: 30_000,
    // Sends the beginning of a transaction together with its first statement.
    pipeline: true,
    application_name: `waybill-${service}`,
    options: Object.entries({ ...ownSettings, ...options.settings })
      .map(([name, value]) => `-c ${name}=${value.replaceAll('\\', '\\\\').replaceAll(' ', '\\ ')}`)
      .join(' '),
  });
  const watch = watchDatabase(service, log);
  pool.on('error', (err) => log.debug({ err }, 'an idle database connection broke'));
  // A connection that breaks while in use fails its query and also emits an error. Without a listener, that would end
  // the process.
  pool.on('connect', (client) => void client.on('error', () => {}));
  const stopMeasuring = measurePool(service, pool);
  const adapter = new CitusAdapter();
  const plans = { generation: 0 };
  return new Kysely<Tables>({
    dialect: new CitusDialect(adapter, {
      pool: {
        async connect() {
          const client = await queue
            .wait(() => pool.connect())
            .catch((error) => {
              throw watch.onConnectFailure(error);
            });
          watch.onAnswer();
          return trackClient(client, { watch, adapter, plans });
        },
        end() {
          stopMeasuring();
          return pool.end();
        },
        options: {},
      } as unknown as pg.Pool,
    }),
  });
}

class CitusDialect extends PostgresDialect {
  readonly #adapter: CitusAdapter;

  constructor(adapter: CitusAdapter, config: PostgresDialectConfig) {
    super(config);
    this.#adapter = adapter;
  }

  override createAdapter() {
    return this.#adapter;
  }
}

/** Logs the loss of the database and its return, once each, and connections that break while it is reachable. */
function watchDatabase(service: string, log: Log) {
  const report = { busy: rateLimited(log), broken: rateLimited(log) };
  let isReachable = true;
  return {
    onAnswer(): void {
      if (!isReachable) log.info('the database answers again');
      isReachable = true;
      databaseReachable.set({ service }, 1);
    },
    /** Returns the error to throw when a connection could not be opened. */
    onConnectFailure(err: unknown): unknown {
      if (!isUnreachable(err)) return err;
      if (isPoolTimeout(err)) report.busy({ err }, 'no database connection was free in time');
      else {
        if (isReachable)
          log.error({ err }, 'the database is unreachable; requests that need it are answered 503');
        isReachable = false;
        databaseReachable.set({ service }, 0);
      }
      return new DatabaseUnavailable(err);
    },
    /** Returns the error to throw when a connection broke. */
    onBreak(err: unknown): DatabaseUnavailable {
      report.broken({ err }, 'a database connection broke off');
      return new DatabaseUnavailable(err);
    },
  };
}

/** The database could not be reached, or the connection broke. The caller is not at fault. */
class DatabaseUnavailable extends ReportedError {
  constructor(cause: unknown) {
    super((cause as Error).message, { cause });
  }
}

type Query = (...args: unknown[]) => Promise<unknown>;

/** Whether Kysely begins a transaction with this text. */
const isBeginStatement = (text: unknown) =>
  typeof text === 'string' && /^(begin|start transaction)\b/.test(text);
/** Whether a transaction ends with this text. A rollback to a savepoint names it. */
const isEndStatement = (text: unknown) => text === 'commit' || text === 'rollback';
/** Returns the statement to prepare for a text that recurs in transactions. A setting or a lock has no plan. */
const findRecurringStatement = (text: unknown) =>
  typeof text === 'string' && /^\s*(?:select|insert|update|delete|with)\b/.test(text)
    ? recurringStatement(text)
    : undefined;
/** Stands in for an empty answer, so that the caller does not wait for the real one. */
const noAnswer = { command: 'BEGIN', rowCount: null, rows: [] };

type PooledClient = pg.PoolClient & {
  isTracked?: true;
  isUnusable?: boolean;
  /** The connection, as pg stores it. */
  connection?: { stream: Writable };
};

/**
 * Sends everything written from now to the end of this tick in one write, because each write is a system call, the most
 * expensive part.
 */
function corkSocket({ connection }: PooledClient): void {
  if (!connection) return;
  const { stream } = connection;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

interface Pool {
  watch: ReturnType<typeof watchDatabase>;
  adapter: Readonly<CitusAdapter>;
  /** Part of the names of prepared statements. It changes when a migration has changed what one of them returns. */
  plans: { generation: number };
}

/**
 * Kysely passes statements on as text. This wrapper adds the name to statements that were declared with `prepare`, and
 * to those that recur in transactions. It also drops connections whose prepared statements may differ from those that
 * pg expects. On Citus, it runs a statement again that failed because of others and stands alone.
 */
function trackClient(client: PooledClient, { watch, adapter, plans }: Pool): pg.PoolClient {
  // The pool sets a new `release` for each loan.
  const release = client.release.bind(client);
  client.release = () => release(client.isUnusable);
  if (client.isTracked) return client;
  const query = client.query.bind(client) as Query;
  let isInTransaction = false;
  client.query = (async (text: unknown, values: unknown) => {
    const begins = isBeginStatement(text);
    if (begins || isEndStatement(text)) isInTransaction = begins;
    const prepared =
      preparedStatement(text) ??
      (isInTransaction && !adapter.isDistributed ? findRecurringStatement(text) : undefined);
    const { generation } = plans;
    const send = () =>
      prepared
        ? query({
            name: generation === 0 ? prepared.name : `${prepared.name}-${generation}`,
            text: adapter.isDistributed ? text : prepared.oneServerText,
            values,
          })
        : query(text, values);
    if (begins || isPipelined(text)) {
      corkSocket(client);
      // If this fails, nothing may be written outside the transaction or without the statement that should precede it.
      send().catch(() => client.end().catch(() => {}));
      return noAnswer;
    }
    try {
      return await (adapter.isDistributed && !isInTransaction ? withRetries(send) : send());
    } catch (error) {
      if (!isUnreachable(error)) {
        if (prepared && isStalePlan(error)) client.isUnusable = true;
        // Every connection prepares its statements again, so that the transaction succeeds when it is retried.
        if (hasOtherResult(error) && generation === plans.generation) plans.generation++;
        throw error;
      }
      // The connection may still wait for an answer, so no other request may use it.
      client.end().catch(() => {});
      throw watch.onBreak(error);
    }
  }) as Query as pg.PoolClient['query'];
  client.isTracked = true;
  return client;
}

/**
 * Whether a prepared statement cannot run because a migration changed the columns of its result, such as those of
 * `returning *`. The routine is reported alike in all languages of the server.
 */
const hasOtherResult = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === '0A000' && error.routine === 'RevalidateCachedQuery';

/**
 * Whether a prepared statement differs from the one that pg expects: when a value cannot be sent, pg closes the
 * statement on the server but keeps using its name.
 */
function isStalePlan(error: unknown): boolean {
  const unknownStatement = '26000';
  return !(error instanceof pg.DatabaseError) || error.code === unknownStatement;
}

/** Connects to a server outside of any pool. Throws an error of one line if that fails. */
export async function connectTo(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  await client.connect().catch((error) => {
    const reason = error.message || error.code;
    throw new StartError(`PostgreSQL (DATABASE_URL) cannot be reached: ${reason}`, { cause: error });
  });
  await checkNoPooler(client);
  return client;
}

/**
 * A pooler between Waybill and the server (PgBouncer) lends a connection for one transaction. Session locks, timeouts
 * and settings would silently apply to other clients. A pooler shows by the process id that it reports.
 */
async function checkNoPooler(client: pg.Client): Promise<void> {
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
 * Creates the database unless it exists, over the database that `serverUrl` names, and returns its URL. A role that can
 * reach only its own database needs no other (`decisions.md 18.2`).
 */
export async function ensureDatabase(serverUrl: string, name: string): Promise<string> {
  const client = await connectTo(serverUrl);
  try {
    if (new URL(serverUrl).pathname === `/${name}`) return serverUrl;
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (!rowCount)
      await client.query(`create database ${pg.escapeIdentifier(name)} template template0 encoding 'UTF8'`);
  } catch (error) {
    // Another process of the same service created it in the meantime.
    if (sqlState(error) !== '42P04' && sqlState(error) !== '23505') throw error;
  } finally {
    await client.end();
  }
  return databaseUrl(serverUrl, name);
}

/** Returns the size of a database on disk, in bytes. */
export async function readDatabaseSize(db: AnyDatabase): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select pg_database_size(current_database()) as bytes`.execute(db);
  return rows[0]!.bytes;
}

/** Returns the SQLSTATE of a database error, undefined for any other error. */
export function sqlState(error: unknown): string | undefined {
  if (!(error instanceof pg.DatabaseError)) return undefined;
  // When Citus copies rows from a `select` to a shard, it reports the error of the shard's server as its own.
  if (error.code === 'XX000' && error.message.startsWith('duplicate key value violates unique constraint'))
    return '23505';
  return error.code;
}

/** Returns the name of the violated unique constraint or index, null for any other error. */
export function violatedConstraint(error: unknown): string | null {
  if (!(error instanceof pg.DatabaseError) || sqlState(error) !== '23505') return null;
  // Citus reports the error of the shard's server as text, in which the name ends with the number of the shard, six
  // digits or more.
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

/** The beginnings of the driver's messages about a lost connection. */
const lostConnection = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'Query read timeout',
];

const isPoolTimeout = (error: unknown) =>
  (error as Error).message === 'timeout exceeded when trying to connect';

/** Whether the database was unreachable, as opposed to an error in the statement. */
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

/** Thrown in a transaction that has read outdated data, so that the transaction starts again. */
export class RetryTransaction extends Error {}

/**
 * SQLSTATE of Citus for a statement whose shard moved to another server while it ran: it looks there for the results of
 * its first parts, which were sent to the former one.
 */
const missingPartialResult = 'CIINF';

/**
 * Whether a transaction failed because of others: a deadlock, a row that changed meanwhile, a migration, or rows that
 * moved to another server.
 */
export function isTransient(error: unknown): boolean {
  if (error instanceof RetryTransaction || hasOtherResult(error)) return true;
  const state = sqlState(error);
  return state === '40001' || state === '40P01' || state === missingPartialResult;
}

/** Runs work again if it failed because of others, three times in all. A failure must undo all its effects. */
async function withRetries<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isTransient(error) || attempt === 3) throw error;
    }
  }
}

/**
 * Runs `work` in a transaction. If the server aborts it because of others (deadlock, serialisation, a migration), runs it
 * again, three times in all, so `work` must have no effects outside the database.
 */
export const inTransaction = <Tables, Result>(
  db: Kysely<Tables>,
  work: (trx: Transaction<Tables>) => Promise<Result>,
): Promise<Result> => withRetries(() => db.transaction().execute(work));

/** How long a database may take to show that it answers. */
const probeMs = 2_000;

export interface DatabaseProbe {
  /** Makes one round trip that shows that the database answers; throws if it does not. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Asks a database whether it answers, over a connection of its own. A database whose pool is exhausted by requests
 * still answers, and restarting the process would only make that worse. The connection stays open only while probes use
 * it.
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
  // A broken connection fails its own query; the next query opens another connection.
  pool.on('error', () => {});
  return {
    async ping() {
      await pool.query('select 1');
    },
    close: () => pool.end(),
  };
}
