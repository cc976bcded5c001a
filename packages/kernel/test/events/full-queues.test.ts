import { setTimeout as sleep } from 'node:timers/promises';
import { CustomerDeleted, type EventMessage, newId, ProductDeleted } from '@waybill/contracts';
import { cloneDatabases, dropDatabases, eventually, serverUrl } from '@waybill/testing';
import type { Kysely } from 'kysely';
import Type from 'typebox';
import { startRelay } from '../../src/events/relay.ts';
import { createLog, defineConfig, defineService, emit, openDatabase } from '../../src/index.ts';
import { amqpUrl, describeWith } from '../drivers-servers.ts';
import { createNamespace, type TestNamespace } from './rabbitmq-namespace.ts';

const service = defineService({
  name: 'crowded',
  config: defineConfig(Type.Object({})),
  migrations: new URL('../db/fixture-migrations/', import.meta.url),
  aggregates: [],
});
const databases = `wbt_${process.env.WAYBILL_TEST_RUN}_full`;
const describeWithRabbitmq = await describeWith('RabbitMQ', amqpUrl);

describeWithRabbitmq('a queue that is full', () => {
  let db: Kysely<unknown>;
  let namespace: TestNamespace;
  beforeAll(async () => {
    await cloneDatabases([service], databases);
    const { href: url } = new URL(`/${databases}_crowded`, serverUrl);
    db = openDatabase({ service: 'crowded', url, poolSize: 6 });
    namespace = await createNamespace();
  });
  afterAll(async () => {
    await db.destroy();
    await dropDatabases(databases);
    await namespace.remove();
  });

  const removeProduct = () =>
    db.transaction().execute(async (trx) => {
      const product = { id: newId('product'), number: 1, slug: 'x'.repeat(10_000) };
      await emit(trx, ProductDeleted, 'str_1', { product });
    });

  test('delays no other events, is not retried again and again, and gets all events once it has room', async () => {
    const [stuck, open] = ['suite.stuck', 'suite.open'];
    const names = [ProductDeleted.name];
    const bus = namespace.bus({ bounds: { eventBytes: 100_000 }, subscriptions: [{ queue: stuck, names }] });
    const subscribers = namespace.bus();
    /** How often each subscriber received each event. */
    const came = { open: new Map<string, number>(), stuck: new Map<string, number>() };
    const note = (who: keyof typeof came) => async (events: EventMessage[]) => {
      for (const { id } of events) came[who].set(id, (came[who].get(id) ?? 0) + 1);
    };
    const copies = () => [...came.open.values()].reduce((sum, count) => sum + count, 0);
    await subscribers.subscribe({
      queue: open,
      names: [...names, CustomerDeleted.name],
      batch: 50,
      handle: note('open'),
    });
    const relay = startRelay({ db, bus, service: 'crowded', log: createLog('silent'), pollMs: 200 });
    // More than a batch of events for which the queue has no room, and then one that it does not want.
    for (let i = 0; i < 300; i++) await removeProduct();
    await eventually(() => came.open.size === 300);
    await db
      .transaction()
      .execute((trx) => emit(trx, CustomerDeleted, 'str_1', { customer: { id: newId('customer') } }));
    await eventually(() => came.open.size === 301);
    // One event probes after one second, two and four: twenty looks of the relay.
    const before = copies();
    await sleep(4_000);
    expect(copies() - before).toBeLessThanOrEqual(3);
    await removeProduct();
    await eventually(() => came.open.size === 302);

    await subscribers.subscribe({ queue: stuck, names, batch: 50, handle: note('stuck') });
    await eventually(() => came.stuck.size === 301, { withinMs: 20_000 });
    // Each event once, once again for the other queue, and the probes in between.
    expect(copies()).toBeLessThanOrEqual(2 * 302 + 30);
    await relay.stop();
    for (const each of [subscribers, bus]) {
      await each.stop();
      await each.close();
    }
  });
});
