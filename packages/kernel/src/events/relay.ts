import type { AnyDatabase, AnyTransaction } from '../db/database.ts';
import type { Log } from '../operations/log.ts';
import { outboxDead, outboxLagSeconds, outboxOldestSeconds, outboxWaiting } from '../operations/metrics.ts';
import { withTrace } from '../operations/trace.ts';
import type { Bus } from './bus.ts';
import { FullQueues } from './full-queues.ts';
import {
  backOff,
  beginHandingOver,
  beginHandling,
  claimDue,
  deferEvents,
  makeSomeDue,
  markPublished,
  measureOutbox,
  type OutboxRow,
  publishAgain,
  remove,
  toMessage,
} from './outbox.ts';

const batchSize = 200;
/** Maximum number of batches at once. Each holds a connection while the bus has its events. */
const maxBatches = 4;
const measureMs = 5_000;
/**
 * Pause between two looks at the outbox after commits, in milliseconds. Frequent commits share one batch; the first of
 * them does not wait. After a small batch, the next commit waits no longer than a batch takes.
 */
const wakeIntervalMs = { many: 20, few: 4 };
const smallBatchRows = 2;

export interface Relay {
  /** Looks at once, because there may be new events. */
  wake(): void;
  stop(): Promise<void>;
}

/**
 * Starts to hand committed events to the bus, one batch per transaction. The rows stay locked while the bus has them,
 * and are removed or marked by its commit. Unlike a lease, a lock ends with the process that holds it, and costs no
 * write.
 *
 * The relay is woken by commits of its own process, and looks every `pollMs` for events of other processes, or of one
 * that was killed. It does not use NOTIFY, which makes every commit of the database take one global lock, even while it
 * waits for the disk.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: its functions share the state of one closure
export function startRelay(options: {
  db: AnyDatabase;
  bus: Bus;
  service: string;
  log: Log;
  pollMs?: number;
}): Relay {
  const { db, bus, service, log, pollMs = 1000 } = options;
  // If all subscribers are in this process, accepted events are already handled.
  const [begin, settle] = bus.isSingleProcess ? [beginHandling, remove] : [beginHandingOver, markPublished];
  const batches = new Set<Promise<void>>();
  let isStopped = false;
  // The row at which a look after a commit begins: earlier rows were seen long ago, and reading over their remains
  // costs more than the new rows. The regular look begins at 0 and finds rows that were committed late.
  let lastSeenRow = 0;
  let seenAtLastPoll = 0;
  let hasMissedWake = false;
  let nextWakeAt = 0;
  let rowsOfLastBatch = 0;
  let wakeTimer: NodeJS.Timeout | null = null;
  // While the bus is unreachable, the relay reads only one row now and then, to check whether the bus is back.
  let isBusUnreachable = false;
  const fullQueues = new FullQueues();

  function startBatch(from: number, limit = batchSize): void {
    if (isStopped) return;
    if (batches.size === maxBatches) {
      hasMissedWake = true;
      return;
    }
    // A batch belongs to many requests, so it has no trace of the request that woke it.
    const batch = withTrace(undefined, () => handOver(from, limit))
      .catch((err) => {
        if (!isStopped) log.warn({ err }, 'events could not be handed over; they will be again');
        return null;
      })
      .then((more) => {
        batches.delete(batch);
        if (isBusUnreachable) return;
        if (more !== null) startBatch(more);
        if (hasMissedWake) {
          hasMissedWake = false;
          startBatch(seenAtLastPoll);
        }
      });
    batches.add(batch);
  }

  /** Hands over a batch. Returns the row from which to continue at once, null if no more events are due. */
  async function handOver(from: number, limit: number): Promise<number | null> {
    return db.transaction().execute(async (trx) => {
      await trx.executeQuery(begin);
      const rows = await claimDue(trx, from, limit);
      if (rows.length === 0) return null;
      lastSeenRow = Math.max(lastSeenRow, rows.at(-1)!.row);
      rowsOfLastBatch = rows.length;
      const isCut = rows.length < rows[0]!.found;
      if (rows.length === batchSize) startBatch(from);
      const results = await bus.publish(rows.map(toMessage));
      const wasBusUnreachable = isBusUnreachable;
      isBusUnreachable = results.includes('unreachable');
      if (wasBusUnreachable && !isBusUnreachable) startBatch(0);
      const accepted = rows.filter((_, i) => results[i] === 'accepted');
      for (const { lagSeconds } of accepted) outboxLagSeconds.observe({ service }, lagSeconds);
      if (accepted.length > 0) await settle(trx, accepted);
      for (const row of rows.filter((_, i) => results[i] === 'rejected')) {
        if (await backOff(trx, row))
          log.error({ event: row.id, name: row.name }, 'an event keeps failing and was put aside');
      }
      const refused = rows.filter((_, i) => results[i] === 'refused' || results[i] === 'unroutable');
      if (refused.length > 0) {
        const waits = refused.map((row) => fullQueues.secondsToWait(row));
        await deferEvents(trx, refused, waits);
      }
      if (await continueAfterRefusals(trx, accepted, refused)) return 0;
      return isCut ? from : null;
    });
  }

  /**
   * Makes waiting events due if events of their name are accepted again: twice as many as were accepted. It does not
   * take all, because a queue with little room would refuse most of them again. Returns whether any became due.
   */
  async function continueAfterRefusals(
    trx: AnyTransaction,
    accepted: readonly OutboxRow[],
    refused: readonly OutboxRow[],
  ): Promise<boolean> {
    let dueEvents = 0;
    for (const [name, count] of fullQueues.countAcceptedAgain(accepted, refused)) {
      fullQueues.markAvailable(name);
      dueEvents += await makeSomeDue(trx, name, 2 * count);
    }
    return dueEvents > 0;
  }

  async function measure(): Promise<void> {
    const { dead, waiting, oldest } = await measureOutbox(db);
    outboxDead.set({ service }, dead);
    outboxWaiting.set({ service }, waiting);
    outboxOldestSeconds.set({ service }, oldest);
  }

  bus.onWiped(async () => {
    const events = await publishAgain(db, () => startBatch(0));
    if (events > 0) log.warn({ events }, 'the bus lost its messages; publishing them again');
  });
  const measureNow = () => {
    measure().catch((err) => log.warn({ err }, 'the outbox could not be measured'));
  };
  const timers = [
    setInterval(() => {
      seenAtLastPoll = lastSeenRow;
      if (!isBusUnreachable) startBatch(0);
      else if (batches.size === 0) startBatch(0, 1);
    }, pollMs),
    setInterval(measureNow, measureMs),
  ];
  measureNow();
  startBatch(0);

  function wake(): void {
    if (isBusUnreachable || wakeTimer) return;
    const now = performance.now();
    if (now < nextWakeAt) {
      wakeTimer = setTimeout(() => {
        wakeTimer = null;
        wake();
      }, nextWakeAt - now);
      return;
    }
    nextWakeAt = now + (rowsOfLastBatch > smallBatchRows ? wakeIntervalMs.many : wakeIntervalMs.few);
    startBatch(seenAtLastPoll);
  }

  return {
    wake,
    async stop() {
      isStopped = true;
      if (wakeTimer) clearTimeout(wakeTimer);
      for (const timer of timers) clearInterval(timer);
      while (batches.size > 0) await Promise.all(batches);
    },
  };
}
