import { setTimeout as sleep } from 'node:timers/promises';
import { type AuditEntry, newId, type Order, StoreChanged } from '@waybill/contracts';
import { createLog, createWriteContext } from '@waybill/kernel';
import { eventually, openTestDatabase, runSql } from '@waybill/testing';
import request from 'supertest';
import type { Context } from '../src/config.ts';
import { expiryTask, onStoreChanges } from '../src/expiry/expiry.ts';
import { listExpired } from '../src/expiry/queries.ts';
import type { Tables } from '../src/tables.ts';
import { newStore, type OrdersSystem, startOrders } from './stores.ts';

let system: OrdersSystem;
beforeAll(async () => {
  system = await startOrders();
});
afterAll(() => system.stop());

/** Creates the context in which another copy of the service would run the task. */
async function openCopy() {
  const db = await openTestDatabase<Tables>(system.databaseUrl('orders'), 2);
  const write: Context['write'] = (work) =>
    db.transaction().execute((trx) => work(createWriteContext(trx, () => {})));
  const turn = expiryTask({ db, write, log: createLog('silent') } as Context);
  /** Runs the task as the service does, turn after turn while there may be more. */
  async function expire(): Promise<void> {
    while (await turn());
  }
  return { db, expire, close: () => db.destroy() };
}

/** Returns identity's event about a store. */
function createStoreEvent(storeId: string, expireManualAfterDays: number | null, updatedAt: string) {
  const store = { id: storeId, name: 'S', slug: 's', currency: 'EUR', updatedAt };
  // One minute for payments at a provider, which this test does not use.
  const checkout = { maxQuantity: 999, expireUnpaidAfterMinutes: 1, expireManualAfterDays };
  const data = JSON.stringify(expireManualAfterDays === null ? { store } : { store, checkout });
  return { id: newId('event'), name: StoreChanged.name, storeId, createdAt: updatedAt, data };
}

/** Creates a store with expired orders, and a function that lists the orders in its events. */
async function storeWithExpired(count: number) {
  const store = newStore(system);
  const orders: Order[] = [];
  for (let i = 0; i < count; i++) orders.push(await store.order(1 + i));
  const age = `update "order" set created_at = now() - interval '2 days' where store_id = '${store.storeId}'`;
  await runSql(system, 'orders', age);
  const tellings = (name: string) =>
    store
      .events(name)
      .map(({ data }) => data.orderId ?? data.order.id)
      .sort();
  return { ...store, ids: orders.map(({ id }) => id).sort(), tellings };
}

test('several replicas cancel each order once, in batches, with one event each', async () => {
  const copies = await Promise.all(Array.from({ length: 4 }, openCopy));
  const store = await storeWithExpired(30);
  await onStoreChanges(copies[0]!.db, [createStoreEvent(store.storeId, 1, '2026-01-01T00:00:00.000Z')]);
  await Promise.all(copies.map(({ expire }) => expire()));
  // The relay of the running service publishes the events that the copies committed.
  await eventually(() => store.tellings('orders.order.cancelled').length >= 30);
  expect((await store.send('get', 'orders?status=cancelled&limit=1')).body.total).toBe(30);
  expect((await store.send('get', 'orders?status=open&limit=1')).body.total).toBe(0);
  await Promise.all(copies.map(({ expire }) => expire()));
  await eventually(() => store.tellings('orders.order.updated').length >= 30);
  expect(store.tellings('orders.order.cancelled')).toEqual(store.ids);
  expect(store.tellings('orders.order.updated')).toEqual(store.ids);
  const audited = await request(system.internalUrl)
    .post('/internal/audit/orders')
    .set('authorization', `Bearer ${system.serviceToken}`)
    .send({ ownerId: store.storeId, actor: 'system', action: 'order.cancelled', limit: 100 });
  const entries: AuditEntry[] = audited.body.entries;
  expect(entries.map(({ target }) => target.id).sort()).toEqual(store.ids);
  await Promise.all(copies.map(({ close }) => close()));
});

test('killed replicas leave no partial work', async () => {
  const copies = await Promise.all(Array.from({ length: 3 }, openCopy));
  const store = await storeWithExpired(40);
  await onStoreChanges(copies[0]!.db, [createStoreEvent(store.storeId, 1, '2026-01-01T00:00:00.000Z')]);
  const killed = `select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'waybill-copy' and datname = current_database()`;
  const running = Promise.allSettled(copies.map(({ expire }) => expire()));
  for (let i = 0; i < 5; i++) {
    await sleep(8);
    await runSql(system, 'orders', killed);
  }
  await running;
  await eventually(async () => {
    await copies[0]!.expire();
    return (await store.send('get', 'orders?status=cancelled&limit=1')).body.total === 40;
  });
  await eventually(() => store.tellings('orders.order.cancelled').length >= 40);
  await eventually(() => store.tellings('orders.order.updated').length >= 40);
  expect(store.tellings('orders.order.cancelled')).toEqual(store.ids);
  expect(store.tellings('orders.order.updated')).toEqual(store.ids);
  await Promise.all(copies.map(({ close }) => close()));
});

test('a store with very many of them does not delay others', async () => {
  const { db, close } = await openCopy();
  const [many, few] = [await storeWithExpired(60), await storeWithExpired(1)];
  const each = [many, few].map(({ storeId }) => createStoreEvent(storeId, 1, '2026-01-01T00:00:00.000Z'));
  // A single transaction keeps the running service from cancelling them first.
  const first = await db.transaction().execute(async (trx) => {
    await onStoreChanges(trx, each);
    return listExpired(trx, 60, 20);
  });
  expect(first.filter(({ storeId }) => storeId === many.storeId)).toHaveLength(20);
  expect(first.map(({ orderId }) => orderId)).toEqual(expect.arrayContaining(few.ids));
  await close();
});

test('orders that cannot be cancelled do not delay others of their store', async () => {
  const { db, expire, close } = await openCopy();
  const store = await storeWithExpired(22);
  const stuck = store.ids.slice(0, 20);
  // One by one, as Citus sends each to all servers.
  for (const statement of [
    `create function refuse() returns trigger language plpgsql as 'begin raise exception ''refused''; end'`,
    `create trigger stuck before update on "order" for each row
     when (old.id in (${stuck.map((id) => `'${id}'`)})) execute function refuse()`,
  ])
    await runSql(system, 'orders', statement);
  await onStoreChanges(db, [createStoreEvent(store.storeId, 1, '2026-01-01T00:00:00.000Z')]);
  for (let turn = 0; turn < 2; turn++) await expire();
  expect((await store.send('get', 'orders?status=open&limit=1')).body.total).toBe(20);
  await runSql(system, 'orders', 'drop trigger stuck on "order"');
  await runSql(system, 'orders', 'drop function refuse()');
  await close();
});

test('the newest setting applies, in any order of events; never is the default', async () => {
  const { db, expire, close } = await openCopy();
  const store = await storeWithExpired(1);
  const open = async () => (await store.send('get', 'orders?status=open')).body.total;
  const [older, newer] = ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.001Z'];
  await expire();
  expect(await open()).toBe(1);
  await onStoreChanges(db, [
    createStoreEvent(store.storeId, 0, newer),
    createStoreEvent(store.storeId, 1, older),
  ]);
  await expire();
  expect(await open()).toBe(1);
  // Older versions of identity sent events without settings.
  await onStoreChanges(db, [createStoreEvent(store.storeId, null, '2026-01-01T00:00:00.002Z')]);
  await onStoreChanges(db, [createStoreEvent(store.storeId, 3, '2026-01-01T00:00:00.003Z')]);
  await expire();
  expect(await open()).toBe(1);
  await onStoreChanges(db, [createStoreEvent(store.storeId, 1, '2026-01-01T00:00:00.004Z')]);
  await expire();
  expect(await open()).toBe(0);
  await close();
});

test('the minutes of a copy of the version before count as whole days, never sooner', async () => {
  const { db, close } = await openCopy();
  const { storeId } = newStore(system);
  const event = createStoreEvent(storeId, 1, '2026-01-01T00:00:00.000Z');
  const { store } = JSON.parse(event.data);
  const tell = (minutes: number, at: string) =>
    onStoreChanges(db, [
      {
        ...event,
        data: JSON.stringify({
          store: { ...store, updatedAt: at },
          checkout: { maxQuantity: 999, expireUnpaidAfterMinutes: minutes },
        }),
      },
    ]);
  const days = async () => {
    const row = await db
      .selectFrom('checkout_setting')
      .select('expire_manual_after_days')
      .where('store_id', '=', storeId)
      .executeTakeFirst();
    return row?.expire_manual_after_days;
  };
  const found: unknown[] = [];
  for (const [i, minutes] of [0, 1, 1440, 1441].entries()) {
    await tell(minutes, `2026-01-01T00:00:00.00${i}Z`);
    found.push(await days());
  }
  expect(found).toEqual([0, 1, 1, 2]);
  await close();
});
