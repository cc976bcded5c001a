import type { EventMessage } from '@waybill/contracts';
import { sql } from 'kysely';
import { batchBytes } from '../concurrency/take-batch.ts';
import { type AnyDatabase, type AnyTransaction, later, withoutWaitingForDisk } from '../db/database.ts';
import { timestamp } from '../db/json.ts';
import type { PartitionedTable } from '../db/partitions.ts';
import { isSpread, takeByStore } from '../db/spread.ts';
import { prepare, prepareAhead } from '../db/statements.ts';

/** An event as it stands in the outbox. */
export interface OutboxRow extends Omit<EventMessage, 'trace'> {
  trace: string | null;
  row: number;
  failures: number;
  /** Whether it was put off before. */
  wasPutOff: boolean;
  lagSeconds: number;
  /** How many there were before the batch was cut by its size or its bytes. */
  found: number;
}

/** How many rows are set back to be published again at a time. */
const stepSize = 5_000;
/** How far what waits is counted. */
const mostCounted = 100_000;
/** How long what a broker has accepted can be published again, should it lose all it has. */
const keptMinutes = 30;
/** With the back-off below, some two hours. */
const maxFailures = 20;
/** How long an event that was put off waits at most. */
export const longestWaitSeconds = 900;

// In the words of the indexes: what was put off costs nothing until it is due. By now(), which an index can go by.
const isWaiting = 'published_at is null and dead_at is null';
const isFresh = `${isWaiting} and due_at <= created_at`;
const isPutOff = `${isWaiting} and due_at > created_at`;

/**
 * What is due; after an id, which is another than 0, only what was never put off. Where there is more of both than one
 * batch, each has its half, so that neither holds up the other. No more bytes than a handler gets at once; the rest is for
 * the next batch, once this one's locks are gone.
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
           select * from outbox where $1 = 0 and ${isPutOff} and due_at <= now() ${store}
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
     where ${after === 0} and ${sql.raw(isPutOff)} and due_at <= now() order by due_at limit ${limit}
   ) put_off`;

/** Takes a batch of what is due, by id. */
export async function claimDue(trx: AnyTransaction, after: number, limit: number): Promise<OutboxRow[]> {
  let bytes = 0;
  const rows = await takeByStore<OutboxRow>(trx, {
    limit,
    stores: () => storesToClaim(after, limit),
    async take(storeId, share) {
      if (storeId === null) return (await trx.executeQuery(claim([after, share]))).rows;
      if (bytes >= batchBytes) return [];
      const { rows } = await trx.executeQuery(claimOfStore([after, share, storeId]));
      bytes += rows.reduce((sum, { data }) => sum + Buffer.byteLength(data), 0);
      return rows;
    },
  });
  if (!isSpread(trx)) return rows;
  // A store that is cut by its share, or one that was left out, is seen at the next look.
  const found = bytes >= batchBytes ? rows.length + 1 : Math.max(0, ...rows.map((row) => row.found));
  return rows.map((row) => ({ ...row, found })).sort((a, b) => a.row - b.row);
}
// Shared by the batches in flight; who waits for their end has it alone for a moment.
const handingOver = 0x77620001;
// Shared by who lets old rows go; held by who publishes them again.
const keeping = 0x77620002;
export const beginHandingOver = prepareAhead(
  'outbox-begin',
  `select pg_advisory_xact_lock_shared(${handingOver})`,
);
// Handlers of this process may take longer than a transaction may idle. Ended for that, it would let go of events which
// those still have, to be handled once more, and again not in time.
export const beginHandling = prepareAhead(
  'outbox-begin-handling',
  `select set_config('idle_in_transaction_session_timeout', '0', true)`,
);
// Their times lead to the one or two partitions that they are of.
const accepted = 'id = any($1) and created_at between $2 and $3';
const removeText = `delete from outbox where ${accepted}`;
const keepText = `update outbox set published_at = now() where ${accepted}`;
// Later than the row, whatever our clock says: by that it is known for one that was put off.
const putOffText = `update outbox
  set due_at = greatest(($4::timestamptz[])[array_position($1, id)], ${later('created_at', '1 millisecond')})
  where ${accepted}`;
/** A change of accepted rows: without waiting for the disk on one server, and by their stores on Citus. */
function ofAccepted(name: string, text: string, ofStores: string) {
  const here = prepare(name, `${text} and ${withoutWaitingForDisk}`);
  const spread = prepare(`${name}-spread`, `${text} ${ofStores}`);
  return async (trx: AnyTransaction, rows: readonly OutboxRow[], ...others: unknown[]): Promise<void> => {
    const own = [...rowKeys(rows), ...others];
    const stores = () => [...new Set(rows.map(({ storeId }) => storeId))];
    await trx.executeQuery(isSpread(trx) ? spread([...own, stores()]) : here(own));
  };
}
export const remove = ofAccepted('outbox-remove', removeText, 'and store_id = any($4)');
export const keep = ofAccepted('outbox-keep', keepText, 'and store_id = any($4)');
const putOffUntil = ofAccepted('outbox-put-off', putOffText, 'and store_id = any($5)');
/** Puts rows off by as many seconds each. */
export const putOff = (trx: AnyTransaction, rows: readonly OutboxRow[], seconds: readonly number[]) =>
  putOffUntil(trx, rows, seconds.map(secondsFromNow));

const secondsFromNow = (seconds: number) => new Date(Date.now() + seconds * 1000);

// The oldest first. Of those that a subscriber failed on each has its own time.
const bringForwardText = (store: string) =>
  `with step as materialized (
     select id, created_at from outbox
     where ${isPutOff} and name = $1 and failures = 0 and due_at > now() ${store}
     order by id limit $2 for update skip locked
   ), changed as (
     update outbox set due_at = greatest($3, ${later('created_at', '1 millisecond')})
     where id = any(array(select id from step)) ${store}
       and created_at between (select min(created_at) from step) and (select max(created_at) from step)
   )
   select id from step`;
export const bringForward = prepare<{ id: number }>('outbox-bring-forward', bringForwardText(''));
const bringForwardOfStore = prepare<{ id: number }>(
  'outbox-bring-forward-of-store',
  bringForwardText('and store_id = $4'),
);
const storesThatWait = (name: string, limit: number) =>
  sql<{ storeId: string }>`select store_id as "storeId" from outbox
   where ${sql.raw(isPutOff)} and name = ${name} and failures = 0 and due_at > now() order by id limit ${limit}`;

/** Has up to so many of the events of a name that wait be due; gives how many. */
export async function bringForwardSome(trx: AnyTransaction, name: string, most: number): Promise<number> {
  const now = new Date();
  const rows = await takeByStore<{ id: number }>(trx, {
    limit: most,
    stores: () => storesThatWait(name, most),
    async take(storeId, limit) {
      const { rows } = await trx.executeQuery(
        storeId === null
          ? bringForward([name, limit, now])
          : bringForwardOfStore([name, limit, now, storeId]),
      );
      return rows;
    },
  });
  return rows.length;
}

/** By the hour: with days a broker's half hour would be a day, and each look at what waits read over all of it. */
export const outboxPartitions: PartitionedTable = {
  table: 'outbox',
  column: 'created_at',
  every: 'hour',
  keptMs: keptMinutes * 60_000,
  // What waits or is dead is published at no time, and stays; a partition with it too.
  isOver: `published_at < now() - interval '${keptMinutes} minutes'`,
  keptWhile: keeping,
  waitsForRows: true,
};

/** The event that a row is. */
export const toMessage = ({ id, name, storeId, createdAt, data, trace }: OutboxRow): EventMessage => ({
  id,
  name,
  storeId,
  createdAt,
  data,
  ...(trace && { trace }),
});

/** Rows by id, and between which times they were written: the database's are finer than ours. */
function rowKeys(rows: readonly OutboxRow[]): [ids: number[], from: Date, to: Date] {
  const times = rows.map(({ createdAt }) => Date.parse(createdAt));
  return [rows.map(({ row }) => row), new Date(Math.min(...times)), new Date(Math.max(...times) + 1)];
}

/**
 * Puts off an event that a subscriber has refused, or puts it aside after the last try; true of the latter. Only a
 * subscriber's refusals count towards the end: that a queue is full or not there is not the event's fault.
 */
export async function backOff(trx: AnyTransaction, row: OutboxRow): Promise<boolean> {
  const failures = row.failures + 1;
  const seconds = Math.min(2 ** failures / 10, longestWaitSeconds);
  const isDead = failures >= maxFailures;
  await sql`update outbox set failures = ${failures}, dead_at = ${isDead ? new Date() : null}::timestamptz,
    due_at = greatest(${secondsFromNow(seconds)}, ${sql.raw(later('created_at', '1 millisecond'))})
    where store_id = ${row.storeId} and id = ${row.row}`.execute(trx);
  return isDead;
}

/** What waits and what was put aside, as far as it is counted, and how old the first of it is, in seconds. */
export async function measureOutbox(db: AnyDatabase) {
  // Through indexes, and no further than a number that says enough: nothing here counts a table.
  const { rows } = await sql<{ dead: number; waiting: number; oldest: number }>`
    select
      (select count(*) from (select 1 from outbox where dead_at is not null limit ${mostCounted}) counted) as dead,
      (select count(*) from (
        select 1 from outbox where ${sql.raw(isWaiting)} limit ${mostCounted}
      ) counted) as waiting,
      coalesce((
        select extract(epoch from now() - created_at)::float8 from outbox
        where ${sql.raw(isWaiting)} order by id limit 1
      ), 0) as oldest`.execute(db);
  return rows[0]!;
}

/**
 * Sets back all that a bus had accepted and has lost, so that it is published again, and gives how many events that are.
 * In steps, and `onStep` is called after each: half an hour of events may be millions of rows. Killed in the middle, it
 * begins anew.
 */
export async function publishAgain(db: AnyDatabase, onStep: () => void): Promise<number> {
  return db.connection().execute(async (connection) => {
    await sql`select pg_advisory_lock(${keeping})`.execute(connection);
    try {
      // Waits for the batches in flight, of other processes too: what they are about to note as published is gone as well.
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
      // Lost with the connection where that is what failed.
      await sql`select pg_advisory_unlock(${keeping})`.execute(connection).catch(() => {});
    }
  });
}

interface Step {
  /** The last row of it; null where there was none any more. */
  last: number | null;
  taken: number;
}

async function setBack(connection: AnyDatabase, lostUntil: Date, after: number): Promise<Step> {
  const { rows } = await sql<Step>`
    with step as materialized (
      select id, created_at from outbox
      where id > ${after} and published_at <= ${lostUntil} order by id limit ${stepSize}
    ), changed as (
      -- By an array, which only an index serves: a join may read all of it for each step, before the table has
      -- statistics of what has just filled it.
      update outbox set published_at = null
      where id = any(array(select id from step))
        and created_at between (select min(created_at) from step) and (select max(created_at) from step)
    )
    select max(id) as last, count(*) as taken from step`.execute(connection);
  return rows[0]!;
}
