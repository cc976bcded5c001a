import { newId, type Permission, type Principal, permissions, rolePermissions } from '@waybill/contracts';
import { eventually, keptConnections, runSql, shiftTimes } from '@waybill/testing';
import request from 'supertest';
import { checkoutSettings, newStore, type OrdersSystem, startOrders } from './stores.ts';

let system: OrdersSystem;
beforeAll(async () => {
  system = await startOrders();
});
afterAll(() => system.stop());

/** Creates a paid order of several variants whose units cost one cent each. */
async function newOrder(quantities = [600, 300], { isPaid = true } = {}) {
  const store = newStore(system);
  const placed = await store.orderOf(quantities);
  const { id, customerId } = placed;
  const variants: string[] = placed.lineItems.map(({ variantId }: { variantId: string }) => variantId);
  const path = `orders/${id}/refunds`;
  if (isPaid) await store.send('post', `orders/${id}/payments`);
  const readOrder = async () => (await store.send('get', `orders/${id}`)).body.order;
  return {
    store,
    id,
    customerId,
    variants,
    path,
    readOrder,
    money: async () => {
      const { payment, paidCents, refundedCents } = await readOrder();
      return [payment, paidCents, refundedCents];
    },
    refunded: async () =>
      (await readOrder()).lineItems.map((line: { refundedQuantity: number }) => line.refundedQuantity),
    list: async () => (await store.send('get', path)).body.refunds,
    refund: (body: object, headers?: Record<string, string>) => store.send('post', path, body, headers),
    line: (at: number, quantity: number, restock?: boolean) => ({
      variantId: variants[at]!,
      quantity,
      ...(restock !== undefined && { restock }),
    }),
    returned: () => store.events('orders.units.returned').flatMap(({ data }) => data.items),
  };
}

describe('a refund', () => {
  test('of lines returns what was paid for them, from the newest payment first', async () => {
    const { store, id, variants, path, money, refund, refunded, line, list } = await newOrder([600, 300], {
      isPaid: false,
    });
    const older = (await store.send('post', `orders/${id}/payments`, { amountCents: 500 })).body.payment;
    const newer = (await store.send('post', `orders/${id}/payments`)).body.payment;
    const first = await refund({ lines: [line(0, 450), line(0, 50)], reason: 'Stale' });
    expect(first.status).toBe(201);
    expect(first.body.refund).toEqual({
      id: expect.stringMatching(/^rfd_/),
      orderId: id,
      amountCents: 500,
      taxCents: 0,
      shippingCents: 0,
      lines: [{ variantId: variants[0], quantity: 500, restock: false, amountCents: 500, taxCents: 0 }],
      reason: 'Stale',
      state: 'done',
      createdAt: expect.any(String),
    });
    expect(await money()).toEqual(['partially_refunded', 900, 500]);
    expect(await refunded()).toEqual([500, 0]);
    const payment = async (paymentId: string) =>
      (await store.send('get', `payments/${paymentId}`)).body.payment;
    expect([await payment(older.id), await payment(newer.id)]).toMatchObject([
      { status: 'partially_refunded', refundedCents: 100 },
      { status: 'refunded', refundedCents: 400 },
    ]);
    expect(await refund({ lines: [line(0, 101)] })).toMatchObject({
      status: 409,
      body: { code: 'invalid_quantity', maximumQuantity: 100 },
    });
    for (const variantId of [newId('variant'), 'var_unknown'])
      expect(await refund({ lines: [{ variantId, quantity: 1 }] })).toMatchObject({
        status: 404,
        body: { code: 'not_found' },
      });
    const one = await store.send('get', `${path}/${first.body.refund.id}`);
    expect(one.body).toEqual(first.body);
    expect(await list()).toEqual([first.body.refund]);
    await eventually(() => store.events('orders.refund.created').length === 1);
    expect(store.events('orders.refund.created')[0]!.data).toEqual(first.body);
    await eventually(() =>
      store
        .events('orders.order.updated')
        .some(({ data }) => data.order.lineItems[0].refundedQuantity === 500),
    );
  });

  test('whose answer a crash has lost is made once, under its key', async () => {
    const { store, refund, list, money } = await newOrder();
    const again = { 'idempotency-key': 'refund-1' };
    const first = await refund({ amountCents: 100 }, again);
    const forget = () => runSql(system, 'orders', `delete from idempotent_answer`);
    await forget();
    const both = await Promise.all([
      refund({ amountCents: 100 }, again),
      refund({ amountCents: 100 }, again),
    ]);
    for (const each of both)
      expect(each.status === 201 ? each.body : each.body.code).toEqual(
        each.status === 201 ? first.body : 'idempotency_in_progress',
      );
    expect(await money()).toEqual(['partially_refunded', 900, 100]);
    // A key is valid for a day.
    await forget();
    await runSql(
      system,
      'orders',
      `update refund set ${shiftTimes('created_at', '25 hours')} where store_id = '${store.storeId}'`,
    );
    const later = await refund({ amountCents: 100 }, again);
    expect(later.body.refund.id).not.toBe(first.body.refund.id);
    expect(await list()).toHaveLength(2);
  });

  test('of a sum is never more than was paid, by all payments or one', async () => {
    const { store, id, money, refund, list } = await newOrder();
    const [payment] = (await store.send('get', `orders/${id}/payments`)).body.payments;
    expect(await refund({ amountCents: 901 })).toMatchObject({
      status: 409,
      body: { code: 'amount_exceeded', maximumCents: 900 },
    });
    expect((await refund({ amountCents: 400, paymentId: payment.id })).status).toBe(201);
    expect((await refund({ amountCents: 501, paymentId: payment.id })).body.code).toBe('amount_exceeded');
    for (const paymentId of [newId('payment'), 'pay_unknown'])
      expect(await refund({ amountCents: 1, paymentId })).toMatchObject({
        status: 404,
        body: { code: 'not_found' },
      });
    expect((await refund({ shippingCents: 1 })).body.code).toBe('amount_exceeded');
    for (const body of [{}, { amountCents: 0 }, { lines: [] }, { shippingCents: 0 }, { amountCents: -1 }]) {
      expect(await refund(body)).toMatchObject({ status: 400, body: { code: 'invalid_body' } });
    }
    expect((await refund({ amountCents: 500 })).status).toBe(201);
    expect(await money()).toEqual(['refunded', 900, 900]);
    expect((await refund({ amountCents: 1 })).body.code).toBe('amount_exceeded');
    expect(await list()).toHaveLength(2);
    const unpaid = await newOrder([5], { isPaid: false });
    expect((await unpaid.refund({ amountCents: 1 })).body.code).toBe('amount_exceeded');
  });

  test('is exact with simultaneous requests', async () => {
    const { money, refund, refunded, line, list } = await newOrder([900]);
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, i) =>
        refund(i % 2 ? { amountCents: 200 } : { lines: [line(0, 200, true)] }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(4);
    expect(await money()).toEqual(['partially_refunded', 900, 800]);
    const units = (await list()).flatMap(({ lines }: { lines: { quantity: number }[] }) => lines);
    const sum = units.reduce((all: number, { quantity }: { quantity: number }) => all + quantity, 0);
    expect(await refunded()).toEqual([sum]);
  });

  test('with one Idempotency-Key is one', async () => {
    const { money, refund, list } = await newOrder();
    const key = { 'idempotency-key': 'once' };
    const answers = await Promise.all(Array.from({ length: 4 }, () => refund({ amountCents: 100 }, key)));
    const again = await refund({ amountCents: 100 }, key);
    const created = answers.filter(({ status }) => status === 201).map(({ body }) => body);
    expect(created.every((body) => body.refund.id === again.body.refund.id)).toBe(true);
    expect(await money()).toEqual(['partially_refunded', 900, 100]);
    expect(await list()).toHaveLength(1);
  });

  test('puts units back on stock once, also where the order is cancelled afterwards', async () => {
    const { store, id, variants, refund, line, returned } = await newOrder([3, 2]);
    await refund({ lines: [line(0, 2, true), line(1, 1, false)] });
    await eventually(() => returned().length === 1);
    expect(returned()).toEqual([{ variantId: variants[0], quantity: 2 }]);
    await store.patch(id, { status: 'cancelled' });
    await eventually(() => store.events('orders.order.cancelled').length === 1);
    expect(store.events('orders.order.cancelled')[0]!.data.items).toEqual([
      { variantId: variants[0], quantity: 1 },
      { variantId: variants[1], quantity: 2 },
    ]);
    // All units are already back on stock.
    await refund({ lines: [line(0, 1, true), line(1, 1, true)] });
    await eventually(() => store.events('orders.refund.created').length === 2);
    expect(returned()).toHaveLength(1);
  });

  test('counts for the customer, of a cancelled order too', async () => {
    const { store, id, customerId, refund } = await newOrder();
    const spent = async () =>
      (await store.send('get', `customers/${customerId}`)).body.customer.totalSpentCents;
    await store.patch(id, { status: 'cancelled' });
    expect(await spent()).toBe(900);
    await refund({ amountCents: 300 });
    expect(await spent()).toBe(600);
  });

  test('is one store’s, and needs the permissions of orders', async () => {
    const { store, path, refund } = await newOrder();
    const { id } = (await refund({ amountCents: 1 })).body.refund;
    const other = newStore(system);
    for (const below of ['', `/${id}`]) expect((await other.send('get', path + below)).status).toBe(404);
    expect((await other.send('post', path, { amountCents: 1 })).status).toBe(404);
    expect((await store.sendAs(['orders.read'], 'post', path, { amountCents: 1 })).status).toBe(403);
    expect((await store.sendAs(['customers.read'], 'get', path)).status).toBe(403);
  });
});

describe('a state that is set by hand', () => {
  test('to refunded creates a refund of all manual payments', async () => {
    const { store, id, money, list, refunded, refund } = await newOrder();
    await refund({ amountCents: 100 });
    await store.patch(id, { payment: 'refunded' });
    expect(await money()).toEqual(['refunded', 900, 900]);
    expect(await list()).toMatchObject([
      { amountCents: 800, state: 'done', lines: [{ quantity: 600, restock: false }, { quantity: 300 }] },
      { amountCents: 100, lines: [] },
    ]);
    expect(await refunded()).toEqual([600, 300]);
    await eventually(() => store.events('orders.refund.created').length === 2);
  });

  test('issues none if nothing was paid', async () => {
    const { store, id, money, list } = await newOrder([5], { isPaid: false });
    await store.patch(id, { payment: 'refunded' });
    expect(await money()).toEqual(['refunded', 0, 0]);
    expect(await list()).toEqual([]);
  });
});

describe('above the store’s limit', () => {
  const all: Permission[] = ['orders.read', 'orders.write'];
  const send = async (principal: Principal, method: 'post' | 'patch', path: string, body: object) =>
    request(system.internalUrl)
      [method](path)
      .agent(keptConnections)
      .set(await system.as(principal))
      .send(body);

  test('a refund requires a role that manages the store, also of a key’s creator', async () => {
    const { store, id, path, money } = await newOrder();
    const { storeId } = store;
    checkoutSettings.set(storeId, { refundLimitCents: 200 });
    const user = (role: 'editor' | 'admin'): Principal => ({
      kind: 'user',
      userId: newId('user'),
      email: 'a@example.com',
      storeId,
      role,
    });
    const key = (creatorPermissions: readonly Permission[]): Principal => ({
      kind: 'apiKey',
      storeId,
      keyId: 'key_1',
      scopes: all,
      creatorPermissions,
    });
    const app: Principal = { kind: 'app', storeId, appId: newId('app'), installId: 'i', scopes: all };
    const below = { user: `/api/stores/${storeId}`, store: '/api/v1' };
    for (const [principal, door] of [
      [user('editor'), below.user],
      [key(rolePermissions.editor), below.store],
      [app, below.store],
    ] as const) {
      const refused = await send(principal, 'post', `${door}/${path}`, { amountCents: 201 });
      expect(refused).toMatchObject({ status: 403, body: { code: 'insufficient_role', limitCents: 200 } });
      const byHand = await send(principal, 'patch', `${door}/orders/${id}`, { payment: 'refunded' });
      expect(byHand).toMatchObject({ status: 403, body: { code: 'insufficient_role' } });
      expect((await send(principal, 'post', `${door}/${path}`, { amountCents: 10 })).status).toBe(201);
    }
    expect(await money()).toEqual(['partially_refunded', 900, 30]);
    for (const [principal, door] of [
      [user('admin'), below.user],
      [key(permissions), below.store],
    ] as const) {
      expect((await send(principal, 'post', `${door}/${path}`, { amountCents: 201 })).status).toBe(201);
    }
  });
});

describe('an order from before there were refunds', () => {
  test('has one for its refund', async () => {
    const { store, id, list, refunded, refund, money } = await newOrder();
    await store.patch(id, { payment: 'refunded' });
    await runSql(system, 'orders', `delete from refund where order_id = '${id}'`);
    await runSql(system, 'orders', `update "order" set units = null where id = '${id}'`);
    expect(await list()).toMatchObject([
      { amountCents: 900, state: 'done', lines: [{ quantity: 600 }, { quantity: 300 }] },
    ]);
    expect(await list()).toHaveLength(1);
    expect(await refunded()).toEqual([600, 300]);
    expect((await refund({ amountCents: 1 })).body.code).toBe('amount_exceeded');
    expect(await money()).toEqual(['refunded', 900, 900]);
  });

  test('and from before the ledger, likewise', async () => {
    const { id, list } = await newOrder([5], { isPaid: false });
    await runSql(
      system,
      'orders',
      `update "order" set paid_cents = null, refunded_cents = null, payment = 'refunded' where id = '${id}'`,
    );
    expect(await list()).toMatchObject([{ amountCents: 5, lines: [{ quantity: 5 }] }]);
  });
});
