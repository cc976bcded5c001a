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

/** How a relay works. */
interface RelayOptions {
  db: AnyDatabase;
  bus: Bus;
  /** The name of the service, as metrics show it. */
  service: string;
  log: Log;
  /** How often to look for events of other processes; 1000 by default. */
  pollMs?: number;
}

/** Starts a relay, which works until it is stopped. */
export function startRelay(options: RelayOptions): Relay {
  const relay = new Relay(options);
  relay.start();
  return relay;
}

/**
 * Hands committed events to the bus, one batch per transaction. The rows stay locked while the bus has them, and are
 * removed or marked by its commit. Unlike a lease, a lock ends with the process that holds it, and costs no write.
 *
 * The relay is woken by commits of its own process, and looks every `pollMs` for events of other processes, or of one
 * that was killed. It does not use NOTIFY, which makes every commit of the database take one global lock, even while it
 * waits for the disk.
 */
export class Relay {
  readonly #db: AnyDatabase;
  readonly #bus: Bus;
  readonly #service: string;
  readonly #log: Log;
  readonly #pollMs: number;
  readonly #fullQueues = new FullQueues();
  /** The batches that the bus has now. */
  readonly #batches = new Set<Promise<void>>();
  #timers: NodeJS.Timeout[] = [];
  #isStopped = false;
  /**
   * The row at which a look after a commit begins: earlier rows were seen long ago, and reading over their remains
   * costs more than the new rows. The regular look begins at 0 and finds rows that were committed late.
   */
  #seenAtLastPoll = 0;
  #lastSeenRow = 0;
  #hasMissedWake = false;
  #nextWakeAt = 0;
  #rowsOfLastBatch = 0;
  #wakeTimer: NodeJS.Timeout | null = null;
  /** While the bus is unreachable, the relay reads only one row now and then, to check whether the bus is back. */
  #isBusUnreachable = false;

  constructor({ db, bus, service, log, pollMs = 1_000 }: RelayOptions) {
    this.#db = db;
    this.#bus = bus;
    this.#service = service;
    this.#log = log;
    this.#pollMs = pollMs;
  }

  /** Begins to hand over events. */
  start(): void {
    this.#bus.onWiped(async () => {
      const events = await publishAgain(this.#db, () => this.#startBatch(0));
      if (events > 0) this.#log.warn({ events }, 'the bus lost its messages; publishing them again');
    });
    this.#timers = [
      setInterval(() => this.#poll(), this.#pollMs),
      setInterval(() => this.#measure(), measureMs),
    ];
    this.#measure();
    this.#startBatch(0);
  }

  /** Looks soon, because there may be new events. */
  wake(): void {
    if (this.#isBusUnreachable || this.#wakeTimer) return;
    const now = performance.now();
    if (now < this.#nextWakeAt) {
      this.#wakeTimer = setTimeout(() => {
        this.#wakeTimer = null;
        this.wake();
      }, this.#nextWakeAt - now);
      return;
    }
    const { many, few } = wakeIntervalMs;
    this.#nextWakeAt = now + (this.#rowsOfLastBatch > smallBatchRows ? many : few);
    this.#startBatch(this.#seenAtLastPoll);
  }

  /** Stops looking, and resolves once the bus has no batch any more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#wakeTimer) clearTimeout(this.#wakeTimer);
    for (const timer of this.#timers) clearInterval(timer);
    while (this.#batches.size > 0) await Promise.all(this.#batches);
  }

  #poll(): void {
    this.#seenAtLastPoll = this.#lastSeenRow;
    if (!this.#isBusUnreachable) this.#startBatch(0);
    else if (this.#batches.size === 0) this.#startBatch(0, 1);
  }

  /** Starts a batch of the events from a row on, unless too many batches are running. */
  #startBatch(from: number, limit = batchSize): void {
    if (this.#isStopped) return;
    if (this.#batches.size === maxBatches) {
      this.#hasMissedWake = true;
      return;
    }
    // A batch belongs to many requests, so it has no trace of the request that woke it.
    const batch = withTrace(undefined, () => this.#handOver(from, limit))
      .catch((err) => {
        if (!this.#isStopped) this.#log.warn({ err }, 'events could not be handed over; they will be again');
        return null;
      })
      .then((more) => {
        this.#batches.delete(batch);
        if (this.#isBusUnreachable) return;
        if (more !== null) this.#startBatch(more);
        if (this.#hasMissedWake) {
          this.#hasMissedWake = false;
          this.#startBatch(this.#seenAtLastPoll);
        }
      });
    this.#batches.add(batch);
  }

  /** Hands over a batch. Returns the row from which to continue at once, null if no more events are due. */
  async #handOver(from: number, limit: number): Promise<number | null> {
    // If all subscribers are in this process, accepted events are already handled.
    const { isSingleProcess } = this.#bus;
    return this.#db.transaction().execute(async (trx) => {
      await trx.executeQuery(isSingleProcess ? beginHandling : beginHandingOver);
      const rows = await claimDue(trx, from, limit);
      if (rows.length === 0) return null;
      this.#lastSeenRow = Math.max(this.#lastSeenRow, rows.at(-1)!.row);
      this.#rowsOfLastBatch = rows.length;
      const isCut = rows.length < rows[0]!.found;
      if (rows.length === batchSize) this.#startBatch(from);
      const results = await this.#bus.publish(rows.map(toMessage));
      const wasBusUnreachable = this.#isBusUnreachable;
      this.#isBusUnreachable = results.includes('unreachable');
      if (wasBusUnreachable && !this.#isBusUnreachable) this.#startBatch(0);
      const accepted = rows.filter((_, i) => results[i] === 'accepted');
      for (const { lagSeconds } of accepted) outboxLagSeconds.observe({ service: this.#service }, lagSeconds);
      if (accepted.length > 0) await (isSingleProcess ? remove : markPublished)(trx, accepted);
      for (const row of rows.filter((_, i) => results[i] === 'rejected')) {
        if (await backOff(trx, row))
          this.#log.error({ event: row.id, name: row.name }, 'an event keeps failing and was put aside');
      }
      const refused = rows.filter((_, i) => results[i] === 'refused' || results[i] === 'unroutable');
      if (refused.length > 0) {
        const waits = refused.map((row) => this.#fullQueues.secondsToWait(row));
        await deferEvents(trx, refused, waits);
      }
      if (await this.#continueAfterRefusals(trx, accepted, refused)) return 0;
      return isCut ? from : null;
    });
  }

  /**
   * Makes waiting events due if events of their name are accepted again: twice as many as were accepted. It does not
   * take all, because a queue with little room would refuse most of them again. Returns whether any became due.
   */
  async #continueAfterRefusals(
    trx: AnyTransaction,
    accepted: readonly OutboxRow[],
    refused: readonly OutboxRow[],
  ): Promise<boolean> {
    let dueEvents = 0;
    for (const [name, count] of this.#fullQueues.countAcceptedAgain(accepted, refused)) {
      this.#fullQueues.markAvailable(name);
      dueEvents += await makeSomeDue(trx, name, 2 * count);
    }
    return dueEvents > 0;
  }

  #measure(): void {
    measureOutbox(this.#db)
      .then(({ dead, waiting, oldest }) => {
        const labels = { service: this.#service };
        outboxDead.set(labels, dead);
        outboxWaiting.set(labels, waiting);
        outboxOldestSeconds.set(labels, oldest);
      })
      .catch((err) => this.#log.warn({ err }, 'the outbox could not be measured'));
  }
}
