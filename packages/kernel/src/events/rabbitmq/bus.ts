import { batchQueueOf, type EventMessage } from '@waybill/contracts';
import type { ChannelModel, Options } from 'amqplib';
import { StartError } from '../../operations/config.ts';
import type { Log } from '../../operations/log.ts';
import { Counter, metrics } from '../../operations/metrics.ts';
import type { Bus, PublishResult } from '../bus.ts';
import type { Consumer } from './consumer.ts';
import { jobsHeader } from './intake.ts';
import { brokersOf, Link } from './link.ts';
import { type Outgoing, Publisher, type SendResult } from './publisher.ts';
import { type RedeliveryPolicy, Subscriber } from './subscriber.ts';
import { TogetherQueues } from './together-queues.ts';
import { TogetherRunner } from './together-runner.ts';
import { type Bounds, type SubscriptionTopology, Topology } from './topology.ts';
import { JobRunner } from './worker.ts';

const unroutableEvents = new Counter({
  name: 'waybill_bus_unroutable_total',
  help: 'Events that were let go because no subscription wants them.',
  labelNames: ['name'],
  registers: [metrics],
});

const none = { waiting: 0, workers: 0 };

/** How long an event that once had a subscriber waits for it when its queue is gone. */
const rememberedMs = 3_600_000;

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
  settlingMs?: number;
  /** Limits of the size of a queue. */
  bounds?: Partial<Bounds>;
  redelivery?: Partial<RedeliveryPolicy>;
}

/**
 * Creates the bus of a system of many processes, on RabbitMQ. It has one connection to publish, so that a broker that
 * blocks publishers does not hold up acknowledgements, and one to consume. It works from the moment it is created, also
 * while the broker is unreachable, and reconnects for ever.
 *
 * `publish` accepts an event when a majority of the broker's disks has it in every queue that wants it.
 */
export function createRabbitmqBus(options: RabbitmqBusOptions): Bus {
  const { url, namespace, log, confirmMs = 5_000, settlingMs = 60_000, bounds } = options;
  const redelivery: RedeliveryPolicy = {
    deliveryLimit: 50,
    firstHoldMs: 200,
    longestHoldMs: 10_000,
    // Well below the half hour after which RabbitMQ closes the channel of a consumer that does not acknowledge.
    unwellMs: 600_000,
    ...options.redelivery,
  };
  const nodes = brokersOf(url);
  const topology = new Topology({ namespace, deliveryLimit: redelivery.deliveryLimit, bounds, log });
  const consumers: Consumer<unknown>[] = [];
  const lastRouted = new Map<string, number>();
  const relay = Promise.withResolvers<() => Promise<void>>();
  let consumingOn: ChannelModel | null = null;
  let upSince = 0;
  let jobsSent = 0;

  const publisher = new Publisher({
    deadlineMs: confirmMs,
    mark: options.mark && topology.queue(`mark.${options.mark}`),
    // The first connection may be up before the outbox is.
    onMarkGone: async () => (await relay.promise)(),
    async declare(model) {
      await topology.declareEvents(model);
      await Promise.all(
        (options.subscriptions ?? []).map((subscription) =>
          topology.declareSubscription(model, subscription),
        ),
      );
      upSince = performance.now();
    },
    log,
  });
  const together = new TogetherQueues((queue) =>
    publisher.inspect(topology.queue(queue), (model) => topology.declareTogether(model, queue)),
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
      down() {
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
  async function enqueue<Job>(queue: string, jobs: readonly Job[], liveMs?: number): Promise<void> {
    const name = topology.queue(queue);
    await publisher.ensure(name, (model) => topology.declareJobs(model, queue));
    const results = await send(name, jobs, JSON.stringify, () => expirationOf(liveMs));
    const refused = results.filter((result) => result !== 'confirmed').length;
    if (refused > 0) throw new Error(`the queue ${name} did not take ${refused} of ${jobs.length} jobs`);
  }

  /**
   * Sends jobs to a queue, many per message, and sends those that the queue does not take one by one. If the broker did
   * not confirm a message, nobody knows whether it has the message: its jobs are sent again only if that does no harm.
   */
  async function enqueueMany<Job>(
    queue: string,
    jobs: readonly Job[],
    { workers, liveMs, mayRepeat }: { workers: number; liveMs: number | undefined; mayRepeat: boolean },
  ): Promise<void> {
    const name = topology.queue(batchQueueOf(queue));
    const isThere = await publisher
      .ensure(name, (model) => topology.declareTogether(model, batchQueueOf(queue)))
      .then(
        () => true,
        () => false,
      );
    const messages = isThere ? together.pack(queue, jobs, workers) : [];
    const results = await send(
      name,
      messages,
      ({ body }) => body,
      (message) => ({
        ...expirationOf(liveMs),
        persistent: false,
        headers: { [jobsHeader]: message.jobs.length },
      }),
    );
    if (isThere && results.every((result) => result === 'confirmed')) return;
    together.forgetWorkers(queue);
    const jobsThat = (test: (result: SendResult) => boolean) =>
      messages.flatMap((message, i) => (test(results[i]!) ? message.jobs : []));
    const shouldRetry = (result: SendResult) =>
      result === 'refused' || result === 'returned' || (result === 'failed' && mayRepeat);
    const remaining = isThere ? jobsThat(shouldRetry) : jobs;
    if (remaining.length > 0) await enqueue(queue, remaining, liveMs);
    const lost = mayRepeat ? 0 : jobsThat((result) => result === 'failed').length;
    if (lost > 0) throw new Error(`RabbitMQ did not confirm ${lost} of ${jobs.length} jobs of ${name}`);
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
    if (results.includes('returned')) publisher.forget(name);
    return results;
  }

  /**
   * Decides about an event that no queue wants: it has no subscriber, or its subscriber has not yet declared its queue
   * again.
   */
  function unroutable(name: string): PublishResult {
    const now = performance.now();
    const isSettling = now - upSince < settlingMs;
    const hadSubscriber = now - (lastRouted.get(name) ?? Number.NEGATIVE_INFINITY) < rememberedMs;
    if (isSettling || hadSubscriber) return 'unroutable';
    unroutableEvents.inc({ name });
    log.debug({ name }, 'an event that nobody wants');
    return 'accepted';
  }

  return {
    soleProcess: false,

    async publish(events) {
      // If the broker is unreachable, this fails at once; only the first connection is worth a wait.
      await publishing.settled;
      if (!publisher.isUp) return events.map(() => 'unreachable');
      const results = await publisher.send(events, (event) => toMessage(topology.events, event));
      return results.map((result, i): PublishResult => {
        const { name } = events[i]!;
        if (result === 'returned') return unroutable(name);
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

    async enqueue(queue, jobs, liveMs, options) {
      const workers = options?.together && jobs.length > 0 ? await together.workersOf(queue) : 0;
      if (workers === 0) return enqueue(queue, jobs, liveMs);
      await enqueueMany(queue, jobs, { workers, liveMs, mayRepeat: options?.mayRepeat ?? false });
    },

    async work(worker) {
      const { queue } = worker;
      const single = topology.queue(queue);
      const declare = (model: ChannelModel) => topology.declareJobs(model, queue);
      await start(new JobRunner(worker, { queue: single, declare, log }));
      if (!worker.takesTogether) return;
      const name = batchQueueOf(queue);
      const many = new TogetherRunner(worker, {
        queue: topology.queue(name),
        // While the node of this queue is away, everything else continues; the queue is tried again.
        declare: (model) =>
          topology.declareTogether(model, name).catch((error) => {
            throw error instanceof StartError ? error : new StartError(`RabbitMQ lacks ${name} at present.`);
          }),
        log,
      });
      consumers.push(many);
      await consuming.settled;
      if (consumingOn) await many.reopen(consumingOn).catch(() => {});
    },

    async backlog(queue) {
      const [single, many] = await Promise.all([
        publisher.inspect(topology.queue(queue), (model) => topology.declareJobs(model, queue)),
        together.isUsed(queue) ? together.backlog(queue).catch(() => none) : none,
      ]);
      // Workers that take jobs together take single ones as well.
      return { waiting: single.waiting + many.waiting, workers: many.workers || single.workers };
    },

    beginStop() {
      for (const consumer of consumers) {
        // The caller of `stop` gets the error.
        const isWorker = consumer instanceof JobRunner || consumer instanceof TogetherRunner;
        if (isWorker && !consumer.isRecord) consumer.stop().catch(() => {});
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

const expirationOf = (liveMs: number | undefined) =>
  liveMs === undefined ? {} : { expiration: Math.max(0, Math.ceil(liveMs)) };

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
