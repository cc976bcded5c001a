import type { ChannelModel } from 'amqplib';
import { BatchDelay } from '../../concurrency/batch-delay.ts';
import { takeBatch } from '../../concurrency/take-batch.ts';
import type { Log } from '../../operations/log.ts';
import { bisectFailures } from '../bisect-failures.ts';
import type { Worker } from '../bus.ts';
import { Consumer, type Delivery } from './consumer.ts';

/**
 * Hands jobs to a worker, several calls at once. A job that fails leaves the queue like one that is done: the database
 * that remembers it hands it out again when its lease expires, at growing intervals, and counts the attempts. If the
 * broker also handed it out again, at once and without end, there would be two schedules.
 */
export class JobRunner<Job> extends Consumer<Job> {
  readonly #worker: Worker<Job>;
  readonly #running = new Set<Promise<void>>();
  readonly #batchDelay: BatchDelay;

  constructor(
    worker: Worker<Job>,
    options: { queue: string; declare(model: ChannelModel): Promise<void>; log: Log },
  ) {
    // A few more than are in flight, so that no call waits for the broker; not many, because other replicas have free
    // calls as well.
    super({ ...options, prefetch: Math.min((worker.concurrency + 1) * worker.batch + 8, 65_535) });
    this.#worker = worker;
    this.#batchDelay = new BatchDelay(worker.batchDelayMs ?? 0, () => this.fill());
  }

  get recordsOutcomes(): boolean {
    return this.#worker.recordsOutcomes ?? false;
  }

  protected fill(): void {
    const { concurrency, batch } = this.#worker;
    while (!this.isStopped && this.waiting.length > 0 && this.#running.size < concurrency) {
      if (!this.#batchDelay.isReady(Math.min(this.waiting.length, batch))) return;
      const deliveries = takeBatch(this.waiting, batch, ({ bytes }) => bytes);
      this.#batchDelay.recordStart(deliveries.length);
      const run = this.#call(deliveries).finally(() => {
        this.#running.delete(run);
        this.#batchDelay.recordEnd();
        this.fill();
      });
      this.#running.add(run);
    }
  }

  protected async idle(): Promise<void> {
    await Promise.all(this.#running);
  }

  protected onDeliveriesLost(): void {}

  protected onUnreadable(): void {}

  async #call(deliveries: Delivery<Job>[]): Promise<void> {
    await bisectFailures(
      deliveries,
      (part) => this.#worker.handle(part.map(({ body }) => body)),
      (err) =>
        this.log.warn({ err, queue: this.#worker.queue }, 'a job failed; its lease will hand it out again'),
    );
    for (const delivery of deliveries) delivery.ack();
  }
}
