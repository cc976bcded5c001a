import { type EventData, type EventDefinition, type EventMessage, newId } from '@waybill/contracts';
import { sql } from 'kysely';
import { type AnyDatabase, type AnyTransaction, withoutWaitingForDisk } from '../db/database.ts';
import { timestamp } from '../db/json.ts';
import type { PartitionedTable } from '../db/partitions.ts';
import { prepare } from '../db/statements.ts';
import type { Log } from '../log.ts';
import { outboxDead, outboxLagSeconds, outboxOldestSeconds, outboxWaiting } from '../metrics.ts';
import { currentTrace, withTrace } from '../trace.ts';
import { batchBytes } from './batch.ts';
import type { Bus } from './bus.ts';

/** Transactions that emit: their commit wakes the relay. */
const emitted = new WeakSet<object>();

/** An event that a statement writes to the outbox, all but the store and the data. */
export interface Emission {
  event_id: string;
  event_name: string;
  event_trace: string | null;
}

const insertEvent = prepare(
  'outbox-insert',
  'insert into outbox (event_id, name, trace, store_id, data) values ($1, $2, $3, $4, $5)',
);

/** An event's data as JSON; such text stands as it is. */
const textOf = (data: object): string =>
  'json' in data && typeof data.json === 'string' ? data.json : JSON.stringify(data);

/**
 * Records a domain event in the caller's transaction: it goes out if and only if that commits. `data` may be
 * JSON text that the database has made already.
 */
export async function emit<E extends EventDefinition>(
  trx: AnyTransaction,
  event: E,
  storeId: string,
  data: EventData<E> | { json: string },
): Promise<void> {
  const text = textOf(data);
  const { event_id, event_name, event_trace } = emissionOf(trx, event, currentTrace());
  await trx.executeQuery(insertEvent([event_id, event_name, event_trace, storeId, text]));
}

const insertEvents = prepare(
  'outbox-insert-all',
  `insert into outbox (event_id, name, store_id, trace, data)
   select event.id, $1, event.store_id, $2, event.data
   from unnest($3::text[], $4::text[], $5::text[]) as event (id, store_id, data)`,
);

/** What `emit` does, for as many things or stores as a change reaches: in this order, and in one statement. */
export async function emitAll<E extends EventDefinition>(
  trx: AnyTransaction,
  event: E,
  told: readonly { storeId: string; data: EventData<E> | { json: string } }[],
): Promise<void> {
  if (told.length === 0) return;
  emitted.add(trx);
  const each = [told.map(() => newId('event')), told.map(({ storeId }) => storeId)];
  const data = told.map((one) => textOf(one.data));
  await trx.executeQuery(insertEvents([event.name, currentTrace() ?? null, ...each, data]));
}

/**
 * What `emit` does, for changes that others wait for: the event of one, to be written by a statement of the caller's that
 * also makes its data, with `insertEmissions`. Its transaction's commit sends it out. `trace` is that of whoever asked.
 */
export function emissionOf(trx: AnyTransaction, event: EventDefinition, trace: string | undefined): Emission {
  emitted.add(trx);
  return { event_id: newId('event'), event_name: event.name, event_trace: trace ?? null };
}

/**
 * The part of such a statement that writes the events, in the order of `place`. Its result `from` has for each the columns
 * of its `Emission`, `store_id`, `place`, and its data as `json`.
 */
export const insertEmissions = (from: string): string =>
  `insert into outbox (event_id, name, store_id, trace, data)
   select event_id, event_name, store_id, event_trace, json from ${from} order by place`;

/** Whether this transaction emits. */
export function hasEmitted(trx: object): boolean {
  return emitted.has(trx);
}

interface OutboxRow extends Omit<EventMessage, 'trace'> {
  trace: string | null;
  row: number;
  failures: number;
  /** Whether it was put off before. */
  wasPutOff: boolean;
  lagSeconds: number;
  /** How many there were before the batch was cut by its size or its bytes. */
  found: number;
}

const batchSize = 200;
/** Each holds a connection while the bus has its events. */
const maxBatches = 4;
const measureMs = 5_000;
/** How many rows are set back to be published again at a time. */
const stepSize = 5_000;
/** How far what waits is counted. */
const mostCounted = 100_000;
/** How long what a broker has accepted can be published again, should it lose all it has. */
const keptMinutes = 30;
/** With the back-off below, some two hours. */
const maxFailures = 20;
/** How long an event that was put off waits at most; and at least, where a queue is full. */
const [longestWaitSeconds, shortestWaitSeconds] = [900, 60];
/** While a queue is full or not there, one event of each name that it wants asks whether it is still: after a second at first … */
const firstProbeSeconds = 1;
/** … then after twice as long each time, up to this. */
const longestProbeSeconds = 60;

// In the words of the indexes: what was put off costs nothing until it is due. By now(), which an index can go by.
const isWaiting = 'published_at is null and dead_at is null';
const isFresh = `${isWaiting} and due_at <= created_at`;
const isPutOff = `${isWaiting} and due_at > created_at`;

/**
 * What is due; after an id, which is another than 0, only what was never put off. Where there is more of both than one
 * batch, each has its half, so that neither holds up the other. No more bytes than a handler gets at once; the rest is for
 * the next batch, once this one's locks are gone.
 */
export const claim = prepare<OutboxRow>(
  'outbox-claim',
  `select id as row, event_id as id, name, store_id as "storeId", data, trace, failures, found,
     due_at > created_at as "wasPutOff",
     ${timestamp('created_at')} as "createdAt",
     extract(epoch from clock_timestamp() - created_at)::float8 as "lagSeconds"
   from (
     select *, count(*) over () as found, sum(octet_length(data)) over (order by place, id) - octet_length(data) as before
     from (
       select *, row_number() over (partition by due_at > created_at order by id) as place
       from (
         select * from (
           select * from outbox where id > $1 and ${isFresh} order by outbox.id limit $2 for update skip locked
         ) fresh
         union all
         select * from (
           select * from outbox where $1 = 0 and ${isPutOff} and due_at <= now()
           order by outbox.due_at limit $2 for update skip locked
         ) put_off
       ) due
     ) placed
     order by place, id limit $2
   ) measured
   where before < ${batchBytes} order by id`,
);
// Shared by the batches in flight; who waits for their end has it alone for a moment.
const handingOver = 0x77620001;
// Shared by who lets old rows go; held by who publishes them again.
const keeping = 0x77620002;
const beginHandingOver = prepare('outbox-begin', `select pg_advisory_xact_lock_shared(${handingOver})`);
// Their times lead to the one or two partitions that they are of.
const accepted = `id = any($1) and created_at between $2 and $3 and ${withoutWaitingForDisk}`;
const remove = prepare('outbox-remove', `delete from outbox where ${accepted}`);
const keep = prepare('outbox-keep', `update outbox set published_at = now() where ${accepted}`);
const putOff = prepare(
  'outbox-put-off',
  `update outbox set due_at = clock_timestamp() + make_interval(secs => ($4::float8[])[array_position($1, id)])
   where ${accepted}`,
);
// The oldest first. Of those that a subscriber failed on each has its own time.
export const bringForward = prepare<{ count: number }>(
  'outbox-bring-forward',
  `with step as materialized (
     select id, created_at from outbox
     where ${isPutOff} and name = $1 and failures = 0 and due_at > clock_timestamp()
     order by id limit $2 for update skip locked
   ), changed as (
     update outbox set due_at = clock_timestamp()
     where id = any(array(select id from step))
       and created_at between (select min(created_at) from step) and (select max(created_at) from step)
   )
   select count(*) from step`,
);

/** By the hour: with days a broker's half hour would be a day, and each look at what waits read over all of it. */
export const outboxPartitions: PartitionedTable = {
  table: 'outbox',
  column: 'created_at',
  every: 'hour',
  keptMs: keptMinutes * 60_000,
  // What waits or is dead is published at no time, and stays; a partition with it too.
  isOver: `published_at < now() - interval '${keptMinutes} minutes'
    and (select pg_try_advisory_xact_lock_shared(${keeping}))`,
  waitsForRows: true,
};

const toMessage = ({ id, name, storeId, createdAt, data, trace }: OutboxRow): EventMessage => ({
  ...{ id, name, storeId, createdAt, data },
  ...(trace && { trace }),
});

/** Rows by id, and between which times they were written: the database's are finer than ours. */
function placesOf(rows: readonly OutboxRow[]): [ids: number[], from: Date, to: Date] {
  const times = rows.map(({ createdAt }) => Date.parse(createdAt));
  return [rows.map(({ row }) => row), new Date(Math.min(...times)), new Date(Math.max(...times) + 1)];
}

/** Of commits that come thick and fast those of so many milliseconds are one batch; the first of them does not wait. */
const betweenWakesMs = 20;

export interface Relay {
  /** There may be something new: look now. */
  wake(): void;
  stop(): Promise<void>;
}

/**
 * Hands committed events to the bus, a batch a transaction: the rows stay locked while the bus has them and go
 * with its commit. A lock, unlike a lease, ends with the process that holds it, and costs no write.
 *
 * Woken by the commits of its own process, and looking by itself every `pollMs` for what another process, or
 * one that was killed, has left. Not by NOTIFY: it makes every commit of the database take one global lock, also
 * while it waits for the disk.
 */
export function startRelay(options: {
  db: AnyDatabase;
  bus: Bus;
  service: string;
  log: Log;
  pollMs?: number;
}): Relay {
  const { db, bus, service, log, pollMs = 1000 } = options;
  // Where subscribers are of this process, what is accepted is handled.
  const settle = bus.soleProcess ? remove : keep;
  const batches = new Set<Promise<void>>();
  let stopped = false;
  // Where a look after a commit begins: what is below was seen long ago, and reading over its remains costs more
  // than the new rows. The regular look begins at nought and finds what was committed late.
  let seen = 0;
  let seenAtLastPoll = 0;
  let missedWake = false;
  let nextWakeAt = 0;
  let waitingWake: NodeJS.Timeout | null = null;
  // While the bus is away nothing is asked of the database but one row now and then, to see whether it is back.
  let isAway = false;
  // The names of events that a queue was too full for, or was not there for, and when the next one asks whether it is still.
  const full = new Map<string, { probeAt: number; waitSeconds: number }>();

  function look(from: number, limit = batchSize): void {
    if (stopped) return;
    if (batches.size === maxBatches) {
      missedWake = true;
      return;
    }
    // What one request has woken hands over the events of many.
    const batch = withTrace(undefined, () => handOver(from, limit))
      .catch((err) => {
        if (!stopped) log.warn({ err }, 'events could not be handed over; they will be again');
        return null;
      })
      .then((more) => {
        batches.delete(batch);
        if (isAway) return;
        if (more !== null) look(more);
        if (missedWake) {
          missedWake = false;
          look(seenAtLastPoll);
        }
      });
    batches.add(batch);
  }

  /** Where there is more to look for at once; null: nowhere. */
  async function handOver(from: number, limit: number): Promise<number | null> {
    return db.transaction().execute(async (trx) => {
      if (!bus.soleProcess) await trx.executeQuery(beginHandingOver([]));
      const { rows } = await trx.executeQuery(claim([from, limit]));
      if (rows.length === 0) return null;
      seen = Math.max(seen, rows.at(-1)!.row);
      const isCut = rows.length < rows[0]!.found;
      if (rows.length === batchSize) look(from);
      const results = await bus.publish(rows.map(toMessage));
      const wasAway = isAway;
      isAway = results.includes('unreachable');
      if (wasAway && !isAway) look(0);
      const accepted = rows.filter((_, i) => results[i] === 'accepted');
      for (const { lagSeconds } of accepted) outboxLagSeconds.observe({ service }, lagSeconds);
      if (accepted.length > 0) await trx.executeQuery(settle(placesOf(accepted)));
      for (const [i, row] of rows.entries()) {
        if (results[i] === 'rejected') await backOff(trx, row);
      }
      const refused = rows.filter((_, i) => results[i] === 'refused' || results[i] === 'unroutable');
      if (refused.length > 0) {
        const waits = refused.map(secondsToWait);
        await trx.executeQuery(putOff([...placesOf(refused), waits]));
      }
      if (await goOn(trx, accepted, refused)) return 0;
      return isCut ? from : null;
    });
  }

  /**
   * The others that want an event have it when one queue is too full for it or not there, and get it again at each try. So it waits
   * until one of its name was accepted, or for twice as long as it has; of those that wait one asks now and then, as each
   * new one does.
   */
  function secondsToWait({ name, lagSeconds }: OutboxRow): number {
    const now = performance.now();
    const { probeAt, waitSeconds } = full.get(name) ?? { probeAt: now, waitSeconds: firstProbeSeconds };
    if (now < probeAt) return Math.min(Math.max(2 * lagSeconds, shortestWaitSeconds), longestWaitSeconds);
    const next = Math.min(2 * waitSeconds, longestProbeSeconds);
    full.set(name, { probeAt: now + waitSeconds * 1000, waitSeconds: next });
    return waitSeconds;
  }

  /**
   * Where events of a name are accepted again, twice as many of those that wait may follow: so many, and not all, as a
   * queue that has a little room would refuse most of them once more. True: some do.
   */
  async function goOn(
    trx: AnyTransaction,
    accepted: readonly OutboxRow[],
    refused: readonly OutboxRow[],
  ): Promise<boolean> {
    const stillFull = new Set(refused.map(({ name }) => name));
    const taken = accepted.filter(
      ({ name, wasPutOff }) => (wasPutOff || full.has(name)) && !stillFull.has(name),
    );
    let followers = 0;
    for (const [name, { length }] of Map.groupBy(taken, ({ name }) => name)) {
      full.delete(name);
      const { rows } = await trx.executeQuery(bringForward([name, 2 * length]));
      followers += rows[0]!.count;
    }
    return followers > 0;
  }

  /** Only a subscriber's refusals count towards the end: that a queue is full or not there is not the event's fault. */
  async function backOff(trx: AnyTransaction, row: OutboxRow): Promise<void> {
    const failures = row.failures + 1;
    const seconds = Math.min(2 ** failures / 10, longestWaitSeconds);
    const isDead = failures >= maxFailures;
    if (isDead) {
      log.error({ event: row.id, name: row.name }, 'an event keeps failing and was put aside');
    }
    await sql`update outbox set failures = ${failures}, due_at = clock_timestamp() + make_interval(secs => ${seconds}),
      dead_at = case when ${isDead} then now() end where id = ${row.row}`.execute(trx);
  }

  async function measure(): Promise<void> {
    // Through indexes, and no further than a number that says enough: nothing here counts a table.
    const { rows } = await sql<{ dead: number; waiting: number; oldest: number }>`
      select
        (select count(*) from (select from outbox where dead_at is not null limit ${mostCounted}) counted) as dead,
        (select count(*) from (
          select from outbox where ${sql.raw(isWaiting)} limit ${mostCounted}
        ) counted) as waiting,
        coalesce((
          select extract(epoch from now() - created_at)::float8 from outbox
          where ${sql.raw(isWaiting)} order by id limit 1
        ), 0) as oldest`.execute(db);
    const { dead, waiting, oldest } = rows[0]!;
    outboxDead.set({ service }, dead);
    outboxWaiting.set({ service }, waiting);
    outboxOldestSeconds.set({ service }, oldest);
  }

  /** In steps: half an hour of events may be millions of rows. Killed in the middle, it begins anew. */
  async function publishAgain(): Promise<void> {
    const events = await db.connection().execute(async (connection) => {
      await sql`select pg_advisory_lock(${keeping})`.execute(connection);
      try {
        // Waits for the batches in flight, of other processes too: what they are about to note as published is gone
        // as well.
        const { rows } = await connection.transaction().execute((trx) =>
          sql<{
            at: Date;
          }>`select clock_timestamp() as at from pg_advisory_xact_lock(${handingOver})`.execute(trx),
        );
        const lostUntil = rows[0]!.at;
        let count = 0;
        for (let last = 0, taken = batchSize; taken > 0; ) {
          const { rows } = await sql<{ last: number | null; taken: number }>`
            with step as materialized (
              select id, created_at from outbox
              where id > ${last} and published_at <= ${lostUntil} order by id limit ${stepSize}
            ), changed as (
              -- By an array, which only an index serves: a join may read all of it for each step, before the table has
              -- statistics of what has just filled it.
              update outbox set published_at = null
              where id = any(array(select id from step))
                and created_at between (select min(created_at) from step) and (select max(created_at) from step)
            )
            select max(id) as last, count(*) as taken from step`.execute(connection);
          taken = rows[0]!.taken;
          last = rows[0]!.last ?? last;
          count += taken;
          if (taken > 0) look(0);
        }
        return count;
      } finally {
        // Lost with the connection where that is what failed.
        await sql`select pg_advisory_unlock(${keeping})`.execute(connection).catch(() => {});
      }
    });
    if (events > 0) log.warn({ events }, 'the bus lost what it had; publishing again');
  }

  bus.onWiped(publishAgain);
  const measureNow = () => {
    measure().catch((err) => log.warn({ err }, 'the outbox could not be measured'));
  };
  const timers = [
    setInterval(() => {
      seenAtLastPoll = seen;
      if (!isAway) look(0);
      else if (batches.size === 0) look(0, 1);
    }, pollMs),
    setInterval(measureNow, measureMs),
  ];
  measureNow();
  look(0);

  function wake(): void {
    if (isAway || waitingWake) return;
    const now = performance.now();
    if (now < nextWakeAt) {
      waitingWake = setTimeout(() => {
        waitingWake = null;
        wake();
      }, nextWakeAt - now);
      return;
    }
    nextWakeAt = now + betweenWakesMs;
    look(seenAtLastPoll);
  }

  return {
    wake,
    async stop() {
      stopped = true;
      if (waitingWake) clearTimeout(waitingWake);
      for (const timer of timers) clearInterval(timer);
      while (batches.size > 0) await Promise.all(batches);
    },
  };
}
