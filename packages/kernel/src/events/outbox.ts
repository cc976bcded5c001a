import { type EventData, type EventDefinition, type EventMessage, newId } from '@waybill/contracts';
import { sql } from 'kysely';
import { type AnyDatabase, type AnyTransaction, prepare, withoutWaitingForDisk } from '../db/database.ts';
import type { Log } from '../log.ts';
import { outboxDead, outboxLagSeconds } from '../metrics.ts';
import type { Bus, PublishResult } from './bus.ts';

/** Transactions that have emitted: their commit wakes the relay. */
const emitted = new WeakSet<object>();

const insertEvent = prepare(
  'outbox-insert',
  'insert into outbox (event_id, name, store_id, data) values ($1, $2, $3, $4)',
);

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
  await trx.executeQuery(insertEvent([newId('event'), event.name, storeId, text]));
  emitted.add(trx);
}

/** Whether `emit` was called with this transaction. */
export function hasEmitted(trx: object): boolean {
  return emitted.has(trx);
}

interface OutboxRow extends EventMessage {
  row: number;
  failures: number;
  lagSeconds: number;
}

const leaseSeconds = 60;
const batchSize = 200;
/** With the back-off below, some two hours. */
const maxFailures = 20;

// Ordered by id inside the claim: events of one transaction go out in the order they were emitted.
const claim = prepare<OutboxRow>(
  'outbox-claim',
  `with claimed as (
     update outbox set due_at = clock_timestamp() + interval '${leaseSeconds} seconds'
     where id in (
       select id from outbox where dead_at is null and due_at <= clock_timestamp()
       order by due_at, id limit ${batchSize} for update skip locked
     ) and ${withoutWaitingForDisk}
     returning *
   )
   select id as row, event_id as id, name, store_id as "storeId", data, failures,
     to_char(created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "createdAt",
     extract(epoch from clock_timestamp() - created_at)::float8 as "lagSeconds"
   from claimed order by row`,
);
const remove = prepare('outbox-remove', `delete from outbox where id = any($1) and ${withoutWaitingForDisk}`);

export interface Relay {
  /** There may be something new: look now. */
  wake(): void;
  stop(): Promise<void>;
}

/**
 * Hands committed events to the bus. Woken by the commits of its own process, and looking by itself every
 * `pollMs` for what another process, or an earlier one that was killed, has left.
 *
 * Not by NOTIFY: it makes every commit of the database take one global lock, also while it waits for the disk.
 */
export function startRelay(options: {
  db: AnyDatabase;
  bus: Bus;
  service: string;
  log: Log;
  pollMs?: number;
}): Relay {
  const { db, bus, service, log, pollMs = 1000 } = options;
  const inHand = new Set<Promise<void>>();
  let looking: Promise<void> | null = null;
  let again = false;
  let stopped = false;

  function wake(): void {
    if (stopped) return;
    if (looking) again = true;
    else
      looking = look().finally(() => {
        looking = null;
        if (again) wake();
      });
  }

  async function look(): Promise<void> {
    do {
      again = false;
      try {
        const { rows } = await db.executeQuery(claim([]));
        if (rows.length > 0) {
          const batch = handOver(rows).finally(() => inHand.delete(batch));
          inHand.add(batch);
          // Bounded: a slow subscriber keeps at most this many batches in memory.
          if (inHand.size >= 4) await Promise.race(inHand);
        }
        if (rows.length === batchSize) again = true;
      } catch (err) {
        if (!stopped) log.warn({ err }, 'the outbox could not be read');
        return;
      }
    } while (again && !stopped);
  }

  async function handOver(rows: OutboxRow[]): Promise<void> {
    try {
      const results = await bus.publish(rows);
      const accepted = rows.filter((_, i) => results[i] === 'accepted');
      for (const { lagSeconds } of accepted) outboxLagSeconds.observe({ service }, lagSeconds);
      if (accepted.length > 0) await db.executeQuery(remove([accepted.map(({ row }) => row)]));
      for (const [i, row] of rows.entries()) if (results[i] !== 'accepted') await backOff(row, results[i]!);
    } catch (err) {
      log.warn({ err }, 'events could not be handed over; their lease will bring them back');
    }
  }

  /** Only a subscriber's refusals count towards the end: the bus being away is nobody's fault. */
  async function backOff(row: OutboxRow, result: PublishResult): Promise<void> {
    const failures = row.failures + (result === 'rejected' ? 1 : 0);
    const seconds = result === 'rejected' ? Math.min(2 ** failures / 10, 900) : 1;
    const dead = failures >= maxFailures;
    if (dead) log.error({ event: row.id, name: row.name }, 'an event keeps failing and was put aside');
    await sql`update outbox set failures = ${failures}, due_at = clock_timestamp() + make_interval(secs => ${seconds}),
      dead_at = case when ${dead} then now() end where id = ${row.row}`.execute(db);
    if (dead) await countDead();
  }

  async function countDead(): Promise<void> {
    const { rows } = await sql<{
      n: number;
    }>`select count(*) as n from outbox where dead_at is not null`.execute(db);
    outboxDead.set({ service }, rows[0]!.n);
  }

  async function begin(): Promise<void> {
    if (bus.soleProcess)
      await sql`update outbox set due_at = now() where failures = 0 and due_at > now()`.execute(db);
    await countDead();
    wake();
  }

  const timer = setInterval(wake, pollMs);
  begin().catch((err) => log.warn({ err }, 'the outbox could not be read'));

  return {
    wake,
    async stop() {
      stopped = true;
      clearInterval(timer);
      await looking;
      await Promise.all(inHand);
    },
  };
}
