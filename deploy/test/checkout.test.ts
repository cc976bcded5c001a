import { newId } from '@waybill/contracts';
import { eventually } from '@waybill/testing';
import request from 'supertest';
import { person, type Shops, startShops } from './shops.ts';

let shops: Shops;
beforeAll(async () => {
  shops = await startShops();
});
afterAll(() => shops.stop());

describe('POST /storefront/{storeId}/orders', () => {
  test('returns the whole order, reserves its stock, creates the customer and emits their events', async () => {
    const store = await shops.newStore('CHF');
    const product = await store.product([5, 7]);
    const [small, large] = product.variants;
    const shippingAddress = { line1: 'Main St 1', city: 'Bern', country: 'CH' };
    const res = await store.checkout({
      items: [
        { variantId: small!.id, quantity: 1 },
        { variantId: large!.id, quantity: 2 },
        { variantId: small!.id, quantity: 1 },
      ],
      customer: { ...person, phone: '+41 1', shippingAddress },
    });
    expect(res.status).toBe(201);
    const address = {
      name: '',
      line1: 'Main St 1',
      line2: '',
      city: 'Bern',
      region: '',
      postalCode: '',
      country: 'CH',
    };
    const { order } = res.body;
    expect(order).toEqual({
      id: expect.stringMatching(/^ord_/),
      number: 1,
      status: 'open',
      payment: 'pending',
      fulfillment: 'unfulfilled',
      currency: 'CHF',
      lineItems: [
        {
          productId: product.id,
          variantId: small!.id,
          sku: null,
          name: 'Tea',
          variantName: 'Size 0',
          options: {},
          quantity: 2,
          fulfilledQuantity: 0,
          refundedQuantity: 0,
          unitPriceCents: 100,
          discountCents: 0,
          taxCents: 0,
          taxPercent: null,
          totalCents: 200,
        },
        expect.objectContaining({ variantId: large!.id, quantity: 2, unitPriceCents: 200, totalCents: 400 }),
      ],
      subtotalCents: 600,
      discountCents: 0,
      discounts: [],
      shippingCents: 0,
      shippingTaxCents: 0,
      shippingRate: null,
      taxCents: 0,
      taxLines: [],
      taxIncluded: true,
      reverseCharge: false,
      totalCents: 600,
      paidCents: 0,
      refundedCents: 0,
      dueCents: 600,
      vatId: null,
      locale: null,
      customFields: {},
      customerId: expect.stringMatching(/^cus_/),
      customer: { name: 'Bob Ross', email: 'bob@example.com', phone: '+41 1', shippingAddress: address },
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: order.createdAt,
    });
    expect((await store.api('get', `orders/${order.id}`)).body).toEqual({ order });
    expect(await store.stocks(product.id)).toEqual([3, 5]);
    const { customer } = (await store.api('get', `customers/${order.customerId}`)).body;
    expect(customer).toMatchObject({
      email: 'bob@example.com',
      name: 'Bob Ross',
      phone: '+41 1',
      addresses: [address],
      ordersCount: 1,
      totalSpentCents: 0,
    });
    await eventually(() => store.events('').length >= 3);
    expect(store.events('order.created').map(({ data }) => data)).toEqual([{ order }]);
    expect(store.events('customer.created').map(({ data }) => data)).toEqual([{ customer }]);
    const [updated] = store.events('product.updated');
    expect(updated!.data).toEqual((await store.api('get', `products/${product.id}`)).body);
  });

  test('50 simultaneous orders of a variant with stock 20 become exactly 20, numbered 1 to 20, of one customer', async () => {
    const store = await shops.newStore();
    const product = await store.product([20]);
    const replies = await Promise.all(Array.from({ length: 50 }, () => store.buy(product.variants[0]!.id)));
    const numbers = replies.flatMap(({ status, body }) => (status === 201 ? [body.order.number] : []));
    expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
    const refused = replies.filter(({ status }) => status !== 201);
    expect(new Set(refused.map(({ status, body }) => `${status} ${body.code}`))).toEqual(
      new Set(['409 out_of_stock']),
    );
    expect(await store.stocks(product.id)).toEqual([0]);
    expect((await store.api('get', 'orders?limit=1')).body.total).toBe(20);
    const { customers } = (await store.api('get', 'customers')).body;
    expect(customers).toEqual([expect.objectContaining({ ordersCount: 20 })]);
  });

  test('simultaneous carts of the same products in any order do not deadlock', async () => {
    const store = await shops.newStore();
    const products = await Promise.all([
      store.product([100, 100]),
      store.product([100]),
      store.product([100]),
    ]);
    const variants = products.flatMap((product) => product.variants);
    const replies = await Promise.all(
      Array.from({ length: 30 }, (_, i) => {
        const turned = [...variants.slice(i % 4), ...variants.slice(0, i % 4)];
        const items = turned.map(({ id }) => ({ variantId: id, quantity: 1 }));
        return store.checkout({ items: i % 2 ? items : items.reverse(), customer: person });
      }),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array(30).fill(201));
    expect(await store.stocks(products[0]!.id)).toEqual([70, 70]);
  });

  test('409 out_of_stock names the variants, and reserves nothing', async () => {
    const store = await shops.newStore();
    const product = await store.product([5, 1, 0]);
    const items = product.variants.map(({ id }) => ({ variantId: id, quantity: 2 }));
    const res = await store.checkout({ items, customer: person });
    expect(res).toMatchObject({
      status: 409,
      body: {
        code: 'out_of_stock',
        variants: [
          { variantId: items[1]!.variantId, available: true },
          { variantId: items[2]!.variantId, available: false },
        ],
        details: [
          { pointer: '/items/1/quantity', message: 'is more than is left' },
          { pointer: '/items/2/quantity', message: 'is sold out' },
        ],
      },
    });
    expect(await store.stocks(product.id)).toEqual([5, 1, 0]);
    expect((await store.api('get', 'orders')).body).toEqual({ orders: [], total: 0, nextCursor: null });
    expect((await store.api('get', 'customers')).body.total).toBe(0);
  });

  test('409 out_of_stock does not reveal how much stock is left', async () => {
    const store = await shops.newStore();
    const [one, many] = [await store.product([1]), await store.product([998])];
    const answer = async ({ variants: [variant] }: { variants: { id: string }[] }) =>
      (await store.buy(variant!.id, 999)).text.replaceAll(variant!.id, '');
    expect(await answer(one)).toBe(await answer(many));
  });

  test('accepts at most 999 of a variant over all lines', async () => {
    const store = await shops.newStore();
    const product = await store.product([2_000]);
    const variantId = product.variants[0]!.id;
    const order = (...quantities: number[]) =>
      store.checkout({
        items: quantities.map((quantity) => ({ variantId, quantity })),
        customer: person,
      });
    for (const quantities of [[1_000], [1_000_000], [2 ** 53]]) {
      expect(await order(...quantities)).toMatchObject({
        status: 400,
        body: { code: 'invalid_body', details: [{ pointer: '/items/0/quantity' }] },
      });
    }
    const details = [{ pointer: '/items/2/quantity', message: expect.stringContaining('999') }];
    expect(await order(500, 499, 1, 1)).toMatchObject({
      status: 400,
      body: { code: 'invalid_body', details },
    });
    expect(await store.stocks(product.id)).toEqual([2_000]);
    expect((await order(500, 499)).status).toBe(201);
    expect(await store.stocks(product.id)).toEqual([1_001]);
  });

  test("holds to the store's own limit from the next order on; a placed order is answered again", async () => {
    const store = await shops.newStore();
    const product = await store.product([50, 50]);
    const [a, b] = product.variants.map(({ id }) => id);
    const placed = await store.buy(a!, 5, 'before');
    await store.settle({ maxQuantity: 4 });
    expect(await store.buy(a!, 5, 'after')).toMatchObject({
      status: 400,
      body: { code: 'invalid_body', details: [{ pointer: '/items/0/quantity' }] },
    });
    expect((await store.buy(a!, 5, 'before')).body).toEqual(placed.body);
    const items = [a, b, a, b].map((variantId) => ({ variantId, quantity: 2 }));
    expect((await store.checkout({ items, customer: person })).status).toBe(201);
    await store.settle({ maxQuantity: 999 });
    expect((await store.buy(a!, 5, 'after')).status).toBe(201);
    expect(await store.stocks(product.id)).toEqual([36, 46]);
  });

  test('400 for an unknown variant, one of another store, or one of an inactive product', async () => {
    const store = await shops.newStore();
    const other = await (await shops.newStore()).product([5]);
    const [draft, archived] = [await store.product([5], 'draft'), await store.product([5], 'archived')];
    for (const variantId of [newId('variant'), ...[other, draft, archived].map((p) => p.variants[0]!.id)]) {
      expect(await store.buy(variantId)).toMatchObject({
        status: 400,
        body: { code: 'invalid_body', details: [{ pointer: '/items/0/variantId' }] },
      });
    }
  });

  test('404 for an unknown store and an invalid id', async () => {
    const { product, checkout } = await shops.newStore();
    const items = [{ variantId: (await product([1])).variants[0]!.id, quantity: 1 }];
    expect((await checkout({ items, customer: person })).status).toBe(201);
    for (const storeId of [newId('store'), 'nonsense']) {
      const res = await request(shops.system.internalUrl)
        .post(`/storefront/${storeId}/orders`)
        .set('idempotency-key', 'k')
        .send({ items, customer: person });
      expect(res).toMatchObject({ status: 404, body: { code: 'not_found' } });
    }
  });

  test.each([
    [{}],
    [{ items: [], customer: person }],
    [{ items: [{ variantId: 'var_x', quantity: 1 }], customer: person }],
    [{ items: [{ variantId: newId('variant'), quantity: 0 }], customer: person }],
    [{ items: [{ variantId: newId('variant'), quantity: 1.5 }], customer: person }],
    [{ items: [{ variantId: newId('variant'), quantity: -1 }], customer: person }],
    [{ items: [{ variantId: newId('variant'), quantity: 1 }] }],
    [{ items: [{ variantId: newId('variant'), quantity: 1 }], customer: { name: 'A', email: 'nobody' } }],
    [{ items: [{ variantId: newId('variant'), quantity: 1 }], customer: { email: 'a@b.cd' } }],
    [
      {
        items: [{ variantId: newId('variant'), quantity: 1 }],
        customer: { ...person, shippingAddress: { country: 'ZZ' } },
      },
    ],
  ])('400 invalid_body for %j', async (body) => {
    expect(await (await shops.newStore()).checkout(body)).toMatchObject({
      status: 400,
      body: { code: 'invalid_body' },
    });
  });

  test('a known customer keeps the merchant’s data', async () => {
    const store = await shops.newStore();
    const product = await store.product([5]);
    const first = (await store.buy(product.variants[0]!.id)).body.order;
    const again = await store.checkout({
      items: [{ variantId: product.variants[0]!.id, quantity: 1 }],
      customer: { name: 'Robert', email: 'BOB@example.COM' },
    });
    expect(again.body.order).toMatchObject({ customerId: first.customerId, customer: { name: 'Robert' } });
    const { customer } = (await store.api('get', `customers/${first.customerId}`)).body;
    expect(customer).toMatchObject({ name: 'Bob Ross', ordersCount: 2 });
    expect(customer.updatedAt).toBe(customer.createdAt);
  });
});

describe('Idempotency-Key', () => {
  test('400 idempotency_key_required without a key, or with an empty or too long one', async () => {
    const store = await shops.newStore();
    const { variants } = await store.product([5]);
    const body = { items: [{ variantId: variants[0]!.id, quantity: 1 }], customer: person };
    const replies = [
      await request(shops.system.internalUrl).post(`/storefront/${store.storeId}/orders`).send(body),
      await store.checkout(body, ''),
      await store.checkout(body, 'x'.repeat(256)),
      await store.checkout({ items: [] }, ''),
    ];
    for (const reply of replies)
      expect(reply).toMatchObject({ status: 400, body: { code: 'idempotency_key_required' } });
    expect((await store.checkout(body, 'x'.repeat(255))).status).toBe(201);
  });

  test('twenty simultaneous requests and a later one with the same key create one order', async () => {
    const store = await shops.newStore();
    const product = await store.product([1]);
    const buy = () => store.buy(product.variants[0]!.id, 1, 'once');
    const replies = await Promise.all(Array.from({ length: 20 }, buy));
    replies.push(await buy());
    for (const { status, body } of replies)
      expect({ status, body }).toEqual({ status: 201, body: replies[0]!.body });
    expect(await store.stocks(product.id)).toEqual([0]);
    expect((await store.api('get', 'orders')).body.total).toBe(1);
    await eventually(() => store.events('order.created').length > 0);
    expect(store.events('order.created')).toHaveLength(1);
  });

  test('an equal request in another notation gets the same answer; another one is idempotency_conflict', async () => {
    const store = await shops.newStore();
    const { variants } = await store.product([9]);
    const variantId = variants[0]!.id;
    const first = await store.checkout({ items: [{ variantId, quantity: 2 }], customer: person }, 'k');
    const same = {
      customer: { email: 'bob@example.com', name: 'Bob Ross', phone: null },
      extra: 1,
      items: [
        { quantity: 1, variantId },
        { quantity: 1, variantId },
      ],
    };
    expect((await store.checkout(same, 'k')).body).toEqual(first.body);
    expect(await store.buy(variantId, 3, 'k')).toMatchObject({
      status: 409,
      body: { code: 'idempotency_conflict' },
    });
    const elsewhere = await shops.newStore();
    expect((await elsewhere.buy((await elsewhere.product([3])).variants[0]!.id, 3, 'k')).status).toBe(201);
  });

  test('is stored as a hash, also by an older version', async () => {
    const store = await shops.newStore();
    const product = await store.product([9]);
    const buy = () => store.buy(product.variants[0]!.id, 1, 'secret-key');
    const keys = async () =>
      (
        await shops.query('orders', 'select idempotency_key as key from checkout where store_id = $1', [
          store.storeId,
        ])
      ).map(({ key }) => key as string);
    const { body } = await buy();
    const [hash] = await keys();
    expect(hash).toMatch(/^sha256:[0-9a-f]{64}$/);
    await shops.query('orders', `update checkout set idempotency_key = 'secret-key' where store_id = $1`, [
      store.storeId,
    ]);
    expect((await buy()).body).toEqual(body);
    expect(
      (await shops.query('orders', `select 1 from "order" where store_id = $1`, [store.storeId])).length,
    ).toBe(1);
    await shops.query(
      'orders',
      `update checkout set created_at = now() - interval '2 hours' where store_id = $1`,
      [store.storeId],
    );
    await shops.system.restart();
    await eventually(async () => (await keys())[0] === hash, { what: 'the key to be hashed' });
    expect((await buy()).body).toEqual(body);
  });

  test('is free again after 24 hours', async () => {
    const store = await shops.newStore();
    const product = await store.product([9]);
    const buy = (key: string) => store.buy(product.variants[0]!.id, 1, key);
    const [old, young] = [(await buy('old')).body, (await buy('young')).body];
    const age = `update checkout set created_at = now() - $2::interval where store_id = $1 and idempotency_key = checkout_key_hash($3)`;
    await shops.query('orders', age, [store.storeId, '24 hours 1 minute', 'old']);
    await shops.query('orders', age, [store.storeId, '23 hours 59 minutes', 'young']);
    await shops.system.restart();
    await eventually(async () => (await buy('old')).body.order.number === 3);
    expect((await buy('young')).body).toEqual(young);
    expect((await store.api('get', `orders/${old.order.id}`)).body).toEqual({ order: old.order });
  });

  test('an error is not stored: the key can be used again', async () => {
    const store = await shops.newStore();
    const product = await store.product([1]);
    const variantId = product.variants[0]!.id;
    expect((await store.buy(variantId, 2, 'k')).body.code).toBe('out_of_stock');
    expect((await store.buy(variantId, 1, 'k')).status).toBe(201);
  });
});

describe('cancelling an order', () => {
  test('puts its stock back once, even when repeated and for deleted products', async () => {
    const store = await shops.newStore();
    const [tea, gone] = [await store.product([10]), await store.product([10])];
    const items = [tea, gone].map((product) => ({ variantId: product.variants[0]!.id, quantity: 3 }));
    const { order } = (await store.checkout({ items, customer: person })).body;
    expect(await store.stocks(tea.id)).toEqual([7]);
    await store.api('delete', `products/${gone.id}`);
    const cancel = () => store.api('patch', `orders/${order.id}`, { status: 'cancelled' });
    const replies = await Promise.all([cancel(), cancel(), cancel()]);
    for (const { status, body } of replies) {
      expect(status).toBe(200);
      expect(body.order.status).toBe('cancelled');
    }
    await eventually(async () => (await store.stocks(tea.id))[0] === 10);
    await cancel();
    const other = (await store.buy(tea.variants[0]!.id, 1)).body.order;
    await store.api('patch', `orders/${other.id}`, { status: 'cancelled' });
    // Events of a store come in order: a duplicate of the first would have come by now.
    await eventually(() => store.events('order.updated').length >= 2);
    await eventually(async () => (await store.stocks(tea.id))[0] === 10);
    await eventually(() => {
      const emittedProduct = store.events('product.updated').at(-1)!.data.product;
      return emittedProduct?.id === tea.id && emittedProduct?.totalStock === 10;
    });
  });
});

describe('a checkout that broke off', () => {
  const reserve = (storeId: string, orderId: string, variantId: string, expiresAt: Date) =>
    request(shops.system.internalUrl)
      .post('/internal/reservations')
      .set('authorization', `Bearer ${shops.system.serviceToken}`)
      .send({ storeId, orderId, expiresAt: expiresAt.toISOString(), items: [{ variantId, quantity: 4 }] });
  const soon = () => new Date(Date.now() + 60_000);
  /** Makes reservations as old as if that much time had passed. */
  const expire = (storeId: string) =>
    shops.query(
      'catalog',
      `update reservation set expires_at = now() - interval '1 minute' where store_id = $1`,
      [storeId],
    );
  const reservations = async (storeId: string) =>
    Number(
      (await shops.query('catalog', 'select count(*) from reservation where store_id = $1', [storeId]))[0]
        .count,
    );

  test('gives its stock back when the reservation has expired', async () => {
    const store = await shops.newStore();
    const product = await store.product([10]);
    const variantId = product.variants[0]!.id;
    const orderId = newId('order');
    const first = await reserve(store.storeId, orderId, variantId, soon());
    expect(first.body.outcome).toBe('reserved');
    expect((await reserve(store.storeId, orderId, variantId, soon())).body).toEqual(first.body);
    expect(await store.stocks(product.id)).toEqual([6]);
    await expire(store.storeId);
    await eventually(async () => (await store.stocks(product.id))[0] === 10);
    expect(await reservations(store.storeId)).toBe(0);
  });

  test('does not delay others if its stock cannot be given back', async () => {
    const [stuck, store] = [await shops.newStore(), await shops.newStore()];
    const [first, second] = [await stuck.product([10]), await store.product([10])];
    await reserve(stuck.storeId, newId('order'), first.variants[0]!.id, soon());
    await reserve(store.storeId, newId('order'), second.variants[0]!.id, soon());
    await shops.query(
      'catalog',
      `alter table variant add constraint planted check (id <> '${first.variants[0]!.id}' or stock < 10) not valid`,
    );
    const age = `update reservation set expires_at = now() - interval '2 minutes' where store_id = $1`;
    await shops.query('catalog', age, [stuck.storeId]);
    await expire(store.storeId);
    await eventually(async () => (await store.stocks(second.id))[0] === 10, { withinMs: 15_000 });
    expect(await stuck.stocks(first.id)).toEqual([6]);
    await shops.query('catalog', 'alter table variant drop constraint planted');
    await eventually(async () => (await stuck.stocks(first.id))[0] === 10);
  });

  test('is continued by the same request with its reservation', async () => {
    const store = await shops.newStore();
    const product = await store.product([4]);
    const variantId = product.variants[0]!.id;
    // The state that a request leaves if it ends right after its reservation; a constraint in the database cuts off its
    // order.
    await shops.query('orders', 'alter table "order" add constraint planted check (number < 0) not valid');
    expect((await store.buy(variantId, 4, 'k')).status).toBe(500);
    await shops.query('orders', 'alter table "order" drop constraint planted');
    expect(await store.stocks(product.id)).toEqual([0]);
    expect((await store.api('get', 'orders')).body.total).toBe(0);
    const res = await store.buy(variantId, 4, 'k');
    expect(res).toMatchObject({ status: 201, body: { order: { number: 1 } } });
    expect(await store.stocks(product.id)).toEqual([0]);
  });

  test('from a page that has something to tell is ended, and no other is begun', async () => {
    const store = await shops.newStore();
    const product = await store.product([4]);
    const items = [{ variantId: product.variants[0]!.id, quantity: 4 }];
    const ask = (onlyBegun: object) =>
      request(shops.system.internalUrl)
        .post('/internal/checkouts')
        .set('authorization', `Bearer ${shops.system.serviceToken}`)
        .send({
          storeId: store.storeId,
          key: 'k',
          address: '127.0.0.1',
          checkout: { items, customer: person },
          ...onlyBegun,
        });
    const end = async () => (await ask({ onlyBegun: true })).body;
    const breakOff = async () => {
      await shops.query('orders', 'alter table "order" add constraint planted check (number < 0) not valid');
      expect((await ask({})).status).toBe(500);
      await shops.query('orders', 'alter table "order" drop constraint planted');
    };
    const begun = () =>
      shops.query('orders', 'select is_placed from checkout where store_id = $1', [store.storeId]);

    expect(await end()).toEqual({ outcome: 'not_begun' });
    expect([await begun(), await store.stocks(product.id)]).toEqual([[], [4]]);
    await breakOff();
    await shops.query(
      'orders',
      `update checkout set expires_at = now() - interval '1 second' where store_id = $1`,
      [store.storeId],
    );
    expect(await end()).toEqual({ outcome: 'not_begun' });
    expect(await begun()).toEqual([]);
    await expire(store.storeId);
    await eventually(async () => (await store.stocks(product.id))[0] === 4);

    await breakOff();
    expect(await store.stocks(product.id)).toEqual([0]);
    const placed = await end();
    expect(placed.outcome).toBe('placed');
    expect(await end()).toEqual(placed);
    items[0]!.quantity = 3;
    expect((await end()).code).toBe('idempotency_conflict');
    expect((await store.api('get', 'orders')).body.total).toBe(1);
  });

  test('can no longer be written once its stock has gone back; the same request starts anew', async () => {
    const store = await shops.newStore();
    const product = await store.product([4]);
    const variantId = product.variants[0]!.id;
    await shops.query('orders', 'alter table "order" add constraint planted check (number < 0) not valid');
    expect((await store.buy(variantId, 4, 'k')).status).toBe(500);
    await shops.query('orders', 'alter table "order" drop constraint planted');
    await expire(store.storeId);
    await eventually(async () => (await store.stocks(product.id))[0] === 4);
    expect(
      await shops.query('orders', 'select * from checkout where store_id = $1', [store.storeId]),
    ).toEqual([]);
    expect((await store.buy(variantId, 4, 'k')).status).toBe(201);
    expect(await store.stocks(product.id)).toEqual([0]);
  });

  test('starts anew by itself when it has taken too long', async () => {
    const store = await shops.newStore();
    const product = await store.product([4]);
    await shops.query(
      'orders',
      `insert into checkout (store_id, idempotency_key, request_hash, order_id, expires_at)
       values ($1, 'k', '\\x00', $2, now() - interval '1 second')`,
      [store.storeId, newId('order')],
    );
    expect((await store.buy(product.variants[0]!.id, 4, 'k')).status).toBe(201);
  });

  test('a placed order keeps its stock when its reservation is settled, and may be cancelled before', async () => {
    const store = await shops.newStore();
    const product = await store.product([10]);
    const variantId = product.variants[0]!.id;
    await store.buy(variantId, 1);
    const { order } = (await store.buy(variantId, 2)).body;
    await store.api('patch', `orders/${order.id}`, { status: 'cancelled' });
    await eventually(async () => (await store.stocks(product.id))[0] === 9);
    await shops.system.restart();
    await expire(store.storeId);
    await eventually(async () => (await reservations(store.storeId)) === 0);
    expect(await store.stocks(product.id)).toEqual([9]);
  });

  test('a reservation that would have expired is not made', async () => {
    const store = await shops.newStore();
    const product = await store.product([10]);
    const late = await reserve(store.storeId, newId('order'), product.variants[0]!.id, new Date());
    expect(late.body).toEqual({ outcome: 'expired' });
    expect(await store.stocks(product.id)).toEqual([10]);
  });
});

describe('an order that is not paid', () => {
  /** Makes an order as old as if it had been placed that long ago. */
  const age = (orderId: string, hours: number) =>
    shops.query(
      'orders',
      `update "order" set created_at = ((created_at at time zone 'UTC') - make_interval(hours => $2)) at time zone 'UTC'
       where id = $1`,
      [orderId, hours],
    );

  test('is cancelled when it is older than the store allows, with one event, and its stock goes back once', async () => {
    const store = await shops.newStore();
    const product = await store.product([20]);
    const buy = async () => (await store.buy(product.variants[0]!.id, 2)).body.order;
    const [old, young, paid, shipped] = [await buy(), await buy(), await buy(), await buy()];
    await store.api('patch', `orders/${paid.id}`, { payment: 'paid' });
    await store.api('patch', `orders/${shipped.id}`, { fulfillment: 'fulfilled' });
    for (const { id } of [old, paid, shipped]) await age(id, 49);
    await age(young.id, 47);
    const state = async ({ id }: { id: string }) =>
      (await store.api('get', `orders/${id}`)).body.order.status;
    await store.settle({ expireUnpaidAfterMinutes: 1, expireManualAfterDays: 2 });

    await eventually(async () => (await state(old)) === 'cancelled');
    await eventually(async () => (await store.stocks(product.id))[0] === 14);
    expect([await state(young), await state(paid), await state(shipped)]).toEqual(['open', 'open', 'open']);
    const { order } = (await store.api('get', `orders/${old.id}`)).body;
    expect(order).toMatchObject({ payment: 'pending', fulfillment: 'unfulfilled' });
    const listUpdates = () => store.events('order.updated').filter(({ data }) => data.order!.id === old.id);
    expect(listUpdates().map(({ data }) => data)).toEqual([{ order }]);
    const { customer } = (await store.api('get', `customers/${old.customerId}`)).body;
    expect(customer.ordersCount).toBe(3);
    expect((await store.api('get', 'orders?status=cancelled')).body.total).toBe(1);
    // Repeats this with the setting off: nothing happens.
    await shops.system.restart();
    await store.settle({ expireManualAfterDays: 0 });
    const setting = 'select from checkout_setting where store_id = $1 and expire_manual_after_days > 0';
    await eventually(async () => (await shops.query('orders', setting, [store.storeId])).length === 0);
    await age(young.id, 60);
    await shops.system.restart();
    expect(await state(young)).toBe('open');
    expect(listUpdates()).toHaveLength(1);
    expect(await store.stocks(product.id)).toEqual([14]);
  }, 60_000);

  test('is either paid or cancelled when both happen at once, and its stock agrees', async () => {
    const store = await shops.newStore();
    const product = await store.product([40]);
    const placed = [];
    for (let i = 0; i < 20; i++) placed.push((await store.buy(product.variants[0]!.id, 1)).body.order);
    await store.settle({ expireManualAfterDays: 1 });
    const setting = 'select * from checkout_setting where store_id = $1 and expire_manual_after_days = 1';
    await eventually(async () => (await shops.query('orders', setting, [store.storeId])).length === 1);
    for (const { id } of placed) await age(id, 25);
    // A start looks for them at once, the oldest first.
    await shops.system.restart();
    const pay = ({ id }: { id: string }) => store.api('patch', `orders/${id}`, { payment: 'paid' });
    for (const { status } of await Promise.all(placed.reverse().map(pay))) expect(status).toBe(200);
    const total = async (filter: string) => (await store.api('get', `orders?${filter}`)).body.total;
    await eventually(async () => (await total('status=open&payment=pending')) === 0);
    const cancelled = await total('status=cancelled');
    expect((await total('status=open&payment=paid')) + cancelled).toBe(20);
    await eventually(async () => (await store.stocks(product.id))[0] === 20 + cancelled);
  }, 60_000);
});

describe('a code that may be used 100 times', () => {
  test('is used by 100 of 500 simultaneous checkouts, and by 100 more after 100 cancellations', async () => {
    const store = await shops.newStore();
    const product = await store.product([10_000]);
    const items = [{ variantId: product.variants[0]!.id, quantity: 1 }];
    const created = await store.api('post', 'discounts', {
      title: 'First',
      code: 'FIRST',
      kind: 'percentage',
      percent: '10',
      limits: { total: 100 },
    });
    expect(created.status).toBe(201);
    /** Repeats a checkout as long as a busy machine answers 503. */
    const checkoutPatiently = async (body: object) => {
      for (;;) {
        const reply = await store.checkout(body);
        if (reply.status !== 503) return reply;
      }
    };
    const rush = async (count: number) => {
      const replies = await Promise.all(
        Array.from({ length: count }, () =>
          checkoutPatiently({ items, customer: person, discountCodes: ['first'], expectedTotalCents: 90 }),
        ),
      );
      const refusals = replies.filter(({ status }) => status !== 201);
      expect(new Set(refusals.map(({ status, body }) => `${status} ${body.code}`))).toEqual(
        new Set(['409 discount_rejected']),
      );
      expect(refusals[0]!.body.rejectedCodes).toEqual([{ code: 'FIRST', reason: 'usedUp' }]);
      return replies.filter(({ status }) => status === 201).map(({ body }) => body.order);
    };
    const usedCount = async () =>
      (await store.api('get', `discounts/${created.body.discount.id}`)).body.discount.usedCount;

    const placed = await rush(500);
    expect(placed).toHaveLength(100);
    expect(new Set(placed.map(({ totalCents }) => totalCents))).toEqual(new Set([90]));
    expect(await usedCount()).toBe(100);
    for (const { id } of placed) await store.api('patch', `orders/${id}`, { status: 'cancelled' });
    expect(await usedCount()).toBe(0);
    expect(await rush(150)).toHaveLength(100);
    // A refused order holds no stock.
    await eventually(async () => (await store.stocks(product.id))[0] === 9_900);
  });

  test('a status that discounts do not have is refused as a status', async () => {
    const store = await shops.newStore();
    const sale = { title: 'Sale', kind: 'freeShipping' };
    const { discount } = (await store.api('post', 'discounts', sale)).body;
    const refusals = [
      await store.api('post', 'discounts', { ...sale, status: 'paused' }),
      await store.api('patch', `discounts/${discount.id}`, { status: null }),
    ];
    for (const { status, body } of refusals)
      expect([status, body.code, body.details[0].pointer]).toEqual([400, 'invalid_status', '/status']);
  });

  test('10,000 single-use codes are available at once, and each works once', async () => {
    const store = await shops.newStore();
    const product = await store.product([100]);
    const items = [{ variantId: product.variants[0]!.id, quantity: 1 }];
    const created = await store.api('post', 'discounts', {
      title: 'Letters',
      kind: 'amount',
      amountCents: 30,
    });
    const path = `discounts/${created.body.discount.id}`;
    const start = performance.now();
    const { body } = await store.api('post', `${path}/codes`, { count: 10_000, prefix: 'TEA-' });
    // Less than 2 s on an idle machine.
    expect(performance.now() - start).toBeLessThan(10_000);
    const codes: string[] = body.codes;
    expect(new Set(codes).size).toBe(10_000);
    const [code] = codes;
    const replies = await Promise.all(
      Array.from({ length: 10 }, () =>
        store.checkout({ items, customer: person, discountCodes: [code!.toLowerCase()] }),
      ),
    );
    const orders = replies.filter(({ status }) => status === 201).map(({ body: { order } }) => order);
    expect(orders.map(({ totalCents, discounts }) => [totalCents, discounts])).toEqual([
      [70, [{ id: created.body.discount.id, title: 'Letters', code: code!.toLowerCase(), amountCents: 30 }]],
    ]);
    const used = async () => (await store.api('get', `${path}/codes?used=true`)).body;
    expect(await used()).toMatchObject({ total: 1, codes: [{ code, orderId: orders[0].id }] });
    await store.api('patch', `orders/${orders[0].id}`, { status: 'cancelled' });
    expect((await used()).total).toBe(0);
    const again = await store.checkout({ items, customer: person, discountCodes: [code] });
    expect(again.status).toBe(201);
    expect((await store.api('delete', `${path}/codes/${code}`)).status).toBe(204);
    await store.api('patch', `orders/${again.body.order.id}`, { status: 'cancelled' });
    expect((await store.checkout({ items, customer: person, discountCodes: [code] })).body).toMatchObject({
      code: 'discount_rejected',
      rejectedCodes: [{ code, reason: 'unknown' }],
    });
    expect((await store.api('post', `${path}/codes`, { count: 10_000 })).status).toBe(201);
    expect((await store.api('get', `${path}/codes?limit=1`)).body.total).toBe(19_999);
  });
});
