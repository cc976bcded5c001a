import { firstIdAt, type IdKind } from '@waybill/contracts';
import { type Kysely, sql } from 'kysely';
import type { Log } from '../operations/log.ts';
import { measurePartitions } from '../operations/metrics.ts';
import type { TaskDefinition } from '../operations/tasks.ts';
import { isUnreachable, openDatabase, sqlState } from './database.ts';
import { detectCitus } from './distributed.ts';
import { lockTimeoutMs, setLockTimeout, withAdvisoryLock, withLockRetries } from './locks.ts';
import { deleteBatch } from './sweeps.ts';

/**
 * A table that only grows and is partitioned by time, so that old rows are dropped as whole partitions. Its migration
 * makes it `partition by range (<column>)` with a default partition `<table>_default`, which takes rows that fit no
 * partition: ids without a time, and all rows if partitions should be missing.
 */
export interface PartitionedTable {
  table: string;
  /** A column of times. With `ids`, a column of ids of that kind, which begin with their time. */
  column: string;
  ids?: IdKind;
  every: 'hour' | 'day' | 'week' | 'month';
  /** How long a partition is kept after its end. */
  retentionMs: number;
  /**
   * SQL condition of a row that may be deleted. Such rows of the default partition are deleted, so an index there
   * should support it.
   */
  expiredCondition: string;
  /** Whether a partition is kept until each of its rows may be deleted. */
  waitsForRows?: boolean;
  /** An advisory lock: while another session holds it, nothing is dropped or deleted. */
  retentionLock?: number;
  /** Storage parameters of its partitions, as in `with (…)`. */
  storage?: string;
}

/** Number of future partitions that are created in advance. */
const periodsInAdvance = 3;
const dayMs = 86_400_000;
/** Length of a period; the shortest one if periods differ. */
const periodMs = { hour: dayMs / 24, day: dayMs, week: 7 * dayMs, month: 28 * dayMs };
const lockAttempts = 3;
/** Up to this size, a default partition is scanned in no time when a partition is attached beside it. */
const smallBytes = 8 * 1024 * 1024;
/** Number of rows that are deleted from a default partition at a time. */
const deleteLimit = 5_000;
/** "waybilk" */
const partitionsLock = 0x77617963;
/**
 * Name of the constraint that a large default partition has for the moment in which a partition is attached beside it.
 */
const noRowsAhead = 'no_rows_ahead';

interface Period {
  name: string;
  start: number;
  end: number;
}

function periodAt({ table, every }: PartitionedTable, time: number): Period {
  const [start, end] = every === 'month' ? monthAt(time) : fixedPeriodAt(time, periodMs[every]);
  const digits = new Date(start).toISOString().replaceAll(/\D/g, '');
  return { name: `${table}_${digits.slice(0, every === 'hour' ? 10 : 8)}`, start, end };
}

function fixedPeriodAt(time: number, lengthMs: number): [start: number, end: number] {
  const start = Math.floor(time / lengthMs) * lengthMs;
  return [start, start + lengthMs];
}

/** Returns the month of a time, in UTC. */
function monthAt(time: number): [start: number, end: number] {
  const date = new Date(time);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return [Date.UTC(year, month), Date.UTC(year, month + 1)];
}

/** Returns the period of a moment and the `following` periods after it. */
function periodsFrom(table: PartitionedTable, time: number, following: number): Period[] {
  const period = periodAt(table, time);
  return following === 0 ? [period] : [period, ...periodsFrom(table, period.end, following - 1)];
}

/** Returns the period of a partition by its name; undefined for the default partition. */
function parsePeriod(table: PartitionedTable, name: string): Period | undefined {
  const [, year, month, day, hour = '00'] = /_(\d{4})(\d\d)(\d\d)(\d\d)?$/.exec(name) ?? [];
  if (!year) return undefined;
  return periodAt(table, Date.parse(`${year}-${month}-${day}T${hour}:00:00Z`));
}

const boundAt = ({ ids }: PartitionedTable, time: number) =>
  ids ? firstIdAt(ids, time) : new Date(time).toISOString();

export interface PartitionOptions {
  service: string;
  url: string;
  tables: readonly PartitionedTable[];
  log: Log;
}

/**
 * Creates future partitions, drops those that are no longer kept, and deletes expired rows from the default partitions,
 * some thousand at a time. Returns true if more rows remain. It blocks nobody for longer than half a second: a table
 * that it cannot lock in time is left to the others. One process at a time does this.
 */
export async function maintainPartitions({ service, url, tables, log }: PartitionOptions): Promise<boolean> {
  // Scanning a default partition with years of rows may take any time.
  const db = openDatabase<unknown>({ service, url, poolSize: 1, statementMs: 0, log });
  try {
    await detectCitus(db);
    return await db.connection().execute((connection) =>
      withAdvisoryLock(connection, partitionsLock, async () => {
        await setLockTimeout(connection, lockTimeoutMs);
        let hasMore = false;
        for (const table of tables) {
          try {
            const { until, hasMoreExpired } = await maintainTable(connection, table, log);
            measurePartitions(service, table.table, { until, periodMs: periodMs[table.every] });
            hasMore ||= hasMoreExpired;
          } catch (err) {
            if (isUnreachable(err)) throw err;
            log.warn(
              { err, table: table.table },
              'partitions could not be maintained; the next run tries again',
            );
          }
        }
        return hasMore;
      }),
    );
  } finally {
    await db.destroy();
  }
}

/** Returns the task that maintains the partitions, often enough that half an hour is not kept for much longer. */
export const partitionTask = (options: PartitionOptions): TaskDefinition => ({
  name: 'partitions',
  everyMs: 600_000,
  run: () => maintainPartitions(options),
});

/** Returns the end of the last partition, and whether the default partition has more expired rows. */
async function maintainTable(db: Kysely<unknown>, table: PartitionedTable, log: Log) {
  const { now, names, isMarked } = await readPartitions(db, table);
  if (isMarked) await dropRangeConstraint(db, table);
  const missing = periodsFrom(table, now, periodsInAdvance).filter(({ name }) => !names.includes(name));
  const createdNames =
    missing.length > 0
      ? await createPartitions(db, table, missing, { now, isFirst: names.length === 0 })
      : [];
  if (createdNames.length < missing.length) {
    const notCreated = missing.map(({ name }) => name).filter((name) => !createdNames.includes(name));
    log.debug({ partitions: notCreated }, 'periods with rows in the default partition keep them there');
  }
  for (const name of names) {
    const period = parsePeriod(table, name)!;
    if (period.end + table.retentionMs <= now) await dropPartition(db, table, period);
  }
  const hasMoreExpired = await deleteExpiredRows(db, table);
  const last = [...names, ...createdNames].sort().at(-1);
  return { until: last ? parsePeriod(table, last)!.end : now, hasMoreExpired };
}

/** Returns the existing partitions, the time by the database's clock, and whether an earlier run was aborted midway. */
async function readPartitions(db: Kysely<unknown>, table: PartitionedTable) {
  const { rows } = await sql<{ now: Date; names: string[]; isMarked: boolean }>`
    select clock_timestamp() as now, array(
        select relname::text from pg_inherits join pg_class on oid = inhrelid
        where inhparent = ${table.table}::regclass order by relname
      ) as names, exists (
        select from pg_constraint
        where conrelid = ${`${table.table}_default`}::regclass and conname = ${noRowsAhead}
      ) as "isMarked"`.execute(db);
  const { now, names, isMarked } = rows[0]!;
  return { now: now.getTime(), names: names.filter((name) => parsePeriod(table, name)), isMarked };
}

/**
 * Creates partitions and returns their names. A period that already has rows in the default partition keeps them there.
 */
async function createPartitions(
  db: Kysely<unknown>,
  table: PartitionedTable,
  missing: readonly Period[],
  { now, isFirst }: { now: number; isFirst: boolean },
): Promise<string[]> {
  const { isSmall, isEmpty } = await checkDefaultPartition(db, table);
  // A version from before the partitions may keep running for a while. It identifies rows by their `ctid` alone, so it
  // confuses rows that have the same position in two partitions.
  const canCreateNow = isEmpty || (isSmall && !isFirst);
  const begin = canCreateNow ? 0 : now + periodMs[table.every] / 6;
  const creatable = missing.filter(({ start }) => start >= begin);
  if (creatable.length === 0) return [];
  if (!isSmall) await addRangeConstraint(db, table, creatable);
  const createdNames: string[] = [];
  try {
    for (const period of creatable) {
      if (isSmall && (await isInDefault(db, table, period))) continue;
      if (await attachPartition(db, table, period)) createdNames.push(period.name);
    }
  } finally {
    if (!isSmall) await dropRangeConstraint(db, table);
  }
  return createdNames;
}

async function checkDefaultPartition(db: Kysely<unknown>, table: PartitionedTable) {
  const name = `${table.table}_default`;
  const { rows } = await sql<{ bytes: number }>`select pg_relation_size(${name}) as bytes`.execute(db);
  const isSmall = rows[0]!.bytes <= smallBytes;
  const { rows: some } = isSmall
    ? await sql`select 1 from ${sql.id(name)} limit 1`.execute(db)
    : { rows: [{}] };
  return { isSmall, isEmpty: some.length === 0 };
}

async function isInDefault(db: Kysely<unknown>, table: PartitionedTable, { start, end }: Period) {
  const column = sql.id(table.column);
  const { rows } = await sql`select 1 from ${sql.id(`${table.table}_default`)}
    where ${column} >= ${boundAt(table, start)} and ${column} < ${boundAt(table, end)} limit 1`.execute(db);
  return rows.length > 0;
}

/**
 * Creates and attaches a partition. Returns false if a row of the period reached the default partition in the meantime.
 */
async function attachPartition(
  db: Kysely<unknown>,
  table: PartitionedTable,
  period: Period,
): Promise<boolean> {
  const partition = sql.id(period.name);
  const storage = table.storage ? sql`with (${sql.raw(table.storage)})` : sql``;
  try {
    // The partition is created by itself and then attached, which does not lock the whole table.
    await withLockRetries(
      () =>
        db.transaction().execute(async (trx) => {
          await sql`create table ${partition} (like ${sql.id(table.table)} including all) ${storage}`.execute(
            trx,
          );
          await sql`alter table ${sql.id(table.table)} attach partition ${partition}
            for values from (${sql.lit(boundAt(table, period.start))}) to (${sql.lit(boundAt(table, period.end))})`.execute(
            trx,
          );
        }),
      lockAttempts,
    );
    return true;
  } catch (error) {
    const checkViolation = '23514';
    if (sqlState(error) !== checkViolation) throw error;
    return false;
  }
}

/**
 * Adds a constraint that the default partition has no rows of these periods. PostgreSQL validates it while others use
 * the table, so attaching the partitions needs no scan with the table locked.
 */
async function addRangeConstraint(
  db: Kysely<unknown>,
  table: PartitionedTable,
  periods: readonly Period[],
): Promise<void> {
  const [column, defaultPartition] = [sql.id(table.column), sql.id(`${table.table}_default`)];
  const first = sql.lit(boundAt(table, periods[0]!.start));
  const end = sql.lit(boundAt(table, periods.at(-1)!.end));
  await withLockRetries(
    () =>
      sql`alter table ${defaultPartition} add constraint ${sql.id(noRowsAhead)}
        check (${column} < ${first} or ${column} >= ${end}) not valid`.execute(db),
    lockAttempts,
  );
  try {
    await sql`alter table ${defaultPartition} validate constraint ${sql.id(noRowsAhead)}`.execute(db);
  } catch (error) {
    await dropRangeConstraint(db, table);
    throw error;
  }
}

/** Removes the constraint, with retries: left in place, it would later refuse valid rows. */
async function dropRangeConstraint(db: Kysely<unknown>, table: PartitionedTable): Promise<void> {
  await withLockRetries(() =>
    sql`alter table ${sql.id(`${table.table}_default`)}
      drop constraint if exists ${sql.id(noRowsAhead)}`.execute(db),
  );
}

/** Whether rows may be deleted now. If so, no session can take the lock that keeps them until the transaction ends. */
async function canDelete(trx: Kysely<unknown>, { retentionLock }: PartitionedTable): Promise<boolean> {
  if (retentionLock === undefined) return true;
  const { rows } = await sql<{ isFree: boolean }>`
    select pg_try_advisory_xact_lock_shared(${retentionLock}) as "isFree"`.execute(trx);
  return rows[0]!.isFree;
}

async function dropPartition(db: Kysely<unknown>, table: PartitionedTable, { name }: Period): Promise<void> {
  await withLockRetries(
    () =>
      db.transaction().execute(async (trx) => {
        if (!(await canDelete(trx, table))) return;
        if (table.waitsForRows) {
          const { rows } = await sql`
            select 1 from ${sql.id(name)} where (${sql.raw(table.expiredCondition)}) is not true limit 1`.execute(
            trx,
          );
          if (rows.length > 0) return;
        }
        await sql`drop table ${sql.id(name)}`.execute(trx);
      }),
    lockAttempts,
  );
}

/** Deletes expired rows from the default partition. Returns whether there may be more. */
const deleteExpiredRows = (db: Kysely<unknown>, table: PartitionedTable): Promise<boolean> =>
  db
    .transaction()
    .execute(
      async (trx) =>
        (await canDelete(trx, table)) &&
        deleteBatch(trx, `${table.table}_default`, sql.raw(table.expiredCondition), deleteLimit),
    );
