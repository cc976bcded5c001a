import { permissions } from '@waybill/contracts';
import { eventually, type Receiver, startReceiver } from '@waybill/testing';
import { expectStatus, join, newKey, newPerson, newStore, type Person } from '../../testing/accounts.ts';
import { type Caller, createCaller, type Reply, send } from '../../testing/client.ts';
import { type SharedSystem, topologies } from './topologies.ts';

const orders = '/api/v1/orders';
const shopper = { name: 'Bob Ross', email: 'Bob@Example.com', phone: '+41 1' };

describe.each(topologies)('$name', ({ share, inOneTopology }) => {
  let receiver: Receiver;
  let system: SharedSystem;
  let owner: Person;
  beforeAll(async () => {
    receiver = await startReceiver();
    system = await share();
    owner = await newPerson(system.baseUrl);
  });
  afterAll(() => receiver.close());

  /** Creates a store with one product of three variants, its merchant's key, and a webhook for all events. */
  async function openStore() {
    const storeId = await newStore(owner);
    const call = createCaller(system.baseUrl, (await newKey(owner, storeId, permissions)).secret);
    const path = `/${storeId}`;
    const events = [
      'order.created',
      'order.updated',
      'customer.created',
      'customer.updated',
      'product.updated',
      'fulfillment.created',
      'refund.created',
      'return.updated',
    ];
    expectStatus(await call('POST', '/api/v1/webhooks', { url: `${receiver.url}${path}`, events }), 201);
    const variants = [20, 5, 0].map((stock, i) => ({ sku: `T-${i}`, priceCents: 250 * (i + 1), stock }));
    const created = await call('POST', '/api/v1/products', { name: 'Tea', status: 'active', variants });
    const { product } = expectStatus(created, 201).body;
    const ids: string[] = product.variants.map(({ id }: { id: string }) => id);
    let keys = 0;
    return {
      storeId,
      call,
      product,
      checkout: (
        items: [variant: number, quantity: number][],
        key = `key-${++keys}`,
        customer: object = shopper,
      ) =>
        send(system.baseUrl, 'POST', `/storefront/${storeId}/orders`, {
          headers: { 'idempotency-key': key },
          json: {
            items: items.map(([variant, quantity]) => ({ variantId: ids[variant], quantity })),
            customer,
          },
        }),
      stocks: async (): Promise<number[]> => {
        const reply = await call('GET', `/api/v1/products/${product.id}`);
        return reply.body.product.variants.map(({ stock }: { stock: number }) => stock);
      },
      /** Returns the data of every received event of a type, in any order. */
      listReceived: (type: string) =>
        receiver.calls
          .filter((one) => one.path === path && one.headers['x-wb-event-type'] === type)
          .map((one) => JSON.parse(one.body).data),
    };
  }

  describe("an order's way", () => {
    test('leads from the checkout over webhooks and changes to a cancellation that puts the stock back', async () => {
      const { call, checkout, stocks, listReceived, product } = await openStore();
      const placed = expectStatus(
        await checkout([
          [0, 2],
          [1, 1],
        ]),
        201,
      );
      const { order } = placed.body;
      expect(order).toMatchObject({
        number: 1,
        status: 'open',
        payment: 'pending',
        fulfillment: 'unfulfilled',
        currency: 'EUR',
        totalCents: 1000,
        customer: { name: 'Bob Ross', email: 'bob@example.com', phone: '+41 1', shippingAddress: null },
      });
      expect(placed.headers['cache-control']).toBe('private, no-store');
      expect((await call('GET', `${orders}/${order.id}`)).body).toEqual({ order });
      expect(await stocks()).toEqual([18, 4, 0]);
      await eventually(() => listReceived('order.created').length && listReceived('customer.created').length);
      expect(listReceived('order.created')).toEqual([{ order }]);
      expect(listReceived('customer.created')).toMatchObject([
        { customer: { id: order.customerId, ordersCount: 1 } },
      ]);
      await eventually(() => listReceived('product.updated').length);
      expect(listReceived('product.updated')).toMatchObject([
        { product: { id: product.id, totalStock: 22 } },
      ]);

      const changes = { payment: 'paid', fulfillment: 'fulfilled', status: 'completed' };
      const changed = expectStatus(await call('PATCH', `${orders}/${order.id}`, changes), 200).body;
      const paid = { paidCents: 1000, dueCents: 0 };
      const lineItems = order.lineItems.map((line: { quantity: number }) => ({
        ...line,
        fulfilledQuantity: line.quantity,
      }));
      const now = { ...changes, ...paid, lineItems, updatedAt: expect.any(String) };
      expect(changed.order).toEqual({ ...order, ...now });
      expect(changed.order.updatedAt > order.updatedAt).toBe(true);
      const figures = async () => (await call('GET', `/api/v1/customers/${order.customerId}`)).body.customer;
      expect(await figures()).toMatchObject({ ordersCount: 1, totalSpentCents: 1000 });

      const cancelled = await call('PATCH', `${orders}/${order.id}`, { status: 'cancelled' });
      expectStatus(cancelled, 200);
      expectStatus(await call('PATCH', `${orders}/${order.id}`, { status: 'cancelled' }), 200);
      expect((await call('PATCH', `${orders}/${order.id}`, { status: 'open' })).body.code).toBe(
        'invalid_status',
      );
      // The shop still has the money: only a refund returns it (decisions.md 23.4).
      expect(await figures()).toMatchObject({ ordersCount: 0, totalSpentCents: 1000 });
      await eventually(async () => (await stocks())[0] === 20);
      expect(await stocks()).toEqual([20, 5, 0]);
      await eventually(() => listReceived('order.updated').length === 2);
      expect(listReceived('order.updated')).toEqual(expect.arrayContaining([changed, cancelled.body]));
      expect(listReceived('customer.updated')).toEqual([]);
    });

    test('leads on over parcels, a refund and a return, and each unit comes back on stock once', async () => {
      const { storeId, call, checkout, stocks, listReceived, product } = await openStore();
      const placed = expectStatus(
        await checkout([
          [0, 4],
          [1, 2],
        ]),
        201,
      ).body;
      const [path, members] = [
        `${orders}/${placed.order.id}`,
        `/api/stores/${storeId}/orders/${placed.order.id}`,
      ];
      const line = (variant: number, quantity: number) => ({
        variantId: product.variants[variant].id,
        quantity,
      });
      expectStatus(await call('POST', `${path}/payments`), 201);
      const parcel = { lines: [line(0, 4)], carrier: 'ups', trackingNumber: '1Z999' };
      const sent = expectStatus(await call('POST', `${path}/fulfillments`, parcel), 201).body;
      expect(sent.fulfillment.trackingUrl).toContain('1Z999');
      expectStatus(await owner.call('POST', `${members}/fulfillments`), 201);
      const note = expectStatus(await owner.call('POST', `${members}/notes`, { text: 'Call.' }), 201).body;
      expect(note.note.userName).toEqual(expect.any(String));

      const refunds = await Promise.all(
        Array.from({ length: 4 }, () =>
          call('POST', `${path}/refunds`, { lines: [{ ...line(0, 3), restock: true }] }),
        ),
      );
      expect(refunds.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
      await eventually(async () => (await stocks())[0] === 19);

      const reply = await send(
        system.baseUrl,
        'POST',
        `/storefront/${storeId}/orders/${placed.token}/returns`,
        { json: { lines: [line(1, 2)], kind: 'withdrawal' } },
      );
      const { id: returnId } = expectStatus(reply, 201).body.return;
      const returned = `${members}/returns/${returnId}`;
      expectStatus(await owner.call('PATCH', returned, { state: 'approved' }), 200);
      const received = await Promise.all(
        Array.from({ length: 4 }, () => owner.call('PATCH', returned, { state: 'received' })),
      );
      expect(received.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      await eventually(async () => (await stocks())[1] === 5);
      expectStatus(await call('POST', `${path}/returns/${returnId}/refund`), 201);

      expectStatus(await call('PATCH', path, { status: 'cancelled' }), 200);
      await eventually(async () => (await stocks())[0] === 20);
      expect(await stocks()).toEqual([20, 5, 0]);
      const { order } = (await call('GET', path)).body;
      expect(order).toMatchObject({
        fulfillment: 'fulfilled',
        payment: 'partially_refunded',
        paidCents: 2000,
        refundedCents: 750 + 1000,
        lineItems: [
          { fulfilledQuantity: 4, refundedQuantity: 3 },
          { fulfilledQuantity: 2, refundedQuantity: 2 },
        ],
      });
      await eventually(
        () => listReceived('refund.created').length === 2 && listReceived('fulfillment.created').length === 2,
      );
      await eventually(() => listReceived('return.updated').length === 4);
      expect(listReceived('fulfillment.created')).toContainEqual(sent);
    });

    test('50 checkouts at once of a variant with stock 20 give 20 orders', async () => {
      const { call, checkout, stocks } = await openStore();
      const replies = await Promise.all(Array.from({ length: 50 }, () => checkout([[0, 1]])));
      const outcomes = Map.groupBy(replies, ({ status, body }) => `${status} ${body.code ?? ''}`.trim());
      expect(Object.fromEntries([...outcomes].map(([outcome, all]) => [outcome, all.length]))).toEqual({
        '201': 20,
        '409 out_of_stock': 30,
      });
      const numbers = outcomes.get('201')!.map(({ body }) => body.order.number);
      expect(new Set(numbers)).toEqual(new Set(Array.from({ length: 20 }, (_, i) => i + 1)));
      expect(await stocks()).toEqual([0, 5, 0]);
      expect((await call('GET', `${orders}?limit=1`)).body.total).toBe(20);
    });

    inOneTopology('nothing is reserved if one item is out of stock', async () => {
      const { checkout, stocks, product } = await openStore();
      expect(
        await checkout([
          [0, 1],
          [1, 6],
          [2, 1],
        ]),
      ).toMatchObject({
        status: 409,
        body: {
          code: 'out_of_stock',
          variants: [
            { variantId: product.variants[1].id, available: true },
            { variantId: product.variants[2].id, available: false },
          ],
        },
      });
      expect(await stocks()).toEqual([20, 5, 0]);
    });

    test('the limits of a store apply from the next order on, in its answer and in its checkout', async () => {
      const { storeId, checkout, stocks } = await openStore();
      const path = `/api/stores/${storeId}`;
      const usual = {
        maxQuantity: 999,
        expireUnpaidAfterMinutes: 60,
        expireManualAfterDays: 14,
        refundLimitCents: null,
        returnDays: 14,
      };
      expect((await owner.call('GET', path)).body.store.checkout).toEqual(usual);
      const refused = await checkout([
        [0, 999],
        [0, 1],
      ]);
      expect(refused).toMatchObject({
        status: 400,
        body: { code: 'invalid_body', details: [{ pointer: '/items/1/quantity' }] },
      });
      const set = await owner.call('PATCH', path, { checkout: { maxQuantity: 2 } });
      expect(expectStatus(set, 200).body.store.checkout).toEqual({ ...usual, maxQuantity: 2 });
      expect((await checkout([[0, 3]])).body.code).toBe('invalid_body');
      expectStatus(await checkout([[0, 2]]), 201);
      expect(await stocks()).toEqual([18, 5, 0]);
      const viewer = await newPerson(system.baseUrl);
      await join(owner, storeId, viewer, 'viewer');
      expect((await viewer.call('PATCH', path, { checkout: {} })).body.code).toBe('insufficient_role');
      expect((await viewer.call('GET', path)).body.store.checkout.maxQuantity).toBe(2);
    });

    test('one key creates one order, however often and fast it is sent', async () => {
      const { call, checkout, stocks } = await openStore();
      const replies = await Promise.all(Array.from({ length: 10 }, () => checkout([[0, 3]], 'once')));
      replies.push(await checkout([[0, 3]], 'once'));
      for (const reply of replies) expect(expectStatus(reply, 201).body).toEqual(replies[0]!.body);
      expect(await stocks()).toEqual([17, 5, 0]);
      expect((await call('GET', orders)).body.total).toBe(1);
      expect((await checkout([[0, 4]], 'once')).body.code).toBe('idempotency_conflict');
      expect((await checkout([[0, 4]], '')).body.code).toBe('idempotency_key_required');
    });

    inOneTopology('a changed product does not change the order', async () => {
      const { call, checkout, product } = await openStore();
      const { order } = expectStatus(await checkout([[0, 1]]), 201).body;
      expectStatus(await call('DELETE', `/api/v1/products/${product.id}`), 204);
      expect((await call('GET', `${orders}/${order.id}`)).body).toEqual({ order });
      expect((await checkout([[0, 1]])).body.code).toBe('invalid_body');
      expectStatus(await call('PATCH', `${orders}/${order.id}`, { status: 'cancelled' }), 200);
    });
  });

  describe('what a key may do', () => {
    let storeId: string;
    let orderId: string;
    beforeAll(async () => {
      const store = await openStore();
      storeId = store.storeId;
      orderId = expectStatus(await store.checkout([[0, 1]]), 201).body.order.id;
    });
    const callerWith = async (...scopes: string[]): Promise<Caller> =>
      createCaller(system.baseUrl, (await newKey(owner, storeId, scopes)).secret);
    const outcome = ({ status, body }: Reply) => `${status} ${body?.code ?? ''}`.trim();

    test('the scope comes before the method: 403 without orders.write, 405 with it', async () => {
      const reader = await callerWith('orders.read');
      expect(outcome(await reader('POST', orders, {}))).toBe('403 insufficient_scope');
      expect(outcome(await reader('PATCH', `${orders}/${orderId}`, {}))).toBe('403 insufficient_scope');
      expect(outcome(await reader('GET', `${orders}/${orderId}`))).toBe('200');
      const writer = await callerWith('orders.write');
      const refused = await writer('POST', orders, {});
      expect(outcome(refused)).toBe('405 orders_are_read_only');
      expect(refused.headers.allow).toBe('GET, HEAD');
      expect(outcome(await writer('GET', orders))).toBe('403 insufficient_scope');
      expect(outcome(await writer('GET', '/api/v1/customers'))).toBe('403 insufficient_scope');
      expect(outcome(await createCaller(system.baseUrl, undefined)('GET', orders))).toBe(
        '401 missing_credential',
      );
    });

    inOneTopology(
      'a history field or an unknown one is invalid_body, an unknown value invalid_status',
      async () => {
        const call = await callerWith('orders.read', 'orders.write');
        const patch = async (body: object) => outcome(await call('PATCH', `${orders}/${orderId}`, body));
        expect(await patch({ lineItems: [] })).toBe('400 invalid_body');
        expect(await patch({ colour: 'red' })).toBe('400 invalid_body');
        expect(await patch({ payment: 'stolen' })).toBe('400 invalid_status');
        expect(await patch({ id: 'ord_x', number: 7, createdAt: 'never' })).toBe('200');
      },
    );
  });

  describe('customers', () => {
    inOneTopology('are created, replaced, found and deleted; an address is unique', async () => {
      const { call } = await openStore();
      const customers = '/api/v1/customers';
      const address = { line1: 'Main St 1', city: 'Bern', country: 'CH' };
      const created = await call('POST', customers, {
        email: 'Eve@Example.com',
        name: 'Eve',
        addresses: [address],
      });
      const { customer } = expectStatus(created, 201).body;
      expect(customer).toMatchObject({ email: 'eve@example.com', ordersCount: 0, totalSpentCents: 0 });
      expect((await call('POST', customers, { email: 'EVE@example.com' })).body.code).toBe('duplicate_email');
      const found = (await call('GET', `${customers}?q=eve%20example&sort=email`)).body;
      expect(found).toEqual({ customers: [customer], total: 1, nextCursor: null });
      const replaced = await call('PUT', `${customers}/${customer.id}`, { email: 'eve@example.com' });
      expect(expectStatus(replaced, 200).body.customer).toMatchObject({ name: '', addresses: [] });
      expectStatus(await call('DELETE', `${customers}/${customer.id}`), 204);
      expectStatus(await call('GET', `${customers}/${customer.id}`), 404);
    });

    test("the merchant's note is in no answer of the API, no webhook call, no line of the log", async () => {
      const { storeId, call, checkout, listReceived } = await openStore();
      const { order } = expectStatus(await checkout([[0, 1]]), 201).body;
      const path = `/api/stores/${storeId}/customers/${order.customerId}/note`;
      const note = 'pays late but is dear to us';
      expect(expectStatus(await owner.call('PATCH', path, { note }), 200).body).toEqual({ note });
      expect((await owner.call('GET', path)).body).toEqual({ note });
      const viewer = await newPerson(system.baseUrl);
      expectStatus(await viewer.call('GET', path), 404);
      await join(owner, storeId, viewer, 'viewer');
      expect((await viewer.call('GET', path)).body).toEqual({ note });
      expect((await viewer.call('PATCH', path, { note: '' })).body.code).toBe('insufficient_role');
      expectStatus(await call('GET', path), 401);

      const customer = `/api/v1/customers/${order.customerId}`;
      const put = await call('PUT', customer, { email: shopper.email, name: 'Bobby', note: 'other' });
      await eventually(() => listReceived('customer.updated').length > 0);
      const seen = [
        expectStatus(put, 200).text,
        (await call('GET', customer)).text,
        (await call('GET', '/api/v1/customers')).text,
        (await call('GET', `${orders}/${order.id}`)).text,
        ...receiver.calls.map(({ body }) => body),
        await system.output(),
      ].join('\n');
      expect(seen).not.toContain('pays late');
      // Returns have their own notes.
      const others = seen.split('\n').filter((line) => !line.includes('"return":'));
      expect(others.join('\n')).not.toContain('"note"');
      expect((await owner.call('GET', path)).body).toEqual({ note });
    });
  });
});
