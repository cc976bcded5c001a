import { newId } from '@waybill/contracts';
import { eventually, runSql } from '@waybill/testing';
import request from 'supertest';
import { checkoutSettings, newStore, type OrdersSystem, startOrders } from './stores.ts';

let system: OrdersSystem;
beforeAll(async () => {
  system = await startOrders();
});
afterAll(() => system.stop());

async function newOrder(quantities = [3, 2]) {
  const store = newStore(system);
  const { order: placed, token } = await store.place(quantities);
  const { id } = placed;
  const variants: string[] = placed.lineItems.map(({ variantId }: { variantId: string }) => variantId);
  const path = `orders/${id}/returns`;
  await store.send('post', `orders/${id}/payments`);
  return {
    store,
    id,
    variants,
    path,
    line: (at: number, quantity: number, reason?: string) => ({
      variantId: variants[at]!,
      quantity,
      ...(reason && { reason }),
    }),
    create: (body: object) => store.send('post', path, body),
    change: (returnId: string, body: object) => store.send('patch', `${path}/${returnId}`, body),
    refund: (returnId: string, body?: object) => store.send('post', `${path}/${returnId}/refund`, body),
    request: (body: object, by = token) =>
      request(system.internalUrl).post(`/storefront/${store.storeId}/orders/${by}/returns`).send(body),
    returned: () => store.events('orders.units.returned').flatMap(({ data }) => data.items),
  };
}

describe('a return', () => {
  test('of a member is agreed to, received, refunded and closed', async () => {
    const { store, id, variants, path, line, create, change, refund, returned } = await newOrder();
    const created = await create({ lines: [line(0, 2, 'Too small')], note: 'Send it back.' });
    expect(created.status).toBe(201);
    expect(created.body.return).toEqual({
      id: expect.stringMatching(/^ret_/),
      orderId: id,
      kind: 'return',
      lines: [{ variantId: variants[0], quantity: 2, reason: 'Too small' }],
      state: 'approved',
      note: 'Send it back.',
      refundId: null,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    const { id: returnId } = created.body.return;
    for (const state of ['requested', 'declined', 'closed']) {
      expect(await change(returnId, { state })).toMatchObject({
        status: 409,
        body: { code: 'invalid_state' },
      });
    }
    expect((await change(returnId, { state: 'lost' })).body.code).toBe('invalid_body');
    expect((await change(returnId, { state: 'approved' })).body).toEqual(created.body);
    expect((await change(returnId, { state: 'received' })).body.return.state).toBe('received');
    await change(returnId, { state: 'received' });
    const refunded = await refund(returnId);
    expect(refunded).toMatchObject({
      status: 201,
      body: { refund: { amountCents: 2, lines: [{ variantId: variants[0], quantity: 2 }] } },
    });
    expect(await refund(returnId)).toMatchObject({ status: 409, body: { code: 'invalid_state' } });
    expect((await change(returnId, { state: 'closed', note: null })).body.return).toMatchObject({
      state: 'closed',
      note: null,
      refundId: refunded.body.refund.id,
    });
    const list = await store.send('get', path);
    expect(list.body).toMatchObject({ returns: [{ id: returnId, state: 'closed' }], total: 1 });
    await eventually(() => store.events('orders.return.updated').length === 4);
    expect(returned()).toEqual([{ variantId: variants[0], quantity: 2 }]);
  });

  test('never has more units than were bought, unless some were declined', async () => {
    const { line, create, request, change } = await newOrder();
    const declined = await request({ lines: [line(0, 3)] });
    expect(declined).toMatchObject({ status: 201, body: { return: { state: 'requested' } } });
    expect((await create({ lines: [line(0, 1)] })).body.code).toBe('invalid_quantity');
    await change(declined.body.return.id, { state: 'declined' });
    expect((await change(declined.body.return.id, { state: 'approved' })).body.code).toBe('invalid_state');
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => create({ lines: [line(0, 1), line(0, 1)] })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect((await create({ lines: [{ variantId: newId('variant'), quantity: 1 }] })).status).toBe(404);
    for (const lines of [[], undefined, [line(0, 0)]]) {
      expect((await create({ lines })).body.code).toBe('invalid_body');
    }
  });

  test('is received and refunded once, even with simultaneous requests', async () => {
    const { store, id, variants, line, create, change, refund, returned } = await newOrder();
    const { id: returnId } = (await create({ lines: [line(0, 2), line(1, 1)] })).body.return;
    await Promise.all(Array.from({ length: 8 }, () => change(returnId, { state: 'received' })));
    const refunds = await Promise.all(Array.from({ length: 8 }, () => refund(returnId)));
    expect(refunds.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
    const { order } = (await store.send('get', `orders/${id}`)).body;
    expect(order).toMatchObject({ refundedCents: 3, payment: 'partially_refunded' });
    await store.patch(id, { status: 'cancelled' });
    await eventually(() => store.events('orders.order.cancelled').length === 1);
    expect(returned()).toEqual([
      { variantId: variants[0], quantity: 2 },
      { variantId: variants[1], quantity: 1 },
    ]);
    // Units that went back to stock before are not put back again.
    expect(store.events('orders.order.cancelled')[0]!.data.items).toEqual([
      { variantId: variants[0], quantity: 1 },
      { variantId: variants[1], quantity: 1 },
    ]);
  });

  test('that was not approved is not refunded, and a cancelled order cannot be returned', async () => {
    const { store, id, line, create, request, refund } = await newOrder();
    const requested = (await request({ lines: [line(0, 1)], kind: 'withdrawal' })).body.return;
    expect(requested).toMatchObject({ kind: 'withdrawal', state: 'requested' });
    expect((await refund(requested.id)).body.code).toBe('invalid_state');
    await store.patch(id, { status: 'cancelled' });
    expect((await create({ lines: [line(1, 1)] })).body.code).toBe('invalid_state');
    expect((await request({ lines: [line(1, 1)] })).body.code).toBe('invalid_state');
  });

  test('is listed with those of other orders, newest first, filtered by state', async () => {
    const { store, line, create, change, request } = await newOrder();
    const requested = (await request({ lines: [line(0, 1)] })).body.return;
    const agreed = (await create({ lines: [line(1, 1)] })).body.return;
    const next = await store.place([1]);
    const lines = [{ variantId: next.order.lineItems[0].variantId, quantity: 1 }];
    const other = (await store.send('post', `orders/${next.order.id}/returns`, { lines })).body.return;
    const list = async (query = '') => (await store.send('get', `returns${query}`)).body;
    const listIds = async (query?: string) => (await list(query)).returns.map(({ id }: { id: string }) => id);
    expect(await listIds()).toEqual([other.id, agreed.id, requested.id]);
    expect(await listIds('?state=approved')).toEqual([other.id, agreed.id]);
    expect(await list('?state=requested')).toMatchObject({ total: 1, returns: [requested] });
    await change(requested.id, { state: 'approved' });
    expect(await list('?state=requested')).toMatchObject({ total: 0, returns: [] });
    const first = await list('?limit=2');
    expect(first.returns).toHaveLength(2);
    expect(await listIds(`?limit=2&after=${first.nextCursor}`)).toEqual([requested.id]);
    expect((await store.sendAs(['products.read'], 'get', 'returns')).status).toBe(403);
    expect((await newStore(system).send('get', 'returns')).body.total).toBe(0);
  });

  test('is one store’s, and needs the permissions of orders', async () => {
    const { store, path, line, create } = await newOrder();
    const { id } = (await create({ lines: [line(0, 1)] })).body.return;
    const other = newStore(system);
    for (const below of ['', `/${id}`]) expect((await other.send('get', path + below)).status).toBe(404);
    expect((await other.send('patch', `${path}/${id}`, { note: 'x' })).status).toBe(404);
    expect((await other.send('post', `${path}/${id}/refund`)).status).toBe(404);
    for (const below of ['', `/${id}/refund`]) {
      expect((await store.sendAs(['orders.read'], 'post', path + below, {})).status).toBe(403);
    }
  });
});

describe('a shopper requests a return', () => {
  const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  const setOrder = (id: string, days: number) =>
    runSql(system, 'orders', `update "order" set created_at = '${ago(days)}' where id = '${id}'`);
  const setSent = (id: string, column: 'created_at' | 'delivered_at', days: number) =>
    runSql(system, 'orders', `update fulfillment set ${column} = '${ago(days)}' where order_id = '${id}'`);

  test('within so many days of delivery, else of shipment, else of the order', async () => {
    const { store, id, line, request } = await newOrder([9]);
    const ask = async () => (await request({ lines: [line(0, 1)] })).body.code ?? 'made';
    await setOrder(id, 13.9);
    expect(await ask()).toBe('made');
    await setOrder(id, 14.1);
    expect(await ask()).toBe('return_window_closed');
    const sent = (await store.send('post', `orders/${id}/fulfillments`)).body.fulfillment;
    expect(await ask()).toBe('made');
    await setSent(id, 'created_at', 14.1);
    expect(await ask()).toBe('return_window_closed');
    await store.send('patch', `orders/${id}/fulfillments/${sent.id}`, { status: 'delivered' });
    expect(await ask()).toBe('made');
    await setSent(id, 'delivered_at', 14.1);
    expect(await ask()).toBe('return_window_closed');
    checkoutSettings.set(store.storeId, { returnDays: 30 });
    expect(await ask()).toBe('made');
    checkoutSettings.set(store.storeId, { returnDays: 0 });
    const refused = await request({ lines: [line(0, 1)] });
    expect(refused).toMatchObject({ status: 422, body: { code: 'return_window_closed' } });
  });

  test('of each unit within the period of its own parcel', async () => {
    const { store, id, line, request } = await newOrder([5]);
    await setOrder(id, 20);
    const lines = [line(0, 1)];
    const send = async () => (await store.send('post', `orders/${id}/fulfillments`, { lines })).body;
    await send();
    await setSent(id, 'created_at', 20);
    const { fulfillment } = await send();
    const ask = async (quantity: number) =>
      (await request({ lines: [line(0, quantity)] })).body.code ?? 'made';
    expect(await ask(2)).toBe('return_window_closed');
    expect(await ask(1)).toBe('made');
    // The one parcel whose period is open has been returned; the order itself is as old as the first parcel.
    expect(await ask(1)).toBe('return_window_closed');
    await setOrder(id, 1);
    expect(await ask(4)).toBe('return_window_closed');
    expect(await ask(3)).toBe('made');
    expect(await ask(1)).toBe('return_window_closed');
    await store.send('patch', `orders/${id}/fulfillments/${fulfillment.id}`, { status: 'delivered' });
    expect(await ask(1)).toBe('return_window_closed');
    expect(await ask(5)).toBe('return_window_closed');
  });

  test('only with the token of the order', async () => {
    const { line, request } = await newOrder();
    const elsewhere = await newOrder();
    for (const token of ['x', 'a'.repeat(26), `${'0'.repeat(26)}-${'a'.repeat(22)}`]) {
      expect((await request({ lines: [line(0, 1)] }, token)).status).toBe(404);
    }
    expect((await elsewhere.request({ lines: [line(0, 1)] })).status).toBe(404);
  });
});
