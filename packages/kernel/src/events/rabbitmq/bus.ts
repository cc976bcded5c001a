import { getBatchQueue } from '@waybill/contracts';
import type { ChannelModel } from 'amqplib';
import { StartError } from '../../operations/config.ts';
import type { Log } from '../../operations/log.ts';
import type { Bus, Subscription, Worker } from '../bus.ts';
import { BatchRunner } from './batch-runner.ts';
import { BatchSubscriber } from './batch-subscriber.ts';
import { ConsumerConnection } from './consumer-connection.ts';
import { EventSender } from './event-sender.ts';
import { JobSender } from './job-sender.ts';
import { Link, parseBrokers } from './link.ts';
import { Publisher } from './publisher.ts';
import { type RedeliveryPolicy, Subscriber } from './subscriber.ts';
import { type Bounds, type SubscriptionTopology, Topology } from './topology.ts';
import { JobRunner } from './worker.ts';

const defaultRedelivery: RedeliveryPolicy = {
  deliveryLimit: 50,
  firstHoldMs: 200,
  maxHoldMs: 10_000,
  // Well below the half hour after which RabbitMQ closes the channel of a consumer that does not acknowledge.
  localRetryMs: 600_000,
};

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
export function createRabbitmqBus(options: RabbitmqBusOptions): Bus {
  const { url, namespace, log, confirmMs = 5_000, startupMs = 60_000, bounds } = options;
  const redelivery = { ...defaultRedelivery, ...options.redelivery };
  const nodes = parseBrokers(url);
  const topology = new Topology({ namespace, deliveryLimit: redelivery.deliveryLimit, bounds, log });
  const subscriptions = options.subscriptions ?? [];
  const relay = Promise.withResolvers<() => Promise<void>>();
  const publisher = new Publisher({
    deadlineMs: confirmMs,
    mark: options.mark && topology.queue(`mark.${options.mark}`),
    // The first connection may be up before the outbox is.
    onMarkMissing: async () => (await relay.promise)(),
    async declare(model) {
      await topology.declareEvents(model);
      await Promise.all(subscriptions.map((each) => topology.declareSubscription(model, each)));
      events.onConnect();
    },
    log,
  });
  const events = new EventSender(publisher, topology, { subscriptions, startupMs, log });
  const jobs = new JobSender(publisher, topology);
  const publishing = new Link(nodes, 'publisher', publisher, log);
  const consuming = new ConsumerConnection(nodes, log);
  return {
    isSingleProcess: false,
    async publish(messages) {
      // If the broker is unreachable, this fails at once; only the first connection is worth a wait.
      await publishing.settled;
      return events.publish(messages);
    },
    onWiped: relay.resolve,
    async subscribe(subscription) {
      const options = createSubscriberOptions(subscription, topology, log);
      const subscriber = new Subscriber(subscription, { ...options, redelivery });
      await consuming.start(subscriber);
      if (!subscription.acceptsBatches) return;
      const batchSubscriber = new BatchSubscriber(subscriber, {
        ...options,
        queue: getBatchQueue(options.queue),
        prefetch: 2 * subscription.batch,
        sendSingly: (singles) => events.sendTo(subscription.queue, singles),
        retryMs: redelivery.maxHoldMs,
      });
      await consuming.start(batchSubscriber);
    },
    enqueue: (queue, batch, ttlMs, choices) => jobs.enqueue(queue, batch, ttlMs, choices),
    async work(worker) {
      await consuming.start(createJobRunner(worker, topology, log));
      if (worker.acceptsBatches) await consuming.startWhenPossible(createBatchRunner(worker, topology, log));
    },
    backlog: (queue) => jobs.backlog(queue),
    beginStop() {
      for (const consumer of consuming.consumers) {
        // The caller of `stop` gets the error.
        const isWorker = consumer instanceof JobRunner || consumer instanceof BatchRunner;
        if (isWorker && !consumer.recordsOutcomes) consumer.stop().catch(() => {});
      }
    },
    async stop() {
      await Promise.all(consuming.consumers.map((consumer) => consumer.stop()));
    },
    async close() {
      await publisher.flush();
      await Promise.all([publishing.close(), consuming.close()]);
    },
  };
}

const createSubscriberOptions = (subscription: Subscription, topology: Topology, log: Log) => ({
  queue: topology.queue(subscription.queue),
  log,
  async declare(model: ChannelModel): Promise<void> {
    await topology.declareEvents(model);
    await topology.declareSubscription(model, subscription);
  },
});

const createJobRunner = <Job>(worker: Worker<Job>, topology: Topology, log: Log): JobRunner<Job> =>
  new JobRunner(worker, {
    queue: topology.queue(worker.queue),
    declare: (model) => topology.declareJobs(model, worker.queue),
    log,
  });

function createBatchRunner<Job>(worker: Worker<Job>, topology: Topology, log: Log): BatchRunner<Job> {
  const name = getBatchQueue(worker.queue);
  return new BatchRunner(worker, {
    queue: topology.queue(name),
    // While the node of this queue is away, everything else continues; the queue is tried again.
    declare: (model) =>
      topology.declareBatchQueue(model, name).catch((error) => {
        throw error instanceof StartError ? error : new StartError(`RabbitMQ lacks ${name} at present.`);
      }),
    log,
  });
}
