import type { EventMessage } from '@waybill/contracts';
import { BatchDelay } from '../concurrency/batch-delay.ts';
import { takeBatch } from '../concurrency/take-batch.ts';
import type { Log } from '../operations/log.ts';
import { withBatchSpan } from '../operations/spans.ts';
import { bisectFailures } from './bisect-failures.ts';
import type { Backlog, Bus, PublishResult, Subscription, Worker } from './bus.ts';

/**
 * Creates the bus of a system that is one process. An event counts as accepted only when every subscription has handled
 * it: until then its row stays in the publisher's outbox, so that a kill loses nothing. Jobs are kept in memory only;
 * the database that remembers them hands them out again when their lease expires.
 */
export function createInProcessBus(log: Log): Bus {
  const subscribers: Subscriber[] = [];
  const queues = new Map<string, JobQueue>();
  let isStopping = false;
  const getQueue = (name: string) => {
    const queue = queues.get(name) ?? new JobQueue(log, () => isStopping);
    queues.set(name, queue);
    return queue;
  };

  return {
    isSingleProcess: true,
    publish: (events) =>
      Promise.all(
        events.map(async (event): Promise<PublishResult> => {
          const receivers = subscribers.filter(({ subscription }) => subscription.names.includes(event.name));
          const handled = await Promise.all(receivers.map((subscriber) => subscriber.deliver(event)));
          return handled.every(Boolean) ? 'accepted' : 'rejected';
        }),
      ),
    // An event that this bus accepted is already handled.
    onWiped() {},
    async subscribe(subscription) {
      subscribers.push(new Subscriber(subscription, log));
    },
    async enqueue(name, jobs) {
      getQueue(name).add(jobs);
    },
    async work(worker) {
      getQueue(worker.queue).attach(worker as Worker<unknown>);
    },
    backlog: async (name) => getQueue(name).backlog,
    beginStop() {
      isStopping = true;
    },
    async stop() {
      isStopping = true;
      const [records, others] = [true, false].map((isRecording) =>
        [...queues.values()].filter(({ recordsOutcomes }) => recordsOutcomes === isRecording),
      );
      await Promise.all([...subscribers, ...others!].map((consumer) => consumer.idle()));
      // Now the record queues contain everything that has to be recorded.
      await Promise.all(records!.map((queue) => queue.idle()));
    },
    async close() {},
  };
}

/** The queue of one subscription: the handler gets all waiting events together, one call at a time. */
class Subscriber {
  readonly subscription: Subscription;
  readonly #log: Log;
  #waiting: { event: EventMessage; done: (handled: boolean) => void }[] = [];
  #running: Promise<void> | null = null;

  constructor(subscription: Subscription, log: Log) {
    this.subscription = subscription;
    this.#log = log;
  }

  /** Resolves to true once the handler has handled the event, to false if it failed. */
  deliver(event: EventMessage): Promise<boolean> {
    return new Promise((done) => {
      this.#waiting.push({ event, done });
      this.#running ??= this.#run();
    });
  }

  async idle(): Promise<void> {
    while (this.#running) await this.#running;
  }

  async #run(): Promise<void> {
    // Lets the rest of a published batch join in before the first call.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = takeBatch(this.#waiting, this.subscription.batch, ({ event }) => event.data.length);
      const failed = new Set(
        await bisectFailures(
          batch,
          (part) => this.#handle(part.map(({ event }) => event)),
          (err, part) => {
            const events = part.slice(0, 5).map(({ event }) => event.id);
            this.#log.warn({ err, queue: this.subscription.queue, events }, 'a subscriber failed');
          },
        ),
      );
      for (const waiting of batch) waiting.done(!failed.has(waiting));
    }
    this.#running = null;
  }

  async #handle(events: EventMessage[]): Promise<void> {
    await withBatchSpan(this.subscription.queue, events, () => this.subscription.handle(events));
  }
}

const measureLength = (job: unknown): number => JSON.stringify(job).length;

class JobQueue {
  readonly #log: Log;
  readonly #isStopping: () => boolean;
  #jobs: unknown[] = [];
  #worker: Worker<unknown> | null = null;
  #batchDelay = new BatchDelay(0, () => {});
  #running = new Set<Promise<void>>();

  constructor(log: Log, isStopping: () => boolean) {
    this.#log = log;
    this.#isStopping = isStopping;
  }

  get recordsOutcomes(): boolean {
    return this.#worker?.recordsOutcomes ?? false;
  }

  get backlog(): Backlog {
    return { waiting: this.#jobs.length, workers: this.#isOpen ? 1 : 0 };
  }

  add(jobs: readonly unknown[]): void {
    for (const job of jobs) this.#jobs.push(job);
    this.#fill();
  }

  attach(worker: Worker<unknown>): void {
    this.#worker = worker;
    this.#batchDelay = new BatchDelay(worker.batchDelayMs ?? 0, () => this.#fill());
    this.#fill();
  }

  async idle(): Promise<void> {
    // A stop does not wait for the rest of a burst.
    this.#batchDelay = new BatchDelay(0, () => {});
    this.#fill();
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** Whether a worker may begin waiting jobs. */
  get #isOpen(): boolean {
    return this.#worker !== null && (this.recordsOutcomes || !this.#isStopping());
  }

  #fill(): void {
    const worker = this.#worker;
    while (worker && this.#isOpen && this.#jobs.length > 0 && this.#running.size < worker.concurrency) {
      if (!this.#batchDelay.isReady(Math.min(this.#jobs.length, worker.batch))) return;
      const batch = takeBatch(this.#jobs, worker.batch, measureLength);
      this.#batchDelay.recordStart(batch.length);
      const run = this.#call(worker, batch).finally(() => {
        this.#running.delete(run);
        this.#batchDelay.recordEnd();
        this.#fill();
      });
      this.#running.add(run);
    }
  }

  async #call(worker: Worker<unknown>, jobs: unknown[]): Promise<void> {
    await bisectFailures(
      jobs,
      (part) => worker.handle([...part]),
      (err) => this.#log.warn({ err, queue: worker.queue }, 'a job failed; its lease will hand it out again'),
    );
  }
}
