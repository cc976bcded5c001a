import { batchQueueOf, type EventMessage } from '@waybill/contracts';
import type { ChannelModel, Options } from 'amqplib';
import { StartError } from '../../operations/config.ts';
import type { Log } from '../../operations/log.ts';
import { Counter, metrics } from '../../operations/metrics.ts';
import type { Bus, PublishResult } from '../bus.ts';
import { BatchQueues } from './batch-queues.ts';
import { BatchRunner } from './batch-runner.ts';
import type { Consumer } from './consumer.ts';
import { jobsHeader } from './intake.ts';
import { Link, parseBrokers } from './link.ts';
import { type Outgoing, Publisher, type SendResult } from './publisher.ts';
import { type RedeliveryPolicy, Subscriber } from './subscriber.ts';
import { type Bounds, type SubscriptionTopology, Topology } from './topology.ts';
import { JobRunner } from './worker.ts';

const unroutableEvents = new Counter({
  name: 'waybill_bus_unroutable_total',
  help: 'Events that were let go because no subscription wants them.',
  labelNames: ['name'],
  registers: [metrics],
});

const emptyBacklog = { waiting: 0, workers: 0 };

/** How long an event that once had a subscriber waits for it when its queue is gone. */
const subscriberMemoryMs = 3_600_000;

export interface RabbitmqBusOptions {
  /** The URL of a node, or the URLs of several nodes separated by commas. */
  url: string;
  /** Prefix of the names of exchanges and queues. */
  namespace: string;
  log: Log;
  /**
   * The subscriptions of other processes. Publishers declare them as well: an event reaches only existing queues, and
   * after a first start or a wiped broker a publisher may be back before a subscriber is.
   */
  subscriptions?: readonly SubscriptionTopology[];
  /** How long the broker may take to confirm a message; less than a stop may take. */
  confirmMs?: number;
  /**
   * The name of a mark that this kind of process leaves on the broker. If the mark is missing on a new connection,
   * events that the broker had accepted may be lost as well. Without a name, as in processes without an outbox, the bus
   * does not check for that.
   */
  mark?: string;
  /** How long after connecting the bus keeps an event that no queue wants, for a subscriber that may still come. */
  startupMs?: number;
  /** Limits of the size of a queue. */
  bounds?: Partial<Bounds>;
  redelivery?: Partial<RedeliveryPolicy>;
}

/**
 * Creates the bus of a system of many processes, on RabbitMQ. It has one connection to publish, so that a broker that
 * blocks publishers does not hold up acknowledgements, and one to consume. It works from the moment it is created, also
 * while the broker is unreachable, and never stops reconnecting.
 *
 * `publish` accepts an event when a majority of the broker's disks has it in every queue that wants it.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: its functions share the state of one closure
export function createRabbitmqBus(options: RabbitmqBusOptions): Bus {
  const { url, namespace, log, confirmMs = 5_000, startupMs = 60_000, bounds } = options;
  const redelivery: RedeliveryPolicy = {
    deliveryLimit: 50,
    firstHoldMs: 200,
    maxHoldMs: 10_000,
    // Well below the half hour after which RabbitMQ closes the channel of a consumer that does not acknowledge.
    localRetryMs: 600_000,
    ...options.redelivery,
  };
  const nodes = parseBrokers(url);
  const topology = new Topology({ namespace, deliveryLimit: redelivery.deliveryLimit, bounds, log });
  const consumers: Consumer<unknown>[] = [];
  const lastRouted = new Map<string, number>();
  const relay = Promise.withResolvers<() => Promise<void>>();
  let consumingOn: ChannelModel | null = null;
  let connectedAt = 0;
  let jobsSent = 0;

  const publisher = new Publisher({
    deadlineMs: confirmMs,
    mark: options.mark && topology.queue(`mark.${options.mark}`),
    // The first connection may be up before the outbox is.
    onMarkMissing: async () => (await relay.promise)(),
    async declare(model) {
      await topology.declareEvents(model);
      await Promise.all(
        (options.subscriptions ?? []).map((subscription) =>
          topology.declareSubscription(model, subscription),
        ),
      );
      connectedAt = performance.now();
    },
    log,
  });
  const batchQueues = new BatchQueues((queue) =>
    publisher.inspect(topology.queue(queue), (model) => topology.declareBatchQueue(model, queue)),
  );
  const publishing = new Link(nodes, 'publisher', publisher, log);
  const consuming = new Link(
    nodes,
    'consumer',
    {
      async setUp(model) {
        consumingOn = model;
        await Promise.all(consumers.map((consumer) => consumer.reopen(model)));
      },
      onDisconnect() {
        consumingOn = null;
      },
    },
    log,
  );

  /** Waits for the broker as long as a start may take. A later connection opens the consumer as well. */
  async function start(consumer: Consumer<unknown>): Promise<void> {
    consumers.push(consumer);
    await consuming.settled;
    const model = consumingOn;
    await (model && consumer.open(model))?.catch((error) => {
      // A broken connection reopens all its consumers anyway, and no other error is worth a second try.
      if (consumingOn === model) throw error;
    });
  }

  /** Sends jobs to a queue, one per message. */
  async function enqueue<Job>(queue: string, jobs: readonly Job[], ttlMs?: number): Promise<void> {
    const name = topology.queue(queue);
    await publisher.ensure(name, (model) => topology.declareJobs(model, queue));
    const results = await send(name, jobs, JSON.stringify, () => expirationOf(ttlMs));
    const refused = results.filter((result) => result !== 'confirmed').length;
    if (refused > 0) throw new Error(`the queue ${name} did not take ${refused} of ${jobs.length} jobs`);
  }

  /**
   * Sends jobs to a queue, many per message, and sends those that the queue does not take one by one. If the broker did
   * not confirm a message, nobody knows whether it has the message: its jobs are sent again only if that does no harm.
   */
  async function enqueueBatches<Job>(
    queue: string,
    jobs: readonly Job[],
    { workers, ttlMs, canRepeat }: { workers: number; ttlMs: number | undefined; canRepeat: boolean },
  ): Promise<void> {
    const name = topology.queue(batchQueueOf(queue));
    const isDeclared = await publisher
      .ensure(name, (model) => topology.declareBatchQueue(model, batchQueueOf(queue)))
      .then(
        () => true,
        () => false,
      );
    const messages = isDeclared ? batchQueues.pack(queue, jobs, workers) : [];
    const results = await send(
      name,
      messages,
      ({ body }) => body,
      (message) => ({
        ...expirationOf(ttlMs),
        persistent: false,
        headers: { [jobsHeader]: message.jobs.length },
      }),
    );
    if (isDeclared && results.every((result) => result === 'confirmed')) return;
    batchQueues.resetWorkers(queue);
    const listJobs = (test: (result: SendResult) => boolean) =>
      messages.flatMap((message, i) => (test(results[i]!) ? message.jobs : []));
    const shouldRetry = (result: SendResult) =>
      result === 'refused' || result === 'returned' || (result === 'failed' && canRepeat);
    const remaining = isDeclared ? listJobs(shouldRetry) : jobs;
    if (remaining.length > 0) await enqueue(queue, remaining, ttlMs);
    const unconfirmed = canRepeat ? 0 : listJobs((result) => result === 'failed').length;
    if (unconfirmed > 0)
      throw new Error(`RabbitMQ did not confirm ${unconfirmed} of ${jobs.length} jobs of ${name}`);
  }

  async function send<Item>(
    name: string,
    items: readonly Item[],
    bodyOf: (item: Item) => string,
    propertiesOf: (item: Item) => Options.Publish,
  ): Promise<SendResult[]> {
    const results = await publisher.send(items, (item) => ({
      exchange: '',
      routingKey: name,
      body: Buffer.from(bodyOf(item)),
      properties: { messageId: `${++jobsSent}`, contentType: 'application/json', ...propertiesOf(item) },
    }));
    if (results.includes('returned')) publisher.forgetQueue(name);
    return results;
  }

  /**
   * Decides about an event that no queue wants: it has no subscriber, or its subscriber has not yet declared its queue
   * again.
   */
  function decideUnroutable(name: string): PublishResult {
    const now = performance.now();
    const isStarting = now - connectedAt < startupMs;
    const hadSubscriber = now - (lastRouted.get(name) ?? Number.NEGATIVE_INFINITY) < subscriberMemoryMs;
    if (isStarting || hadSubscriber) return 'unroutable';
    unroutableEvents.inc({ name });
    log.debug({ name }, 'an event without a subscriber');
    return 'accepted';
  }

  return {
    isSingleProcess: false,

    async publish(events) {
      // If the broker is unreachable, this fails at once; only the first connection is worth a wait.
      await publishing.settled;
      if (!publisher.isUp) return events.map(() => 'unreachable');
      const results = await publisher.send(events, (event) => toMessage(topology.events, event));
      return results.map((result, i): PublishResult => {
        const { name } = events[i]!;
        if (result === 'returned') return decideUnroutable(name);
        if (result === 'confirmed') lastRouted.set(name, performance.now());
        if (result === 'refused') return 'refused';
        return result === 'confirmed' ? 'accepted' : 'unreachable';
      });
    },

    onWiped: relay.resolve,

    async subscribe(subscription) {
      const queue = topology.queue(subscription.queue);
      await start(
        new Subscriber(subscription, {
          queue,
          redelivery,
          log,
          async declare(model) {
            await topology.declareEvents(model);
            await topology.declareSubscription(model, subscription);
          },
        }),
      );
    },

    async enqueue(queue, jobs, ttlMs, options) {
      const workers = options?.inBatches && jobs.length > 0 ? await batchQueues.workersOf(queue) : 0;
      if (workers === 0) return enqueue(queue, jobs, ttlMs);
      await enqueueBatches(queue, jobs, { workers, ttlMs, canRepeat: options?.canRepeat ?? false });
    },

    async work(worker) {
      const { queue } = worker;
      const queueName = topology.queue(queue);
      const declare = (model: ChannelModel) => topology.declareJobs(model, queue);
      await start(new JobRunner(worker, { queue: queueName, declare, log }));
      if (!worker.acceptsBatches) return;
      const name = batchQueueOf(queue);
      const batchRunner = new BatchRunner(worker, {
        queue: topology.queue(name),
        // While the node of this queue is away, everything else continues; the queue is tried again.
        declare: (model) =>
          topology.declareBatchQueue(model, name).catch((error) => {
            throw error instanceof StartError ? error : new StartError(`RabbitMQ lacks ${name} at present.`);
          }),
        log,
      });
      consumers.push(batchRunner);
      await consuming.settled;
      if (consumingOn) await batchRunner.reopen(consumingOn).catch(() => {});
    },

    async backlog(queue) {
      const [queueName, batchRunner] = await Promise.all([
        publisher.inspect(topology.queue(queue), (model) => topology.declareJobs(model, queue)),
        batchQueues.hasState(queue) ? batchQueues.backlog(queue).catch(() => emptyBacklog) : emptyBacklog,
      ]);
      // Workers that take jobs together take single ones as well.
      return {
        waiting: queueName.waiting + batchRunner.waiting,
        workers: batchRunner.workers || queueName.workers,
      };
    },

    beginStop() {
      for (const consumer of consumers) {
        // The caller of `stop` gets the error.
        const isWorker = consumer instanceof JobRunner || consumer instanceof BatchRunner;
        if (isWorker && !consumer.recordsOutcomes) consumer.stop().catch(() => {});
      }
    },

    async stop() {
      await Promise.all(consumers.map((consumer) => consumer.stop()));
    },

    async close() {
      await publisher.flush();
      await Promise.all([publishing.close(), consuming.close()]);
    },
  };
}

const expirationOf = (ttlMs: number | undefined) =>
  ttlMs === undefined ? {} : { expiration: Math.max(0, Math.ceil(ttlMs)) };

function toMessage(exchange: string, event: EventMessage): Outgoing {
  const { id, name, storeId, createdAt, data, trace } = event;
  return {
    exchange,
    routingKey: name,
    body: Buffer.from(JSON.stringify({ id, name, storeId, createdAt, data, trace })),
    properties: {
      messageId: id,
      type: name,
      timestamp: Math.floor(Date.parse(createdAt) / 1000) || undefined,
      contentType: 'application/json',
      headers: { 'x-waybill-store': storeId },
    },
  };
}
