import net from 'node:net';
import { deliveryLanes, outcomesQueue } from '@waybill/contracts';
import { connect } from 'amqplib';
import { Redis } from 'ioredis';
import { services } from '../../services.ts';

const amqpUrl = process.env.AMQP_URL || 'amqp://guest:guest@127.0.0.1:5672';
const redisUrl = process.env.REDIS_URL || 'redis://127.0.0.1:6379';

/** Whether RabbitMQ and Redis are there; without them the cluster is left out in one line, which in CI fails. */
export async function clusterServersAnswer(): Promise<boolean> {
  const missing = [];
  if (!(await answers(amqpUrl))) missing.push('RabbitMQ');
  if (!(await answers(redisUrl))) missing.push('Redis');
  if (missing.length === 0) return true;
  const message = `${missing.join(' and ')} not reachable: the cluster's suites are left out`;
  if (process.env.CI === 'true') throw new Error(message);
  process.stderr.write(`${message}\n`);
  return false;
}

function answers(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = net.connect({ host: hostname, port: Number(port), timeout: 2000 });
    const end = (result: boolean) => {
      socket.destroy();
      resolve(result);
    };
    socket.on('connect', () => end(true));
    socket.on('timeout', () => end(false));
    socket.on('error', () => end(false));
  });
}

/** Removes a system's queues and its exchange. */
export async function removeFromBroker(namespace: string): Promise<void> {
  const connection = await connect(amqpUrl);
  const channel = await connection.createChannel();
  const subscriptions = ['webhooks.fan-out', 'webhooks.fan-out.dead'];
  const marks = services.map(({ name }) => `mark.${name}`);
  for (const queue of [...subscriptions, ...marks, outcomesQueue, ...Object.values(deliveryLanes)]) {
    await channel.deleteQueue(`${namespace}.${queue}`);
  }
  await channel.deleteExchange(`${namespace}.events`);
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
