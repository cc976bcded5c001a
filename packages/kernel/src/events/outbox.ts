import type { EventMessage } from '@waybill/contracts';
import { sql } from 'kysely';
import { batchBytes } from '../concurrency/take-batch.ts';
import { type AnyDatabase, type AnyTransaction, addInterval, asyncCommit } from '../db/database.ts';
import { claimByStore, isDistributed } from '../db/distributed.ts';
import { timestamp } from '../db/json.ts';
import type { PartitionedTable } from '../db/partitions.ts';
import { prepare, preparePipelined } from '../db/statements.ts';

/** An event as stored in the outbox. */
export interface OutboxRow extends Omit<EventMessage, 'trace'> {
  trace: string | null;
  row: number;
  failures: number;
  /** Whether the event was put off before. */
  wasPutOff: boolean;
  lagSeconds: number;
  /** Number of rows found before the batch was cut by its size or its bytes. */
  found: number;
}

/** Number of rows that are reset at a time, to be published again. */
const stepSize = 5_000;
/** Maximum up to which rows are counted. */
const maxCounted = 100_000;
/** How long events that a broker accepted are kept to be published again, in case it loses its data. */
const retentionMinutes = 30;
/** Number of failures after which an event is put aside; with the back-off below, that is some two hours. */
const maxFailures = 20;
/** Maximum time that an event is put off. */
export const longestWaitSeconds = 900;

// These conditions match the indexes, so that events that were put off cost nothing until they are due. They use now(),
// with which an index can work.
const isWaiting = 'published_at is null and dead_at is null';
const isFresh = `${isWaiting} and due_at <= created_at`;
const isDeferred = `${isWaiting} and due_at > created_at`;

/**
 * Selects due events. After an id other than 0, it selects only events that were never put off. If there are more of
 * both kinds than one batch, each gets half of it, so that neither holds up the other. A batch has no more bytes than a
 * handler gets at once; the rest is left for the next batch, once the locks of this one are released.
 */
const claimText = (store: string) =>
  `select id as row, event_id as id, name, store_id as "storeId", data, trace, failures, found,
     due_at > created_at as "wasPutOff",
     ${timestamp('created_at')} as "createdAt",
     extract(epoch from clock_timestamp() - created_at)::float8 as "lagSeconds"
   from (
     select *, count(*) over () as found, sum(octet_length(data)) over (order by ordinal, id) - octet_length(data) as before
     from (
       select *, row_number() over (partition by due_at > created_at order by id) as ordinal
       from (
         select * from (
           select * from outbox where id > $1 and ${isFresh} ${store} order by outbox.id limit $2 for update skip locked
         ) fresh
         union all
         select * from (
           select * from outbox where $1 = 0 and ${isDeferred} and due_at <= now() ${store}
           order by outbox.due_at limit $2 for update skip locked
         ) put_off
       ) due
     ) numbered
     order by ordinal, id limit $2
   ) measured
   where before < ${batchBytes} order by id`;
export const claim = prepare<OutboxRow>('outbox-claim', claimText(''));
const claimOfStore = prepare<OutboxRow>('outbox-claim-of-store', claimText('and store_id = $3'));
const storesToClaim = (after: number, limit: number) =>
  sql<{ storeId: string }>`select store_id as "storeId" from (
     select store_id, id from outbox where id > ${after} and ${sql.raw(isFresh)} order by id limit ${limit}
   ) fresh
   union all
   select store_id from (
     select store_id, due_at from outbox
     where ${after === 0} and ${sql.raw(isDeferred)} and due_at <= now() order by due_at limit ${limit}
   ) put_off`;

/** Claims a batch of due events, in the order of their ids. */
export async function claimDue(trx: AnyTransaction, after: number, limit: number): Promise<OutboxRow[]> {
  let bytes = 0;
  const rows = await claimByStore<OutboxRow>(trx, {
    limit,
    stores: () => storesToClaim(after, limit),
    async claim(storeId, share) {
      if (storeId === null) return (await trx.executeQuery(claim([after, share]))).rows;
      if (bytes >= batchBytes) return [];
      const { rows } = await trx.executeQuery(claimOfStore([after, share, storeId]));
      bytes += rows.reduce((sum, { data }) => sum + Buffer.byteLength(data), 0);
      return rows;
    },
  });
  if (!isDistributed(trx)) return rows;
  // A store that was cut by its share or left out is found at the next look.
  const found = bytes >= batchBytes ? rows.length + 1 : Math.max(0, ...rows.map((row) => row.found));
  return rows.map((row) => ({ ...row, found })).sort((a, b) => a.row - b.row);
}
// Shared by the batches in flight. A session that waits for their end holds it exclusively for a moment.
const handingOver = 0x77620001;
// Shared by sessions that delete old rows; held by the session that publishes them again.
const keeping = 0x77620002;
export const beginHandingOver = preparePipelined(
  'outbox-begin',
  `select pg_advisory_xact_lock_shared(${handingOver})`,
);
// Handlers of this process may take longer than a transaction may idle. A transaction ended by that timeout would
// release events that handlers still process; they would then be handled again, and time out again.
export const beginHandling = preparePipelined(
  'outbox-begin-handling',
  `select set_config('idle_in_transaction_session_timeout', '0', true)`,
);
// The times of the rows lead to the one or two partitions that contain them. They are hidden from the planner, which
// would otherwise choose the partitions anew for each execution; the executor then skips the others.
const accepted = `id = any($1::bigint[])
  and created_at between (select $2::timestamptz) and (select $3::timestamptz)`;
const removeText = `delete from outbox where ${accepted}`;
const markPublishedText = `update outbox set published_at = now() where ${accepted}`;
// Always later than the row's creation, whatever the clock of this process says: that marks the row as put off.
const deferText = `update outbox
  set due_at = greatest(($4::timestamptz[])[array_position($1, id)], ${addInterval('created_at', '1 millisecond')})
  where ${accepted}`;
/** Declares a change of accepted rows: on one server it does not wait for the disk, on Citus it names their stores. */
function ofAccepted(name: string, text: string, ofStores: string) {
  const onOneServer = prepare(name, `${text} and ${asyncCommit}`);
  const distributed = prepare(`${name}-distributed`, `${text} ${ofStores}`);
  return async (trx: AnyTransaction, rows: readonly OutboxRow[], ...others: unknown[]): Promise<void> => {
    const own = [...rowKeys(rows), ...others];
    const stores = () => [...new Set(rows.map(({ storeId }) => storeId))];
    await trx.executeQuery(isDistributed(trx) ? distributed([...own, stores()]) : onOneServer(own));
  };
}
export const remove = ofAccepted('outbox-remove', removeText, 'and store_id = any($4)');
export const markPublished = ofAccepted('outbox-keep', markPublishedText, 'and store_id = any($4)');
const deferUntil = ofAccepted('outbox-put-off', deferText, 'and store_id = any($5)');
/** Puts off each row by its number of seconds. */
export const deferEvents = (trx: AnyTransaction, rows: readonly OutboxRow[], seconds: readonly number[]) =>
  deferUntil(trx, rows, seconds.map(secondsFromNow));

const secondsFromNow = (seconds: number) => new Date(Date.now() + seconds * 1000);

// Takes the oldest rows first. Rows on which a subscriber failed keep their own times.
const makeDueText = (store: string) =>
  `with step as materialized (
     select id, created_at from outbox
     where ${isDeferred} and name = $1 and failures = 0 and due_at > now() ${store}
     order by id limit $2 for update skip locked
   ), changed as (
     update outbox set due_at = greatest($3, ${addInterval('created_at', '1 millisecond')})
     where id = any(array(select id from step)) ${store}
       and created_at between (select min(created_at) from step) and (select max(created_at) from step)
   )
   select id from step`;
export const makeDue = prepare<{ id: number }>('outbox-bring-forward', makeDueText(''));
const makeDueOfStore = prepare<{ id: number }>(
  'outbox-bring-forward-of-store',
  makeDueText('and store_id = $4'),
);
const selectWaitingStores = (name: string, limit: number) =>
  sql<{ storeId: string }>`select store_id as "storeId" from outbox
   where ${sql.raw(isDeferred)} and name = ${name} and failures = 0 and due_at > now() order by id limit ${limit}`;

/** Makes up to `maxEvents` waiting events of a name due. Returns how many. */
export async function makeSomeDue(trx: AnyTransaction, name: string, maxEvents: number): Promise<number> {
  const now = new Date();
  const rows = await claimByStore<{ id: number }>(trx, {
    limit: maxEvents,
    stores: () => selectWaitingStores(name, maxEvents),
    async claim(storeId, limit) {
      const { rows } = await trx.executeQuery(
        storeId === null ? makeDue([name, limit, now]) : makeDueOfStore([name, limit, now, storeId]),
      );
      return rows;
    },
  });
  return rows.length;
}

/**
 * The outbox, partitioned by the hour: with days, the broker's half hour would become a day, and each search for
 * waiting events would read all of it.
 */
export const outboxPartitions: PartitionedTable = {
  table: 'outbox',
  column: 'created_at',
  every: 'hour',
  retentionMs: retentionMinutes * 60_000,
  // Waiting and dead events have no `published_at`, so they stay, and so does their partition.
  expiredCondition: `published_at < now() - interval '${retentionMinutes} minutes'`,
  retentionLock: keeping,
  waitsForRows: true,
};

/** Returns the event of a row. */
export const toMessage = ({ id, name, storeId, createdAt, data, trace }: OutboxRow): EventMessage => ({
  id,
  name,
  storeId,
  createdAt,
  data,
  ...(trace && { trace }),
});

/**
 * Returns the ids of rows and the range of times in which they were written; the database's times are finer than those
 * of JavaScript.
 */
function rowKeys(rows: readonly OutboxRow[]): [ids: number[], from: Date, to: Date] {
  const times = rows.map(({ createdAt }) => Date.parse(createdAt));
  return [rows.map(({ row }) => row), new Date(Math.min(...times)), new Date(Math.max(...times) + 1)];
}

/**
 * Puts off an event that a subscriber has rejected, or puts it aside after the last attempt; returns true in the latter
 * case. Only rejections by a subscriber count: a full or missing queue is not the event's fault.
 */
export async function backOff(trx: AnyTransaction, row: OutboxRow): Promise<boolean> {
  const failures = row.failures + 1;
  const seconds = Math.min(2 ** failures / 10, longestWaitSeconds);
  const isDead = failures >= maxFailures;
  await sql`update outbox set failures = ${failures}, dead_at = ${isDead ? new Date() : null}::timestamptz,
    due_at = greatest(${secondsFromNow(seconds)}, ${sql.raw(addInterval('created_at', '1 millisecond'))})
    where store_id = ${row.storeId} and id = ${row.row}`.execute(trx);
  return isDead;
}

/**
 * Counts the waiting events and those put aside, up to `maxCounted`, and returns the age of the oldest waiting one in
 * seconds.
 */
export async function measureOutbox(db: AnyDatabase) {
  // The query uses indexes and stops at a sufficient number, so it never counts a whole table.
  const { rows } = await sql<{ dead: number; waiting: number; oldest: number }>`
    select
      (select count(*) from (select 1 from outbox where dead_at is not null limit ${maxCounted}) counted) as dead,
      (select count(*) from (
        select 1 from outbox where ${sql.raw(isWaiting)} limit ${maxCounted}
      ) counted) as waiting,
      coalesce((
        select extract(epoch from now() - created_at)::float8 from outbox
        where ${sql.raw(isWaiting)} order by id limit 1
      ), 0) as oldest`.execute(db);
  return rows[0]!;
}

/**
 * Resets all events that a bus accepted and has lost, so that they are published again, and returns their number. It
 * works in steps and calls `onStep` after each, because half an hour of events may be millions of rows. If it is
 * killed, the next call starts again.
 */
export async function publishAgain(db: AnyDatabase, onStep: () => void): Promise<number> {
  return db.connection().execute(async (connection) => {
    await sql`select pg_advisory_lock(${keeping})`.execute(connection);
    try {
      // The lock waits for the batches in flight, also those of other processes: events that they are about to mark as
      // published are lost as well.
      const now = sql<{
        at: Date;
      }>`select clock_timestamp() as at from pg_advisory_xact_lock(${handingOver})`;
      const { rows } = await connection.transaction().execute((trx) => now.execute(trx));
      const lostUntil = rows[0]!.at;
      let events = 0;
      for (let last: number | null = 0; last !== null; ) {
        const step: Step = await setBack(connection, lostUntil, last);
        if (step.taken > 0) onStep();
        events += step.taken;
        last = step.last;
      }
      return events;
    } finally {
      // If the connection failed, the lock is gone with it.
      await sql`select pg_advisory_unlock(${keeping})`.execute(connection).catch(() => {});
    }
  });
}

interface Step {
  /** The last row of the step; null if there were no more rows. */
  last: number | null;
  taken: number;
}

async function setBack(connection: AnyDatabase, lostUntil: Date, after: number): Promise<Step> {
  const { rows } = await sql<Step>`
    with step as materialized (
      select id, created_at from outbox
      where id > ${after} and published_at <= ${lostUntil} order by id limit ${stepSize}
    ), changed as (
      -- The condition uses an array, which only an index serves: a join might read the whole table for each step,
      -- before the table has statistics about its new rows.
      update outbox set published_at = null
      where id = any(array(select id from step))
        and created_at between (select min(created_at) from step) and (select max(created_at) from step)
    )
    select max(id) as last, count(*) as taken from step`.execute(connection);
  return rows[0]!;
}
