import { newId, type Order } from '@waybill/contracts';
import { eventually, runSql } from '@waybill/testing';
import request from 'supertest';
import { newStore, type OrdersSystem, startOrders } from './stores.ts';

let system: OrdersSystem;
beforeAll(async () => {
  system = await startOrders();
});
afterAll(() => system.stop());

const body = {
  items: [{ variantId: newId('variant'), quantity: 3 }],
  customer: { name: 'Bob Ross', email: 'bob@example.com', phone: '+41 1' },
};
const place = (storeId: string, key: string) =>
  request(system.internalUrl)
    .post(`/storefront/${storeId}/orders`)
    .set('idempotency-key', key)
    .send(body)
    .then(({ body: answer }): { order: Order; token: string } => answer);
const look = (storeId: string, token: string) =>
  request(system.internalUrl).get(`/storefront/${storeId}/orders/${token}`);

test('whoever placed an order sees it again by its token, without who placed it', async () => {
  const { storeId } = newStore(system);
  const { order, token } = await place(storeId, 'once');
  expect(token).toMatch(/^[0-9a-z]{26}-[\w-]{22}$/);
  // Repeating the request returns the same token; another order has another one.
  expect(await place(storeId, 'once')).toEqual({ order, token, payment: null });
  expect((await place(storeId, 'twice')).token.slice(-22)).not.toBe(token.slice(-22));

  const { status, body: seen } = await look(storeId, token);
  const {
    id: _id,
    customerId: _customerId,
    customer: _customer,
    vatId: _vatId,
    customFields: _customFields,
    updatedAt: _updatedAt,
    ...shown
  } = order;
  expect([status, seen]).toEqual([200, { order: shown, payment: null }]);
  expect(JSON.stringify(seen)).not.toMatch(/bob|ross|\+41/i);
});

test('an id, another order’s secret, another store and an older order do not open it', async () => {
  const { storeId } = newStore(system);
  const [one, other] = [await place(storeId, 'one'), await place(storeId, 'other')];
  const digits = one.order.id.slice(4);
  const guesses = [
    one.order.id,
    digits,
    `${digits}-${other.token.slice(27)}`,
    `${digits}-${'A'.repeat(22)}`,
    `${one.token}A`,
    '%00',
    encodeURIComponent(`${digits}-' or true --`),
  ];
  for (const guess of guesses) expect((await look(storeId, guess)).status).toBe(404);
  expect((await look(newStore(system).storeId, one.token)).status).toBe(404);
  await runSql(system, 'orders', `update "order" set secret_hashes = null where id = '${one.order.id}'`);
  for (const guess of [one.token, `${digits}-`, `${digits}-null`])
    expect((await look(storeId, guess)).status).toBe(404);
});

test('is stored only as a hash, and older plain-text ones continue to work', async () => {
  const { storeId } = newStore(system);
  const { order, token } = await place(storeId, 'hashed');
  const sql = (text: string) => runSql(system, 'orders', text);
  const secret = token.slice(27);
  const mailed = async () =>
    (
      await request(system.internalUrl)
        .post('/internal/receipts/of-orders')
        .set('authorization', `Bearer ${system.serviceToken}`)
        .send({ orders: [{ storeId, orderId: order.id }] })
    ).body.receipts[0].token;
  /** Whether the row of the order contains this text: the statement fails if it does. */
  const isStored = (text: string) =>
    sql(`select 1 / (position('${text}' in o::text) = 0)::int from "order" o where id = '${order.id}'`).then(
      () => false,
      () => true,
    );
  expect(await isStored(order.id)).toBe(true);
  expect(await isStored(secret)).toBe(false);
  expect(await mailed()).toBe(token);

  // Restores the form that an earlier version wrote.
  const old = 'Zm9vYmFyYmF6cXV4MTIzNA';
  await sql(`update "order" set secret = '${old}', secret_hashes = null where id = '${order.id}'`);
  const oldToken = `${order.id.slice(4)}-${old}`;
  expect((await look(storeId, oldToken)).status).toBe(200);
  expect((await look(storeId, token)).status).toBe(404);
  await system.restart();
  await eventually(async () => !(await isStored(old)));
  expect((await look(storeId, oldToken)).status).toBe(200);
  // Mails contain another address, and the one that was sent before stays valid.
  expect((await look(storeId, await mailed())).status).toBe(200);
  expect((await look(storeId, oldToken)).status).toBe(200);
  expect(await place(storeId, 'hashed')).toMatchObject({ token: await mailed() });
});

test('the customer sees the payment address once a payment app has reported it', async () => {
  const store = newStore(system);
  const { order, token } = await place(store.storeId, 'paid');
  expect(order).not.toHaveProperty('paymentUrl');
  const paymentUrl = 'https://pay.example/o/1?x=%20';
  const setLink = (url: unknown) => store.send('put', `orders/${order.id}/payment-link`, { url });
  const changed = await setLink(paymentUrl);
  expect([changed.status, changed.body.order.paymentUrl]).toEqual([200, paymentUrl]);
  expect((await look(store.storeId, token)).body.order.paymentUrl).toBe(paymentUrl);
  // Other changes do not affect the link.
  expect((await store.patch(order.id, { payment: 'paid' })).body.order.paymentUrl).toBe(paymentUrl);
  const disguised = ['https://user:pw@pay.example/', 'https://bank.example@pay.example/'];
  for (const wrong of ['javascript:alert(1)', 'http://pay.example/', 'pay', '', 5, ...disguised]) {
    const refused = await setLink(wrong);
    expect([refused.status, refused.body.details[0].pointer]).toEqual([400, '/url']);
  }
  // PATCH changes only the contract's three fields.
  expect(await store.patch(order.id, { paymentUrl })).toMatchObject({
    status: 400,
    body: { code: 'invalid_body', details: [{ pointer: '/paymentUrl' }] },
  });
  const taken = await setLink(null);
  expect(taken.body.order).not.toHaveProperty('paymentUrl');
});
