import { randomBytes } from 'node:crypto';
import { subscriptions } from '@waybill/contracts';
import { openDeadQueues } from '@waybill/kernel';
import {
  amqpUrl,
  areServersReachable,
  eventually,
  runSql,
  serverUrl,
  startSystem,
  type TestSystem,
} from '@waybill/testing';
import { connect } from 'amqplib';
import type { Installation } from '../ops/backup/installation.ts';
import { listDead, runDead } from '../ops/dead-letters/dead-letters.ts';
import { databaseServices } from '../servers/databases.ts';
import { services } from '../services.ts';

describe('events that an outbox has put aside', () => {
  let system: TestSystem;
  let installation: Installation;
  beforeAll(async () => {
    system = await startSystem(services.filter(({ name }) => databaseServices.includes(name)));
    const { namespace, dataDir } = system;
    installation = { adminUrl: serverUrl, namespace, dataDir, close: async () => {} };
    for (const id of ['evt_1', 'evt_2', 'evt_3'])
      await runSql(
        system,
        'catalog',
        `insert into outbox (event_id, name, store_id, data, failures, dead_at)
         values ('${id}', 'nobody.hears', 'str_1', '{}', 20, now())`,
      );
  });
  afterAll(() => system.stop());
  const ids = async () => (await listDead(installation)).map(({ service, id }) => `${service} ${id}`);

  test('are listed, dropped one by one, and retried together', async () => {
    expect(await ids()).toEqual(['catalog evt_1', 'catalog evt_2', 'catalog evt_3']);
    await runDead(['drop', 'evt_2'], installation, null);
    expect(await ids()).toEqual(['catalog evt_1', 'catalog evt_3']);
    await runDead(['retry', 'evt_1'], installation, null);
    expect(await ids()).toEqual(['catalog evt_3']);
    await expect(runDead(['retry', 'evt_2'], installation, null)).rejects.toThrow('Nothing dead is evt_2');
    await expect(runDead(['drop', 'all'], installation, null)).rejects.toThrow('Usage:');
    await runDead(['retry', 'all'], installation, null);
    expect(await ids()).toEqual([]);
    // With nothing to do, the hourly run of a timer is not a failure.
    await runDead(['retry', 'all'], installation, null);
  });
});

const isHere = await areServersReachable({ RabbitMQ: amqpUrl }, 'dead queues are');
(isHere ? test : test.skip)('what a subscription gave up goes back to it whole, or is dropped', async () => {
  const namespace = `wbt_${process.env.WAYBILL_TEST_RUN ?? process.pid}_${randomBytes(4).toString('hex')}`;
  const { queue } = subscriptions.identityMail;
  const names = [`${namespace}.${queue}`, `${namespace}.${queue}.dead`] as const;
  const connection = await connect(amqpUrl);
  const channel = await connection.createConfirmChannel();
  for (const name of names)
    await channel.assertQueue(name, { durable: true, arguments: { 'x-queue-type': 'quorum' } });
  const bury = async (id: string) => {
    channel.sendToQueue(names[1], Buffer.from(JSON.stringify({ id })), { headers: { traceparent: id } });
    await channel.waitForConfirms();
  };
  const broker = await openDeadQueues(amqpUrl, namespace);
  const counts = async () => [(await channel.checkQueue(names[0])).messageCount, await broker.count(queue)];
  try {
    await bury('evt_1');
    await bury('evt_2');
    await eventually(async () => (await broker.count(queue)) === 2);
    expect(await broker.retry(queue)).toBe(2);
    await eventually(async () => String(await counts()) === '2,0');
    const message = await channel.get(names[0], { noAck: true });
    expect(message && [String(message.content), message.properties.headers?.traceparent]).toEqual([
      '{"id":"evt_1"}',
      'evt_1',
    ]);
    const shared = JSON.stringify([{ id: 'evt_4' }, { id: 'evt_5' }]);
    channel.sendToQueue(names[1], Buffer.from(shared), { headers: { 'x-waybill-jobs': 2 } });
    await eventually(async () => (await broker.count(queue)) === 1);
    expect(await broker.retry(queue)).toBe(1);
    await eventually(async () => String(await counts()) === '3,0');
    const retried = await Promise.all([1, 2, 3].map(() => channel.get(names[0], { noAck: true })));
    expect(retried.map((each) => each && String(each.content))).toEqual([
      '{"id":"evt_2"}',
      '{"id":"evt_4"}',
      '{"id":"evt_5"}',
    ]);
    await bury('evt_3');
    await eventually(async () => (await broker.count(queue)) === 1);
    expect(await broker.drop(queue)).toBe(1);
    expect(await broker.count('no.such.queue')).toBeNull();
  } finally {
    await broker.close();
    for (const name of names) await channel.deleteQueue(name);
    await connection.close();
  }
});
