import { eventually, runSql } from '@waybill/testing';
import request from 'supertest';
import { newStore, type OrdersSystem, startOrders } from './stores.ts';

let system: OrdersSystem;
beforeAll(async () => {
  system = await startOrders();
});
afterAll(() => system.stop());

async function newOrder() {
  const store = newStore(system);
  const { order } = await store.place([3]);
  const lines = [{ variantId: order.lineItems[0].variantId, quantity: 1 }];
  await store.send('post', `orders/${order.id}/payments`);
  return {
    lines,
    patch: (change: object) => store.patch(order.id, change),
    send: (method: 'post' | 'patch', path: string, body: object) =>
      store.send(method, `orders/${order.id}/${path}`, body),
    /** Whether the customer is mailed about each change that events report, in the order of the changes. */
    async mailedChanges(kind: 'return' | 'fulfillment', count: number): Promise<boolean[]> {
      const events = await eventually(() => {
        const found = ['created', 'updated'].flatMap((verb) => store.events(`orders.${kind}.${verb}`));
        return found.length === count ? found : null;
      });
      const changes = events.map(({ data }) => data[kind]);
      // Events may arrive in any order.
      changes.sort((a, b) => Date.parse(a.updatedAt) - Date.parse(b.updatedAt));
      const orders = changes.map(({ id, updatedAt: at }) => ({
        storeId: store.storeId,
        orderId: order.id,
        part: { kind, id, at },
      }));
      const { body } = await request(system.internalUrl)
        .post('/internal/mailed-orders')
        .set('authorization', `Bearer ${system.serviceToken}`)
        .send({ orders });
      return body.orders.map(({ notifies }: { notifies: boolean }) => notifies);
    },
  };
}

test('each change of a return decides about its own mail, regardless of later changes', async () => {
  const { lines, send, mailedChanges } = await newOrder();
  const { id } = (await send('post', 'returns', { lines })).body.return;
  await send('patch', `returns/${id}`, { note: 'Only for us.', notify: false });
  await send('patch', `returns/${id}`, { state: 'received' });
  expect((await send('post', `returns/${id}/refund`, {})).status).toBe(201);
  await send('patch', `returns/${id}`, { state: 'closed', notify: false });
  expect(await mailedChanges('return', 5)).toEqual([true, false, true, false, false]);
});

test('a fulfilment is mailed when it is sent and when it is delivered, once each', async () => {
  const { send, mailedChanges } = await newOrder();
  const { id } = (await send('post', 'fulfillments', {})).body.fulfillment;
  await send('patch', `fulfillments/${id}`, { trackingNumber: '1', notify: false });
  await send('patch', `fulfillments/${id}`, { status: 'delivered' });
  await send('patch', `fulfillments/${id}`, { trackingNumber: '2' });
  expect(await mailedChanges('fulfillment', 4)).toEqual([true, false, true, false]);
});

test('a fulfilment that is sent in silence stays so when its tracking changes', async () => {
  const { send, mailedChanges } = await newOrder();
  const { id } = (await send('post', 'fulfillments', { notify: false })).body.fulfillment;
  await send('patch', `fulfillments/${id}`, { trackingNumber: '1' });
  await send('patch', `fulfillments/${id}`, { status: 'delivered', notify: false });
  expect(await mailedChanges('fulfillment', 3)).toEqual([false, false, false]);
});

test.each([
  { case: 'earlier', changes: [{ status: 'cancelled' }, { fulfillment: 'fulfilled' }] },
  { case: 'by the same change', changes: [{ status: 'cancelled', fulfillment: 'fulfilled' }] },
])('an order that was cancelled $case is noted as sent in silence', async ({ changes }) => {
  const { patch, mailedChanges } = await newOrder();
  for (const change of changes) expect((await patch(change)).status).toBe(200);
  expect(await mailedChanges('fulfillment', 1)).toEqual([false]);
});

test('a return from before changes were recorded follows its last one', async () => {
  const { lines, send, mailedChanges } = await newOrder();
  const { id } = (await send('post', 'returns', { lines })).body.return;
  await runSql(system, 'orders', `update order_return set mailed_changes = null where id = '${id}'`);
  expect(await mailedChanges('return', 1)).toEqual([true]);
  await send('patch', `returns/${id}`, { note: 'Hm.', notify: false });
  expect(await mailedChanges('return', 2)).toEqual([true, false]);
});
