import { fulfillmentStatuses, newId, type Order, orderStatuses, paymentStatuses } from '@waybill/contracts';
import { eventually, runSql } from '@waybill/testing';
import fc from 'fast-check';
import { newStore, type OrdersSystem, startOrders } from './stores.ts';

let system: OrdersSystem;
beforeAll(async () => {
  system = await startOrders();
});
afterAll(() => system.stop());

describe('POST /orders', () => {
  test('405 orders_are_read_only, but 403 for a key without orders.write', async () => {
    const { send, sendAs } = newStore(system);
    for (const body of [{}, undefined]) {
      const res = await send('post', 'orders', body);
      expect(res).toMatchObject({ status: 405, body: { code: 'orders_are_read_only' } });
      expect(res.headers.allow).toBe('GET, HEAD');
    }
    expect(await sendAs(['orders.read'], 'post', 'orders', {})).toMatchObject({
      status: 403,
      body: { code: 'insufficient_scope' },
    });
  });

  test('other methods: 405 method_not_allowed, with the allowed ones', async () => {
    const { send } = newStore(system);
    const res = await send('put', 'orders', {});
    expect(res).toMatchObject({
      status: 405,
      body: { code: 'method_not_allowed' },
      headers: { allow: 'GET, HEAD' },
    });
    expect((await send('delete', `orders/${newId('order')}`)).headers.allow).toBe('GET, PATCH, HEAD');
  });
});

describe('GET /orders/{id}', () => {
  test('404 for another store, an unknown id, an id of another kind', async () => {
    const { id } = await newStore(system).order(1);
    const other = newStore(system);
    for (const wrong of [id, newId('order'), newId('customer'), 'nonsense']) {
      expect(await other.send('get', `orders/${wrong}`)).toMatchObject({
        status: 404,
        body: { code: 'not_found' },
      });
      expect((await other.patch(wrong, {})).status).toBe(404);
    }
  });
});

describe('PATCH /orders/{id}', () => {
  test('changes only the sent fields, and emits an event', async () => {
    const store = newStore(system);
    const order = await store.order(500);
    const res = await store.patch(order.id, { payment: 'paid', fulfillment: 'fulfilled' });
    expect(res.status).toBe(200);
    expect(res.body.order).toEqual({
      ...order,
      payment: 'paid',
      paidCents: 500,
      dueCents: 0,
      fulfillment: 'fulfilled',
      lineItems: [{ ...order.lineItems[0], fulfilledQuantity: 500 }],
      updatedAt: expect.any(String),
    });
    expect((await store.send('get', `orders/${order.id}`)).body).toEqual(res.body);
    await eventually(() => store.events('orders.order.updated').length > 0);
    expect(store.events('orders.order.updated').map(({ data }) => data)).toEqual([res.body]);
  });

  test('changes nothing: no event, the same updatedAt', async () => {
    const store = newStore(system);
    const order = await store.order(500);
    for (const body of [
      undefined,
      {},
      { status: 'open' },
      { id: 'x', number: 9, createdAt: 1, updatedAt: null },
    ])
      expect((await store.patch(order.id, body)).body).toEqual({ order });
    await store.patch(order.id, { payment: 'paid' });
    await eventually(() => store.events('orders.order.updated').length > 0);
    expect(store.events('orders.order.updated')).toHaveLength(1);
  });

  test('increases updatedAt even if the clock of the last change was ahead', async () => {
    const store = newStore(system);
    const { id } = await store.order(500);
    await runSql(
      system,
      'orders',
      `update "order" set updated_at = '2100-01-01T00:00:00Z' where id = '${id}'`,
    );
    expect((await store.patch(id, { payment: 'paid' })).body.order.updatedAt).toBe(
      '2100-01-01T00:00:00.001Z',
    );
  });

  test.each([
    [{ status: 'lost' }, 'invalid_status'],
    [{ status: null }, 'invalid_status'],
    [{ payment: 5 }, 'invalid_status'],
    [{ fulfillment: 'paid' }, 'invalid_status'],
    [{ lineItems: [] }, 'invalid_body'],
    [{ totalCents: 1 }, 'invalid_body'],
    [{ customer: {} }, 'invalid_body'],
    [{ currency: 'USD' }, 'invalid_body'],
    [{ status: 'completed', colour: 'red' }, 'invalid_body'],
    [{ status: 'lost', colour: 'red' }, 'invalid_status'],
    [{ payment: 'paid', status: 'lost' }, 'invalid_status'],
  ])('400 for %j: %s, and nothing changes', async (body, code) => {
    const store = newStore(system);
    const order = await store.order(500);
    expect(await store.patch(order.id, body)).toMatchObject({ status: 400, body: { code } });
    expect((await store.send('get', `orders/${order.id}`)).body).toEqual({ order });
  });

  test('names the field that is history', async () => {
    const store = newStore(system);
    const { id } = await store.order(5);
    const { details } = (await store.patch(id, { lineItems: [], taxCents: 0 })).body;
    expect(details.map(({ pointer }: { pointer: string }) => pointer)).toEqual(['/lineItems', '/taxCents']);
  });

  test('any sequence of changes allows only valid moves, and all totals agree', async () => {
    const change = fc.record(
      {
        status: fc.constantFrom(...orderStatuses),
        payment: fc.constantFrom(...paymentStatuses),
        fulfillment: fc.constantFrom(...fulfillmentStatuses),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 8 }), async (changes) => {
        const store = newStore(system);
        const order = await store.order(700);
        await store.order(1);
        let now: Order = order;
        for (const body of changes) {
          const res = await store.patch(order.id, body);
          const isAllowed = allowed(now, { ...now, ...body });
          expect(`${JSON.stringify([now.status, now.payment, body])} ${res.status}`).toBe(
            `${JSON.stringify([now.status, now.payment, body])} ${isAllowed ? 200 : 400}`,
          );
          if (isAllowed) now = res.body.order;
        }
        const { status, payment, fulfillment } = now;
        expect((await store.send('get', `orders/${order.id}`)).body.order).toMatchObject({
          status,
          payment,
          fulfillment,
        });
        const { customer } = (await store.send('get', `customers/${order.customerId}`)).body;
        const counts = status !== 'cancelled';
        expect(customer.ordersCount).toBe(counts ? 2 : 1);
        expect(customer.totalSpentCents).toBe(now.paidCents - now.refundedCents);
        expect(now.dueCents).toBe(counts ? 700 - now.paidCents : 0);
        const total = async (query: string) => (await store.send('get', `orders?${query}`)).body.total;
        expect(await total(`status=${status}&payment=${payment}&fulfillment=${fulfillment}&q=example`)).toBe(
          await total(`status=${status}&payment=${payment}&fulfillment=${fulfillment}`),
        );
        expect(await total('')).toBe(2);
      }),
      { numRuns: 25 },
    );
  });

  test('of many simultaneous orders each has a number and an event, and a customer is created once', async () => {
    const store = newStore(system);
    const placed = await Promise.all(
      Array.from({ length: 40 }, (_, i) => store.order(i + 1, { email: `buyer-${i % 3}@example.com` })),
    );
    expect(placed.map(({ totalCents }) => totalCents)).toEqual(placed.map((_, i) => i + 1));
    const numbers = placed.map(({ number }) => number).sort((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
    expect((await store.send('get', 'orders?limit=1')).body.total).toBe(40);
    const { customers, total } = (await store.send('get', 'customers?sort=email&dir=asc')).body;
    expect(customers.map(({ ordersCount }: { ordersCount: number }) => ordersCount)).toEqual([14, 13, 13]);
    expect(total).toBe(3);
    const listEmitted = (name: string) =>
      store.events(`orders.${name}.created`).map(({ data }) => data[name]);
    await eventually(() => listEmitted('order').length >= 40);
    expect(listEmitted('order').sort((a, b) => a.totalCents - b.totalCents)).toEqual(placed);
    expect(new Set(listEmitted('customer').map(({ id }) => id))).toEqual(
      new Set(placed.map(({ customerId }) => customerId)),
    );
    expect(listEmitted('customer')).toHaveLength(3);
  });

  test('simultaneous changes of many orders do not conflict', async () => {
    const store = newStore(system);
    const placed = [];
    for (let i = 0; i < 12; i++) placed.push(await store.order(10));
    const replies = await Promise.all(
      placed.flatMap(({ id }, i) => [
        store.patch(id, { payment: i % 2 ? 'paid' : 'authorized' }),
        store.patch(id, { status: i % 3 ? 'completed' : 'cancelled' }),
      ]),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array(24).fill(200));
    expect((await store.send('get', 'orders?status=cancelled')).body.total).toBe(4);
    // Orders that were cancelled first are marked as paid by a note, because nothing was due.
    const { orders } = (await store.send('get', 'orders?payment=paid')).body;
    const spent = orders.reduce((sum: number, { paidCents }: Order) => sum + paidCents, 0);
    const { customer } = (await store.send('get', `customers/${placed[0].customerId}`)).body;
    expect(customer).toMatchObject({ ordersCount: 8, totalSpentCents: spent });
  });
});

/** An independent implementation of `decisions.md 3.1`. */
function allowed(from: Order, to: Order): boolean {
  if (from.status === 'cancelled' && to.status !== 'cancelled') return false;
  const backTo = to.payment === 'pending' || to.payment === 'authorized';
  return !(
    backTo &&
    (from.payment === 'paid' || from.payment === 'partially_refunded' || from.payment === 'refunded')
  );
}

describe('a cancelled order', () => {
  test('announces the returned stock once', async () => {
    const store = newStore(system);
    const order = await store.order(3);
    await store.patch(order.id, { payment: 'paid' });
    await Promise.all([1, 2, 3].map(() => store.patch(order.id, { status: 'cancelled' })));
    await store.patch(order.id, { payment: 'refunded' });
    await eventually(() => store.events('orders.order.updated').length === 3);
    const [{ variantId, quantity }] = order.lineItems;
    expect(store.events('orders.order.cancelled').map(({ data }) => data)).toEqual([
      { orderId: order.id, items: [{ variantId, quantity }] },
    ]);
  });
});

describe('GET /orders', () => {
  let store: ReturnType<typeof newStore>;
  let ids: Record<string, string>;
  beforeAll(async () => {
    store = newStore(system);
    const bea = { name: 'Bea 100%', email: 'bea_x@example.org' };
    const a = await store.order(300);
    const b = await store.order(100, bea);
    const c = await store.order(200, bea);
    const d = await store.order(100);
    ids = { ann: a.customerId, bea: b.customerId };
    await store.patch(c.id, { payment: 'paid' });
    await store.patch(a.id, { status: 'completed', fulfillment: 'fulfilled' });
    await store.patch(d.id, { payment: 'paid', fulfillment: 'fulfilled' });
  });
  const numbers = async (query: string) =>
    (await store.send('get', `orders?${query}`)).body.orders.map((order: Order) => order.number);

  test.each([
    ['', [4, 3, 2, 1]],
    ['dir=asc', [1, 2, 3, 4]],
    ['sort=created', [4, 3, 2, 1]],
    ['sort=created&dir=asc', [1, 2, 3, 4]],
    ['sort=updated', [4, 1, 3, 2]],
    ['sort=updated&dir=asc', [2, 3, 1, 4]],
    ['sort=total', [1, 3, 4, 2]],
    ['sort=total&dir=asc', [2, 4, 3, 1]],
    ['sort=nonsense&dir=up', [4, 3, 2, 1]],
    ['status=open', [4, 3, 2]],
    ['status=completed', [1]],
    ['status=cancelled', []],
    ['status=nonsense', [4, 3, 2, 1]],
    ['payment=paid', [4, 3]],
    ['payment=paid&dir=asc', [3, 4]],
    ['fulfillment=fulfilled&sort=total', [1, 4]],
    ['status=open&payment=paid&fulfillment=fulfilled', [4]],
    ['limit=2&offset=1', [3, 2]],
    ['limit=2&offset=1&sort=total', [3, 4]],
    ['limit=1&offset=1&payment=paid', [3]],
    ['limit=0&offset=-1', [4, 3, 2, 1]],
    ['offset=10', []],
    ['q=BEA', [3, 2]],
    ['q=bea%20example.org', [3, 2]],
    ['q=4', [4]],
    ['q=%234', [4]],
    ['q=%23%204', [4]],
    ['q=%23%20%204%20example', [4]],
    ['q=%23%20bea', []],
    ['q=100%25', [3, 2]],
    ['q=_x', [3, 2]],
    ['q=%25%25', []],
    ['q=%00', []],
    ['q=%20', [4, 3, 2, 1]],
    ['q=example&payment=paid&sort=total', [3, 4]],
    ['q=a%20a%20a%20a%20a%20a%20zzz', []],
    [`customerId=${newId('customer')}`, []],
    ['customerId=nonsense', []],
    ['customerId=', [4, 3, 2, 1]],
  ])('?%s', async (query, expected) => {
    expect(await numbers(query)).toEqual(expected);
  });

  test('a search finds the same in a store that has little of the table', async () => {
    const queries = [
      'q=BEA',
      'q=bea%20example.org',
      'q=4',
      'q=bea_x%40example&sort=total&dir=asc',
      'q=%25%25',
    ];
    const found = await Promise.all(queries.map(numbers));
    expect(found.flat()).not.toEqual([]);
    await runSql(system, 'orders', `update pg_class set reltuples = 1000000 where oid = '"order"'::regclass`);
    expect(await Promise.all(queries.map(numbers))).toEqual(found);
    expect((await newStore(system).send('get', 'orders?q=bea')).body.total).toBe(0);
  });

  test('?customerId, alone and with other filters', async () => {
    expect(await numbers(`customerId=${ids.bea}`)).toEqual([3, 2]);
    expect(await numbers(`customerId=${ids.bea}&payment=paid&q=bea`)).toEqual([3]);
    expect(await numbers(`customerId=${ids.ann}&sort=total&limit=1`)).toEqual([1]);
  });

  describe('of a period', () => {
    let placed: ReturnType<typeof newStore>;
    beforeAll(async () => {
      placed = newStore(system);
      const [first, second] = [await placed.order(400), await placed.order(300)];
      await placed.order(200, { name: 'Bea', email: 'bea@example.org' });
      await placed.order(100);
      await placed.patch(second.id, { payment: 'paid' });
      await placed.patch(first.id, { payment: 'paid', fulfillment: 'fulfilled' });
      // Gives each order a day of its own, by its number.
      await runSql(
        system,
        'orders',
        `update "order" set created_at = ('2026-03-01T12:00:00'::timestamp + number * interval '1 day') at time zone 'UTC'
         where store_id = '${placed.storeId}'`,
      );
    });

    test.each([
      ['since=2026-03-03T12:00:00Z', [4, 3, 2]],
      ['since=2026-03-03T12:00:00.001Z', [4, 3]],
      ['until=2026-03-03T12:00:00Z', [1]],
      ['until=2026-03-03T14:00:00%2B01:00', [2, 1]],
      ['since=2026-03-02T12:00:00Z&until=2026-03-04T12:00:00Z&sort=created&dir=asc', [1, 2]],
      ['since=2026-03-02T12:00:00Z&until=2026-03-05T12:00:00Z&sort=total&dir=asc', [3, 2, 1]],
      ['since=2026-03-02T12:00:00Z&until=2026-03-05T12:00:00Z&sort=created&payment=paid', [2, 1]],
      ['since=2026-03-03T00:00:00Z&payment=paid', [2]],
      ['since=2026-03-03T00:00:00Z&payment=paid&sort=created', [2]],
      ['since=2026-03-03T00:00:00Z&q=bea', [3]],
      ['until=2026-03-03T00:00:00Z&q=bea', []],
      ['since=2026-03-05T00:00:00Z&until=2026-03-02T00:00:00Z', []],
      ['since=2026-03-03', [4, 3, 2]],
      ['since=2026-03-03&until=2026-03-04', [2]],
      ['since=&until=', [4, 3, 2, 1]],
    ])('?%s', async (query, expected) => {
      const { orders, total } = (await placed.send('get', `orders?${query}`)).body;
      expect(orders.map((order: Order) => order.number)).toEqual(expected);
      expect(total).toBe(expected.length);
    });

    test.each([
      'since=yesterday',
      'until=2026-03-03T12:00:00',
      'since=2026-02-30',
      'since=2026-13-01T00:00:00Z',
      'until=1772539200',
    ])('a malformed instant is refused: ?%s', async (query) => {
      const reply = await placed.send('get', `orders?${query}`);
      const pointer = `/${query.split('=')[0]}`;
      expect(reply).toMatchObject({ status: 400, body: { code: 'invalid_body', details: [{ pointer }] } });
    });

    test('is paged, with the total on each page', async () => {
      for (const sort of ['number', 'created', 'total', 'updated']) {
        const seen: number[] = [];
        let after = '';
        do {
          const query = `since=2026-03-03T00:00:00Z&limit=1&sort=${sort}${after && `&after=${after}`}`;
          const { orders, total, nextCursor } = (await placed.send('get', `orders?${query}`)).body;
          seen.push(...orders.map((order: Order) => order.number));
          expect(total).toBe(3);
          after = nextCursor ?? '';
        } while (after);
        expect(seen.toSorted()).toEqual([2, 3, 4]);
      }
    });

    test('of a customer', async () => {
      const { customerId } = (await placed.send('get', 'orders?limit=1')).body.orders[0];
      const query = `orders?customerId=${customerId}&since=2026-03-03T00:00:00Z`;
      const { orders } = (await placed.send('get', query)).body;
      expect(orders.map((order: Order) => order.number)).toEqual([4, 2]);
    });
  });

  test('total counts before paging', async () => {
    const total = async (query: string) => (await store.send('get', `orders?${query}&limit=1`)).body.total;
    expect(await total('')).toBe(4);
    expect(await total('payment=paid')).toBe(2);
    expect(await total('status=open&fulfillment=unfulfilled')).toBe(2);
    expect(await total('q=bea')).toBe(2);
    expect(await total(`customerId=${ids.ann}`)).toBe(2);
    expect((await newStore(system).send('get', 'orders')).body).toEqual({
      orders: [],
      total: 0,
      nextCursor: null,
    });
  });

  test('pages of equal keys do not overlap', async () => {
    const equal = newStore(system);
    await Promise.all(Array.from({ length: 25 }, () => equal.order(5)));
    const seen: string[] = [];
    for (let offset = 0; offset < 25; offset += 7) {
      const { orders } = (await equal.send('get', `orders?sort=total&limit=7&offset=${offset}`)).body;
      seen.push(...orders.map((order: Order) => order.id));
    }
    expect(new Set(seen).size).toBe(25);
  });
});

describe('a change of an order as it was read', () => {
  test('succeeds while many orders are placed', async () => {
    const busy = newStore(system);
    const order = await busy.order(100);
    let isOver = false;
    const others = Array.from({ length: 8 }, async () => {
      while (!isOver) await busy.order(100);
    });
    try {
      const states = ['completed', 'open'];
      for (let change = 0; change < 60; change++) {
        const { headers } = await busy.send('get', `orders/${order.id}`);
        const changed = await busy.send(
          'patch',
          `orders/${order.id}`,
          { status: states[change % 2] },
          {
            'if-match': headers.etag!,
          },
        );
        expect([change, changed.status, changed.text]).toEqual([change, 200, expect.anything()]);
      }
    } finally {
      isOver = true;
      await Promise.all(others);
    }
  });
});
