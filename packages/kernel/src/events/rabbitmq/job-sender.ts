import { getBatchQueue } from '@waybill/contracts';
import type { Options } from 'amqplib';
import type { Backlog } from '../bus.ts';
import { BatchQueues } from './batch-queues.ts';
import { jobsHeader } from './intake.ts';
import type { Publisher, SendResult } from './publisher.ts';
import type { Topology } from './topology.ts';

const emptyBacklog: Backlog = { waiting: 0, workers: 0 };

/** Sends jobs to queues: one per message, or many to workers that take them together. */
export class JobSender {
  readonly #publisher: Publisher;
  readonly #topology: Topology;
  readonly #batchQueues: BatchQueues;
  #jobsSent = 0;

  constructor(publisher: Publisher, topology: Topology) {
    this.#publisher = publisher;
    this.#topology = topology;
    this.#batchQueues = new BatchQueues((queue) =>
      publisher.inspect(topology.queue(queue), (model) => topology.declareBatchQueue(model, queue)),
    );
  }

  async enqueue<Job>(
    queue: string,
    jobs: readonly Job[],
    ttlMs?: number,
    options?: { inBatches?: boolean; canRepeat?: boolean },
  ): Promise<void> {
    const workers = options?.inBatches && jobs.length > 0 ? await this.#batchQueues.countWorkers(queue) : 0;
    if (workers === 0) return this.#enqueueSingly(queue, jobs, ttlMs);
    await this.#enqueueBatches(queue, jobs, { workers, ttlMs, canRepeat: options?.canRepeat ?? false });
  }

  async backlog(queue: string): Promise<Backlog> {
    const batchQueues = this.#batchQueues;
    const [single, batches] = await Promise.all([
      this.#publisher.inspect(this.#topology.queue(queue), (model) =>
        this.#topology.declareJobs(model, queue),
      ),
      batchQueues.hasState(queue) ? batchQueues.backlog(queue).catch(() => emptyBacklog) : emptyBacklog,
    ]);
    // Workers that take jobs together take single ones as well.
    return { waiting: single.waiting + batches.waiting, workers: batches.workers || single.workers };
  }

  async #enqueueSingly<Job>(queue: string, jobs: readonly Job[], ttlMs?: number): Promise<void> {
    const name = this.#topology.queue(queue);
    await this.#publisher.ensure(name, (model) => this.#topology.declareJobs(model, queue));
    const results = await this.#send(name, jobs, JSON.stringify, () => toExpiration(ttlMs));
    const refused = results.filter((result) => result !== 'confirmed').length;
    if (refused > 0) throw new Error(`the queue ${name} did not take ${refused} of ${jobs.length} jobs`);
  }

  /**
   * Sends jobs to a queue, many per message, and sends those that the queue does not take one by one. If the broker did
   * not confirm a message, nobody knows whether it has the message: its jobs are sent again only if that does no harm.
   */
  async #enqueueBatches<Job>(
    queue: string,
    jobs: readonly Job[],
    { workers, ttlMs, canRepeat }: { workers: number; ttlMs: number | undefined; canRepeat: boolean },
  ): Promise<void> {
    const name = this.#topology.queue(getBatchQueue(queue));
    const isDeclared = await this.#declareBatchQueue(name, queue);
    const messages = isDeclared ? this.#batchQueues.pack(queue, jobs, workers) : [];
    const results = await this.#send(
      name,
      messages,
      ({ body }) => body,
      (message) => ({
        ...toExpiration(ttlMs),
        persistent: false,
        headers: { [jobsHeader]: message.items.length },
      }),
    );
    if (isDeclared && results.every((result) => result === 'confirmed')) return;
    this.#batchQueues.resetWorkers(queue);
    const listJobs = (test: (result: SendResult) => boolean) =>
      messages.flatMap((message, i) => (test(results[i]!) ? message.items : []));
    const shouldRetry = (result: SendResult) =>
      result === 'refused' || result === 'returned' || (result === 'failed' && canRepeat);
    const remaining = isDeclared ? listJobs(shouldRetry) : jobs;
    if (remaining.length > 0) await this.#enqueueSingly(queue, remaining, ttlMs);
    const unconfirmed = canRepeat ? 0 : listJobs((result) => result === 'failed').length;
    if (unconfirmed > 0)
      throw new Error(`RabbitMQ did not confirm ${unconfirmed} of ${jobs.length} jobs of ${name}`);
  }

  /** Returns false if the queue cannot be declared at present. */
  #declareBatchQueue(name: string, queue: string): Promise<boolean> {
    return this.#publisher
      .ensure(name, (model) => this.#topology.declareBatchQueue(model, getBatchQueue(queue)))
      .then(
        () => true,
        () => false,
      );
  }

  async #send<Item>(
    name: string,
    items: readonly Item[],
    toBody: (item: Item) => string,
    toProperties: (item: Item) => Options.Publish,
  ): Promise<SendResult[]> {
    const results = await this.#publisher.send(items, (item) => ({
      exchange: '',
      routingKey: name,
      body: Buffer.from(toBody(item)),
      properties: {
        messageId: `${++this.#jobsSent}`,
        contentType: 'application/json',
        ...toProperties(item),
      },
    }));
    if (results.includes('returned')) this.#publisher.forgetQueue(name);
    return results;
  }
}

const toExpiration = (ttlMs: number | undefined): Options.Publish =>
  ttlMs === undefined ? {} : { expiration: Math.max(0, Math.ceil(ttlMs)) };
