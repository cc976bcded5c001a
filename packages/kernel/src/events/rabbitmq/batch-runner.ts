import type { ChannelModel } from 'amqplib';
import { BatchDelay } from '../../concurrency/batch-delay.ts';
import { takeBatch } from '../../concurrency/take-batch.ts';
import type { Log } from '../../operations/log.ts';
import { bisectFailures } from '../bisect-failures.ts';
import type { Worker } from '../bus.ts';
import { Consumer, type Delivery } from './consumer.ts';

/**
 * How long a message stays unacknowledged after its first job has begun. The broker gives a consumer only a fixed
 * number of messages, so a longer job would keep others from coming, and a lost connection would repeat the jobs that
 * have ended. If the process dies, the leases of the jobs hand them out again.
 */
const acknowledgeAfterMs = 250;

/** A message whose jobs are being handled. */
interface OpenMessage<Job> {
  delivery: Delivery<Job[]>;
  /** Number of its jobs that have not ended. */
  remaining: number;
  timer?: NodeJS.Timeout;
  isAcknowledged: boolean;
}

interface WaitingJob<Job> {
  job: Job;
  bytes: number;
  message: OpenMessage<Job>;
}

/**
 * Hands the jobs of messages with many jobs to a worker, several calls at once, as `JobRunner` does with messages of
 * one job. A message leaves the queue when all of its jobs are done, or a moment after the first has begun. A stop
 * returns messages of which no job has begun; of all other messages, every job is done first.
 */
export class BatchRunner<Job> extends Consumer<Job[]> {
  readonly #worker: Worker<Job>;
  readonly #running = new Set<Promise<void>>();
  readonly #batchDelay: BatchDelay;
  /** The waiting jobs of messages that were opened. */
  #jobs: WaitingJob<Job>[] = [];

  constructor(
    worker: Worker<Job>,
    options: { queue: string; declare(model: ChannelModel): Promise<void>; log: Log },
  ) {
    super({ ...options, prefetch: Math.min((worker.concurrency + 1) * worker.batch + 8, 65_535) });
    this.#worker = worker;
    this.#batchDelay = new BatchDelay(worker.batchDelayMs ?? 0, () => this.fill());
  }

  get recordsOutcomes(): boolean {
    return this.#worker.recordsOutcomes ?? false;
  }

  protected fill(): void {
    const { concurrency, batch } = this.#worker;
    while (this.#running.size < concurrency) {
      this.#open(batch);
      if (this.#jobs.length === 0) return;
      if (!this.isStopped && !this.#batchDelay.isReady(Math.min(this.#jobs.length, batch))) return;
      const callJobs = takeBatch(this.#jobs, batch, ({ bytes }) => bytes);
      this.#batchDelay.recordStart(callJobs.length);
      const run = this.#call(callJobs).finally(() => {
        this.#running.delete(run);
        this.#batchDelay.recordEnd();
        this.fill();
      });
      this.#running.add(run);
    }
  }

  /** Opens messages until there are as many jobs as a call gets. */
  #open(batch: number): void {
    while (!this.isStopped && this.#jobs.length < batch && this.waiting.length > 0) {
      const delivery = this.waiting.shift()!;
      const jobs = delivery.body;
      const message = { delivery, remaining: jobs.length, isAcknowledged: false };
      if (jobs.length === 0) this.#acknowledge(message);
      const bytes = Math.ceil(delivery.bytes / jobs.length);
      for (const job of jobs) this.#jobs.push({ job, bytes, message });
    }
  }

  protected async idle(): Promise<void> {
    this.fill();
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  protected onDeliveriesLost(): void {
    // No call has begun these jobs, and the broker gives their messages to another consumer, except those already
    // acknowledged.
    this.#jobs = this.#jobs.filter(({ message }) => message.isAcknowledged || !message.delivery.isLost);
  }

  protected onUnreadable(): void {}

  async #call(callJobs: readonly WaitingJob<Job>[]): Promise<void> {
    if (!this.recordsOutcomes) {
      for (const { message } of callJobs)
        if (!message.isAcknowledged)
          message.timer ??= setTimeout(() => this.#acknowledge(message), acknowledgeAfterMs).unref();
    }
    await bisectFailures(
      callJobs,
      (part) => this.#worker.handle(part.map(({ job }) => job)),
      (err) =>
        this.log.warn({ err, queue: this.#worker.queue }, 'a job failed; its lease will hand it out again'),
    );
    for (const { message } of callJobs) if (--message.remaining === 0) this.#acknowledge(message);
  }

  #acknowledge(message: OpenMessage<Job>): void {
    clearTimeout(message.timer);
    if (message.isAcknowledged) return;
    message.isAcknowledged = true;
    message.delivery.ack();
  }
}
