import { newId, type Principal, type Role } from '@waybill/contracts';
import { eventually, runSql } from '@waybill/testing';
import request from 'supertest';
import { lookUp, newStore, type OrdersSystem, startOrders } from './stores.ts';

let system: OrdersSystem;
beforeAll(async () => {
  system = await startOrders({ STOREFRONT_ORDERS_PER_MINUTE: '1', RATE_LIMIT_BURST: '1' });
});
afterAll(() => system.stop());

const createBody = (quantity: number) => ({
  items: [{ variantId: newId('variant'), quantity }],
  customer: { name: 'Bob', email: 'Bob@Example.com' },
});

const userId = newId('user');

async function place(storeId: string, body: object, key?: string, role: Role = 'editor', as = userId) {
  const member: Principal = { kind: 'user', userId: as, email: 'a@example.com', storeId, role };
  const call = request(system.internalUrl)
    .post(`/api/stores/${storeId}/orders`)
    .set(await system.as(member));
  return (key === undefined ? call : call.set('idempotency-key', key)).send(body);
}

describe('an order that a member places', () => {
  test('is an ordinary order, with an event', async () => {
    const store = newStore(system);
    const { status, body } = await place(store.storeId, createBody(700));
    expect([status, body.order.totalCents, body.order.customer.email]).toEqual([201, 700, 'bob@example.com']);
    expect((await store.send('get', `orders/${body.order.id}`)).body).toEqual(body);
    await eventually(() => store.events('orders.order.created').length > 0);
    expect(store.events('orders.order.created').map(({ data }) => data)).toEqual([body]);
  });

  test('is one for each request without a key, and one for each key', async () => {
    const { storeId } = newStore(system);
    const body = createBody(1);
    const placeAndGetNumber = async (key?: string) => (await place(storeId, body, key)).body.order.number;
    expect([
      await placeAndGetNumber(),
      await placeAndGetNumber(),
      await placeAndGetNumber('a'),
      await placeAndGetNumber('a'),
    ]).toEqual([1, 2, 3, 3]);
    expect(await place(storeId, createBody(1), 'a')).toMatchObject({
      status: 422,
      body: { code: 'idempotency_key_reused' },
    });
    expect((await place(storeId, body, 'x'.repeat(256))).body.code).toBe('invalid_idempotency_key');
  });

  test('is marked as replayed also where the first request ends while the second one runs', async () => {
    const { storeId } = newStore(system);
    const body = createBody(1);
    const first = await place(storeId, body, 'race');
    const sql = (text: string) => runSql(system, 'orders', text);
    // Simulates a first request that has not ended when the second one looks for its answer.
    await sql('create table not_yet as select * from idempotent_answer');
    await sql('delete from idempotent_answer');
    lookUp.waits = async () => {
      lookUp.waits = null;
      await sql('insert into idempotent_answer select * from not_yet');
    };
    const second = await place(storeId, body, 'race');
    await sql('drop table not_yet');
    expect([first.status, second.status, second.text]).toEqual([201, 201, first.text]);
    expect(second.headers['idempotent-replayed']).toBe('true');
  });

  test('is a different request for another member who sends the same key', async () => {
    const { storeId } = newStore(system);
    const body = createBody(1);
    const first = await place(storeId, body, 'shared');
    const other = await place(storeId, body, 'shared', 'editor', newId('user'));
    expect([first.body.order.number, other.body.order.number]).toEqual([1, 2]);
    expect((await place(storeId, body, 'shared')).headers['idempotent-replayed']).toBe('true');
  });

  test('does not collide with a shopper’s equal key', async () => {
    const { storeId } = newStore(system);
    const body = createBody(1);
    const placed = await place(storeId, body, 'a');
    const shopped = await request(system.internalUrl)
      .post(`/storefront/${storeId}/orders`)
      .set('idempotency-key', 'a')
      .send(body);
    expect([shopped.status, shopped.body.order.number]).toEqual([201, 2]);
    expect(placed.body.order.number).toBe(1);
  });

  test('needs orders.write, and 405 names the methods of the resource', async () => {
    const { storeId } = newStore(system);
    expect((await place(storeId, createBody(1), undefined, 'viewer')).body.code).toBe('insufficient_role');
    const put = await request(system.internalUrl).put(`/api/stores/${storeId}/orders`);
    expect(put.headers.allow?.split(', ').sort()).toEqual(['GET', 'HEAD', 'POST']);
  });
});
