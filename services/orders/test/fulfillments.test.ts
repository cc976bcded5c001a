import { carriers, createTrackingUrl, newId } from '@waybill/contracts';
import { eventually, runSql } from '@waybill/testing';
import { newStore, type OrdersSystem, startOrders } from './stores.ts';

let system: OrdersSystem;
beforeAll(async () => {
  system = await startOrders();
});
afterAll(() => system.stop());

async function newOrder(quantities = [3, 2]) {
  const store = newStore(system);
  const placed = await store.orderOf(quantities);
  const { id } = placed;
  const variants: string[] = placed.lineItems.map(({ variantId }: { variantId: string }) => variantId);
  const path = `orders/${id}/fulfillments`;
  const readOrder = async () => (await store.send('get', `orders/${id}`)).body.order;
  return {
    store,
    id,
    variants,
    path,
    readOrder,
    /** Returns the order's state, and the number of sent units of each line. */
    sent: async () => {
      const { fulfillment, lineItems } = await readOrder();
      return [fulfillment, ...lineItems.map((line: { fulfilledQuantity: number }) => line.fulfilledQuantity)];
    },
    list: async () => (await store.send('get', path)).body.fulfillments,
    create: (body?: object) => store.send('post', path, body),
    change: (fulfillmentId: string, body: object) => store.send('patch', `${path}/${fulfillmentId}`, body),
    line: (at: number, quantity: number) => ({ variantId: variants[at]!, quantity }),
  };
}

describe('a fulfilment', () => {
  test('sends an order part by part, never more than is left', async () => {
    const { store, id, variants, path, sent, create, line, list } = await newOrder();
    expect(await sent()).toEqual(['unfulfilled', 0, 0]);
    const first = await create({
      lines: [line(0, 1), line(0, 1)],
      carrier: 'dhl',
      trackingNumber: '00340434161094042557',
    });
    expect(first).toMatchObject({ status: 201 });
    expect(first.body.fulfillment).toEqual({
      id: expect.stringMatching(/^ful_/),
      orderId: id,
      lines: [{ variantId: variants[0], quantity: 2 }],
      carrier: 'dhl',
      trackingNumber: '00340434161094042557',
      trackingUrl:
        'https://www.dhl.de/en/privatkunden/pakete-empfangen/verfolgen.html?piececode=00340434161094042557',
      status: 'shipped',
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect(await sent()).toEqual(['partially_fulfilled', 2, 0]);
    const tooMany = await create({ lines: [line(0, 2)] });
    expect(tooMany).toMatchObject({ status: 409, body: { code: 'invalid_quantity', maximumQuantity: 1 } });
    for (const variantId of [newId('variant'), 'var_unknown'])
      expect(await create({ lines: [{ variantId, quantity: 1 }] })).toMatchObject({
        status: 404,
        body: { code: 'not_found' },
      });
    const rest = (await create()).body.fulfillment;
    expect(rest.lines).toEqual([
      { variantId: variants[0], quantity: 1 },
      { variantId: variants[1], quantity: 2 },
    ]);
    expect(await sent()).toEqual(['fulfilled', 3, 2]);
    expect(await create()).toMatchObject({ status: 409, body: { code: 'invalid_quantity' } });

    expect((await list()).map((each: { id: string }) => each.id)).toEqual([
      rest.id,
      first.body.fulfillment.id,
    ]);
    expect((await store.send('get', `${path}/${rest.id}`)).body.fulfillment).toEqual(rest);
    await eventually(() => store.events('orders.fulfillment.created').length === 2);
    expect(store.events('orders.fulfillment.created')[0]!.data).toEqual(first.body);
    await eventually(() => store.events('orders.order.updated').length === 2);
    expect(store.events('orders.order.updated').at(-1)!.data.order).toMatchObject({
      fulfillment: 'fulfilled',
      lineItems: [{ fulfilledQuantity: 3 }, {}],
    });
  });

  test('that is cancelled returns its units permanently', async () => {
    const { store, sent, create, change } = await newOrder();
    const { fulfillment } = (await create()).body;
    const delivered = await change(fulfillment.id, { status: 'delivered' });
    expect(delivered.body.fulfillment.status).toBe('delivered');
    expect(await sent()).toEqual(['fulfilled', 3, 2]);
    expect((await change(fulfillment.id, { status: 'cancelled' })).status).toBe(200);
    expect(await sent()).toEqual(['unfulfilled', 0, 0]);
    expect((await change(fulfillment.id, { status: 'cancelled' })).status).toBe(200);
    for (const body of [{ status: 'shipped' }, { trackingNumber: '1' }]) {
      expect(await change(fulfillment.id, body)).toMatchObject({
        status: 409,
        body: { code: 'invalid_state' },
      });
    }
    expect((await create()).status).toBe(201);
    await eventually(() => store.events('orders.fulfillment.created').length === 2);
    await eventually(() => store.events('orders.fulfillment.updated').length === 2);
  });

  test('changes its tracking: a sent link takes precedence over the carrier’s', async () => {
    const { store, create, change } = await newOrder();
    const { fulfillment } = (await create({ carrier: 'Royal Mail', trackingNumber: 'AB 12' })).body;
    expect(fulfillment.trackingUrl).toBe('https://www.royalmail.com/track-your-item#/tracking-results/AB12');
    const changed = async (body: object) => (await change(fulfillment.id, body)).body.fulfillment.trackingUrl;
    expect(await changed({ trackingUrl: 'http://example.com/t' })).toBe('http://example.com/t');
    expect(await changed({ trackingNumber: 'CD' })).toBe('http://example.com/t');
    expect(await changed({ trackingUrl: null })).toMatch(/\/CD$/);
    expect(await changed({ carrier: 'My uncle' })).toBe(null);
    for (const trackingUrl of [
      'javascript:alert(1)',
      '/here',
      'mailto:a@example.com',
      'https://u:p@example.com',
    ]) {
      const refused = await change(fulfillment.id, { trackingUrl });
      expect(refused).toMatchObject({ status: 400, body: { details: [{ pointer: '/trackingUrl' }] } });
    }
    expect((await change(fulfillment.id, { status: 'lost' })).body.code).toBe('invalid_body');
    await change(fulfillment.id, { carrier: 'My uncle' });
    await eventually(() => store.events('orders.fulfillment.updated').length === 4);
  });

  test('is refused beyond 10,000 of one order', async () => {
    const { store, id, path } = await newOrder();
    await runSql(
      system,
      'orders',
      `insert into fulfillment (store_id, order_id, id, lines, status, notifies, created_at, updated_at)
       select '${store.storeId}', '${id}', 'ful_' || n, '[]', 'cancelled', false, now(), now()
       from generate_series(1, 10000) n`,
    );
    for (const answer of [
      await store.send('post', path),
      await store.send('patch', `orders/${id}`, { fulfillment: 'fulfilled' }),
    ])
      expect(answer).toMatchObject({ status: 409, body: { code: 'too_many_fulfillments' } });
  });

  test('sends no unit twice, even with simultaneous fulfilments', async () => {
    const { sent, create, line, list } = await newOrder([5]);
    const created = await Promise.all(Array.from({ length: 12 }, () => create({ lines: [line(0, 2)] })));
    expect(created.map(({ status }) => status).sort()).toEqual([201, 201, ...Array(10).fill(409)]);
    expect(await sent()).toEqual(['partially_fulfilled', 4]);
    expect(await list()).toHaveLength(2);
  });

  test('belongs to one store and order, needs the permissions of orders, and is not issued for a cancelled order', async () => {
    const { store, path, create } = await newOrder();
    const { fulfillment } = (await create()).body;
    const other = newStore(system);
    expect((await other.send('get', path)).status).toBe(404);
    expect((await other.send('post', path)).status).toBe(404);
    const elsewhere = await newOrder();
    expect((await elsewhere.store.send('get', `${elsewhere.path}/${fulfillment.id}`)).status).toBe(404);
    expect((await store.send('get', `${elsewhere.path}/${fulfillment.id}`)).status).toBe(404);
    expect((await store.sendAs(['orders.read'], 'post', path)).status).toBe(403);
    await elsewhere.store.patch(elsewhere.id, { status: 'cancelled' });
    expect((await elsewhere.create()).body.code).toBe('invalid_state');
    for (const lines of [[], [{ variantId: 1, quantity: 1 }], [elsewhere.line(0, 0)]]) {
      expect((await create({ lines })).status).toBe(400);
    }
  });
});

describe('a state that is set by hand', () => {
  test('sends the remaining units, or cancels everything', async () => {
    const { store, id, sent, create, change, list, line } = await newOrder();
    const { fulfillment } = (await create({ lines: [line(0, 1)] })).body;
    await change(fulfillment.id, { status: 'delivered' });
    await store.patch(id, { fulfillment: 'fulfilled' });
    expect(await sent()).toEqual(['fulfilled', 3, 2]);
    expect(await list()).toMatchObject([{ lines: [{ quantity: 2 }, { quantity: 2 }] }, {}]);
    await store.patch(id, { fulfillment: 'unfulfilled' });
    expect(await sent()).toEqual(['unfulfilled', 0, 0]);
    expect(await list()).toMatchObject([{ status: 'cancelled' }, { status: 'cancelled' }]);
  });

  test('is noted where nothing is sent by it, until something is', async () => {
    const { store, id, sent, create, list, line } = await newOrder();
    for (const fulfillment of ['partially_fulfilled', 'returned']) {
      await store.patch(id, { fulfillment });
      expect(await sent()).toEqual([fulfillment, 0, 0]);
    }
    expect(await list()).toEqual([]);
    await create({ lines: [line(1, 1)] });
    expect(await sent()).toEqual(['partially_fulfilled', 0, 1]);
  });
});

describe('an order from before there were fulfilments', () => {
  const age = (id: string, fulfillment: string) =>
    runSql(
      system,
      'orders',
      `update "order" set units = null, fulfillment = '${fulfillment}' where id = '${id}'`,
    );

  test('that was sent has one, and continues from there', async () => {
    const { store, id, variants, sent, list, create } = await newOrder();
    await age(id, 'fulfilled');
    expect(await sent()).toEqual(['fulfilled', 3, 2]);
    const lines = variants.map((variantId, i) => ({ variantId, quantity: [3, 2][i] }));
    expect(await list()).toMatchObject([{ status: 'shipped', carrier: null, lines }]);
    expect(await list()).toHaveLength(1);
    expect((await create()).body.code).toBe('invalid_quantity');
    expect(store.events('orders.fulfillment.created')).toEqual([]);
  });

  test.each(['unfulfilled', 'partially_fulfilled', 'returned'])('that was %s has none', async (state) => {
    const { id, sent, list, create } = await newOrder();
    await age(id, state);
    expect(await list()).toEqual([]);
    expect(await sent()).toEqual([state, 0, 0]);
    expect((await create()).status).toBe(201);
    expect(await sent()).toEqual(['fulfilled', 3, 2]);
  });

  test('that an older copy of the service has changed is put right by the next change', async () => {
    const { id, sent, list, create, change } = await newOrder();
    const { fulfillment } = (await create()).body;
    await runSql(system, 'orders', `update "order" set fulfillment = 'unfulfilled' where id = '${id}'`);
    expect(await sent()).toEqual(['unfulfilled', 0, 0]);
    expect(await list()).toMatchObject([{ status: 'cancelled' }]);
    expect((await change(fulfillment.id, { status: 'delivered' })).body.code).toBe('invalid_state');
    expect((await create()).status).toBe(201);
    expect(await sent()).toEqual(['fulfilled', 3, 2]);
  });
});

test('every known carrier has a page for its numbers', () => {
  const urls = carriers.map((carrier) => createTrackingUrl(carrier, 'A/1 2'));
  expect(urls.every((url) => url !== null && URL.canParse(url) && url.endsWith('A%2F12'))).toBe(true);
  expect(new Set(urls).size).toBe(12);
});
