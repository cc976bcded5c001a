import { randomBytes } from 'node:crypto';
import { getBatchQueue } from '@waybill/contracts';
import { type Channel, type ChannelModel, connect } from 'amqplib';
import { type Bus, createLog, createRabbitmqBus, type RabbitmqBusOptions } from '../../src/index.ts';
import { amqpUrl } from '../drivers-servers.ts';

/** Names on the broker for one test, access to the broker behind the bus, and the removal of both. */
export interface TestNamespace {
  name: string;
  bus(options?: Partial<RabbitmqBusOptions>): Bus;
  /** Returns the number of messages in a queue; null if the queue does not exist. */
  depth(queue: string): Promise<number | null>;
  onBroker<Result>(action: (channel: Channel) => Promise<Result>): Promise<Result>;
  remove(): Promise<void>;
}

export async function createNamespace(): Promise<TestNamespace> {
  const name = `wbt-${process.pid}-${randomBytes(4).toString('hex')}`;
  const model: ChannelModel = await connect(amqpUrl);
  const used = new Set<string>();

  async function onBroker<Result>(action: (channel: Channel) => Promise<Result>): Promise<Result> {
    const channel = await model.createChannel();
    channel.on('error', () => {});
    let isOpen = true;
    channel.on('close', () => {
      isOpen = false;
    });
    try {
      return await action(channel);
    } finally {
      if (isOpen) await channel.close();
    }
  }

  return {
    name,
    onBroker,
    bus(options = {}) {
      if (options.mark) used.add(`mark.${options.mark}`);
      const bus = createRabbitmqBus({
        url: amqpUrl,
        namespace: name,
        log: createLog(process.env.TEST_LOG ?? 'silent'),
        startupMs: 0,
        ...options,
      });
      return {
        ...bus,
        subscribe: (subscription) => {
          used
            .add(subscription.queue)
            .add(getBatchQueue(subscription.queue))
            .add(`${subscription.queue}.dead`);
          return bus.subscribe(subscription);
        },
        enqueue: (queue, jobs, ttlMs, options) => {
          used.add(queue).add(getBatchQueue(queue));
          return bus.enqueue(queue, jobs, ttlMs, options);
        },
        work: (worker) => {
          used.add(worker.queue).add(getBatchQueue(worker.queue));
          return bus.work(worker);
        },
      };
    },
    async depth(queue) {
      try {
        return await onBroker(async (channel) => (await channel.checkQueue(`${name}.${queue}`)).messageCount);
      } catch {
        return null;
      }
    },
    async remove() {
      await onBroker(async (channel) => {
        for (const queue of used) await channel.deleteQueue(`${name}.${queue}`);
        for (const exchange of ['events', 'event-batches'])
          await channel.deleteExchange(`${name}.${exchange}`);
      });
      await model.close();
    },
  };
}
