import { getBatchQueue, jobQueues, subscriptions } from '@waybill/contracts';
import { amqpUrl, areServersReachable, redisUrl } from '@waybill/testing';
import { connect } from 'amqplib';
import { Redis } from 'ioredis';
import { services } from '../services.ts';

/** Whether the cluster can run here. */
export const clusterServersAnswer = () =>
  areServersReachable({ RabbitMQ: amqpUrl, Redis: redisUrl }, "the cluster's suites are");

/** Removes a system's queues and its exchange. */
export async function removeFromBroker(namespace: string): Promise<void> {
  const connection = await connect(amqpUrl);
  const channel = await connection.createChannel();
  const queues = Object.values(subscriptions).flatMap(({ queue }) => [
    queue,
    getBatchQueue(queue),
    `${queue}.dead`,
  ]);
  const marks = services.map(({ name }) => `mark.${name}`);
  for (const queue of [...queues, ...marks, ...jobQueues]) {
    await channel.deleteQueue(`${namespace}.${queue}`);
  }
  for (const exchange of ['events', 'event-batches'])
    await channel.deleteExchange(`${namespace}.${exchange}`);
  await connection.close();
}

/** Removes a system's keys. */
export async function removeFromRedis(namespace: string): Promise<void> {
  const redis = new Redis(redisUrl);
  for await (const keys of redis.scanStream({ match: `${namespace}:*`, count: 1000 })) {
    if (keys.length > 0) await redis.del(keys);
  }
  await redis.quit();
}
