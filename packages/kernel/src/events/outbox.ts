import { type EventData, type EventDefinition, type EventMessage, newId } from '@waybill/contracts';
import { sql } from 'kysely';
import { type AnyDatabase, type AnyTransaction, prepare, withoutWaitingForDisk } from '../db/database.ts';
import type { Log } from '../log.ts';
import { outboxDead, outboxLagSeconds, outboxOldestSeconds, outboxWaiting } from '../metrics.ts';
import { currentTrace, withTrace } from '../trace.ts';
import type { Bus, PublishResult } from './bus.ts';

/** Transactions that emit: their commit wakes the relay. */
const emitted = new WeakSet<object>();

const insertInto = 'insert into outbox (event_id, name, store_id, trace, data)';
const insertEvent = prepare('outbox-insert', `${insertInto} values ($1, $2, $3, $4, $5)`);

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
  const text = 'json' in data && typeof data.json === 'string' ? data.json : JSON.stringify(data);
  await trx.executeQuery(insertEvent([...emissionValues(trx, event, storeId), text]));
}

/**
 * What `emit` does, as a part of a statement of the caller's that makes the data, the column `json` of its result
 * `from`: for changes that others wait for. `$first` and the three parameters after it are `emissionValues`.
 */
export const emission = (from: string, first: number): string =>
  `${insertInto} select $${first}, $${first + 1}, $${first + 2}, $${first + 3}, json from ${from}`;

/** The parameters of `emission`, whose statement runs in this transaction: its commit sends the event out. */
export function emissionValues(trx: AnyTransaction, event: EventDefinition, storeId: string): unknown[] {
  emitted.add(trx);
  return [newId('event'), event.name, storeId, currentTrace() ?? null];
}

/** Whether this transaction emits. */
export function hasEmitted(trx: object): boolean {
  return emitted.has(trx);
}

interface OutboxRow extends Omit<EventMessage, 'trace'> {
  trace: string | null;
  row: number;
  failures: number;
  lagSeconds: number;
}

const batchSize = 200;
/** Each holds a connection while the bus has its events. */
const maxBatches = 4;
const upkeepMs = 5_000;
/** How long what a broker has accepted can be published again, should it lose all it has. */
const keptMinutes = 30;
/** With the back-off below, some two hours. */
const maxFailures = 20;

const claim = prepare<OutboxRow>(
  'outbox-claim',
  `select id as row, event_id as id, name, store_id as "storeId", data, trace, failures,
     to_char(created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "createdAt",
     extract(epoch from clock_timestamp() - created_at)::float8 as "lagSeconds"
   from outbox where id > $1 and published_at is null and dead_at is null and due_at <= clock_timestamp()
   order by outbox.id limit ${batchSize} for update skip locked`,
);
const remove = prepare('outbox-remove', `delete from outbox where id = any($1) and ${withoutWaitingForDisk}`);
const keep = prepare(
  'outbox-keep',
  `update outbox set published_at = now() where id = any($1) and ${withoutWaitingForDisk}`,
);

const toMessage = ({ id, name, storeId, createdAt, data, trace }: OutboxRow): EventMessage => ({
  ...{ id, name, storeId, createdAt, data },
  ...(trace && { trace }),
});

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

  function look(from: number): void {
    if (stopped) return;
    if (batches.size === maxBatches) {
      missedWake = true;
      return;
    }
    // What one request has woken hands over the events of many.
    const batch = withTrace(undefined, () => handOver(from))
      .catch((err) => {
        if (!stopped) log.warn({ err }, 'events could not be handed over; they will be again');
      })
      .finally(() => {
        batches.delete(batch);
        if (missedWake) {
          missedWake = false;
          look(seenAtLastPoll);
        }
      });
    batches.add(batch);
  }

  async function handOver(from: number): Promise<void> {
    await db.transaction().execute(async (trx) => {
      const { rows } = await trx.executeQuery(claim([from]));
      if (rows.length === 0) return;
      seen = Math.max(seen, rows.at(-1)!.row);
      if (rows.length === batchSize) look(from);
      const results = await bus.publish(rows.map(toMessage));
      const accepted = rows.filter((_, i) => results[i] === 'accepted');
      for (const { lagSeconds } of accepted) outboxLagSeconds.observe({ service }, lagSeconds);
      if (accepted.length > 0) await trx.executeQuery(settle([accepted.map(({ row }) => row)]));
      for (const [i, row] of rows.entries())
        if (results[i] !== 'accepted') await backOff(trx, row, results[i]!);
    });
  }

  /** Only a subscriber's refusals count towards the end: the bus being away is nobody's fault. */
  async function backOff(trx: AnyTransaction, row: OutboxRow, result: PublishResult): Promise<void> {
    const failures = row.failures + (result === 'rejected' ? 1 : 0);
    const seconds = result === 'rejected' ? Math.min(2 ** failures / 10, 900) : 1;
    const isDead = failures >= maxFailures;
    if (isDead) {
      log.error({ event: row.id, name: row.name }, 'an event keeps failing and was put aside');
    }
    await sql`update outbox set failures = ${failures}, due_at = clock_timestamp() + make_interval(secs => ${seconds}),
      dead_at = case when ${isDead} then now() end where id = ${row.row}`.execute(trx);
  }

  async function measure(): Promise<void> {
    const { rows } = await sql<{ dead: number; waiting: number; oldest: number }>`
      select count(*) filter (where dead_at is not null) as dead, count(*) filter (where dead_at is null) as waiting,
        coalesce(extract(epoch from now() - min(created_at) filter (where dead_at is null)), 0)::float8 as oldest
      from outbox where published_at is null`.execute(db);
    const { dead, waiting, oldest } = rows[0]!;
    outboxDead.set({ service }, dead);
    outboxWaiting.set({ service }, waiting);
    outboxOldestSeconds.set({ service }, oldest);
  }

  async function publishAgain(): Promise<void> {
    const events = await db.transaction().execute(async (trx) => {
      // Waits for the batches in hand, of other processes too: what they are about to note as published is gone as well.
      await sql`select from outbox where published_at is null and dead_at is null order by id for update`.execute(
        trx,
      );
      const all = await sql`update outbox set published_at = null where published_at is not null`.execute(
        trx,
      );
      return Number(all.numAffectedRows);
    });
    if (events > 0) log.warn({ events }, 'the bus lost what it had; publishing again');
    look(0);
  }

  async function deleteOld(): Promise<void> {
    await sql`delete from outbox where id in (
      select id from outbox where published_at < now() - make_interval(mins => ${keptMinutes}) limit 5000
    )`.execute(db);
  }

  bus.onWiped(publishAgain);
  const upkeep = () => {
    measure().catch((err) => log.warn({ err }, 'the outbox could not be measured'));
    if (!bus.soleProcess) deleteOld().catch((err) => log.warn({ err }, 'old events could not be deleted'));
  };
  const timers = [
    setInterval(() => {
      seenAtLastPoll = seen;
      look(0);
    }, pollMs),
    setInterval(upkeep, upkeepMs),
  ];
  upkeep();
  look(0);

  return {
    wake: () => look(seenAtLastPoll),
    async stop() {
      stopped = true;
      for (const timer of timers) clearInterval(timer);
      while (batches.size > 0) await Promise.all(batches);
    },
  };
}
