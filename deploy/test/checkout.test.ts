import { catalog } from '@waybill/catalog';
import {
  CustomerCreated,
  newId,
  OrderCreated,
  OrderUpdated,
  type Permission,
  type Principal,
  ProductUpdated,
} from '@waybill/contracts';
import { identity } from '@waybill/identity';
import { defineConfig, defineService } from '@waybill/kernel';
import { orders } from '@waybill/orders';
import { eventually, mailsTo, startSystem, type TestSystem } from '@waybill/testing';
import pg from 'pg';
import request from 'supertest';
import Type from 'typebox';

const heard: { name: string; storeId: string; data: Record<string, Record<string, unknown>> }[] = [];
const listener = defineService({
  name: 'listener',
  config: defineConfig(Type.Object({})),
  aggregates: [],
  subscriptions: () => [
    {
      queue: 'listener.all',
      events: [OrderCreated, OrderUpdated, CustomerCreated, ProductUpdated],
      batch: 100,
      handle: async (events) =>
        void heard.push(
          ...events.map(({ name, storeId, data }) => ({ name, storeId, data: JSON.parse(data) })),
        ),
    },
  ],
});

const unlimited = {
  RATE_LIMIT_PER_MINUTE: '100000000',
  RATE_LIMIT_BURST: '1000000',
  STOREFRONT_ORDERS_PER_MINUTE: '1000000',
};
let system: TestSystem;
let owner: Extract<Principal, { kind: 'user' }>;
beforeAll(async () => {
  system = await startSystem([identity, catalog, orders, listener], unlimited);
  const account = { email: 'ann@example.com', password: 'correct horse', name: 'Ann' };
  const { body } = await request(system.internalUrl).post('/api/auth/register').send(account);
  owner = { kind: 'user', userId: body.user.id, email: body.user.email };
});
afterAll(() => system.stop());

async function query(service: string, text: string, values: unknown[] = []) {
  const client = new pg.Client(system.databaseUrl(service));
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}

const person = { name: 'Bob Ross', email: 'Bob@Example.com' };
let keys = 0;

/** A store of its own, and what its merchant and its shoppers do. */
async function newStore(currency = 'EUR', by = owner) {
  const made = await request(system.internalUrl)
    .post('/api/stores')
    .set(await system.as(by))
    .send({ name: 'Tea House', currency });
  const storeId: string = made.body.store.id;
  const merchant: Principal = { ...by, storeId, role: 'owner' };
  const scopes: Permission[] = [
    'products.read',
    'products.write',
    'orders.read',
    'orders.write',
    'customers.read',
  ];
  const principal: Principal = {
    kind: 'apiKey',
    storeId,
    keyId: 'key_1',
    scopes,
    creatorPermissions: scopes,
  };
  const api = async (method: 'get' | 'post' | 'put' | 'patch' | 'delete', path: string, body?: object) =>
    request(system.internalUrl)
      [method](`/api/v1/${path}`)
      .set(await system.as(principal))
      .send(body);
  const checkout = (body: object, key = `key-${++keys}`) =>
    request(system.internalUrl).post(`/storefront/${storeId}/orders`).set('idempotency-key', key).send(body);
  return {
    storeId,
    api,
    checkout,
    /** Changes the rules of its checkout. */
    async settle(checkout: object) {
      const path = `/api/stores/${storeId}`;
      const res = await request(system.internalUrl)
        .patch(path)
        .set(await system.as(merchant))
        .send({ checkout });
      if (res.status !== 200) throw new Error(res.text);
    },
    async product(stocks: readonly number[], status = 'active') {
      const variants = stocks.map((stock, i) => ({ priceCents: 100 * (i + 1), stock, name: `Size ${i}` }));
      const res = await api('post', 'products', { name: 'Tea', status, variants });
      return res.body.product as { id: string; variants: { id: string }[] };
    },
    buy: (variantId: string, quantity = 1, key?: string) =>
      checkout({ items: [{ variantId, quantity }], customer: person }, key),
    async stocks(productId: string): Promise<number[]> {
      const { product } = (await api('get', `products/${productId}`)).body;
      const stocks = product.variants.map(({ stock }: { stock: number }) => stock);
      expect(product.totalStock).toBe(stocks.reduce((sum: number, stock: number) => sum + stock, 0));
      return stocks;
    },
    events: (name: string) => heard.filter((event) => event.storeId === storeId && event.name.endsWith(name)),
  };
}

describe('POST /storefront/{storeId}/orders', () => {
  test('gives the whole order, takes its stock, makes the customer and tells of all three', async () => {
    const store = await newStore('CHF');
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
          quantity: 2,
          unitPriceCents: 100,
          totalCents: 200,
        },
        expect.objectContaining({ variantId: large!.id, quantity: 2, unitPriceCents: 200, totalCents: 400 }),
      ],
      subtotalCents: 600,
      shippingCents: 0,
      taxCents: 0,
      totalCents: 600,
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

  test('50 at once of a variant with stock 20 give exactly 20 orders, numbered 1 to 20, of one customer', async () => {
    const store = await newStore();
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

  test('carts of the same products in any order do not get in each other’s way', async () => {
    const store = await newStore();
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

  test('409 out_of_stock names the variants, and nothing is taken', async () => {
    const store = await newStore();
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

  test('409 out_of_stock is the same text whatever the stock, as long as any is left', async () => {
    const store = await newStore();
    const [one, many] = [await store.product([1]), await store.product([998])];
    const answer = async ({ variants: [variant] }: { variants: { id: string }[] }) =>
      (await store.buy(variant!.id, 999)).text.replaceAll(variant!.id, '');
    expect(await answer(one)).toBe(await answer(many));
  });

  test('takes 999 of a variant, over all of its lines, and not one more', async () => {
    const store = await newStore();
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
    const store = await newStore();
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

  test('400 for a variant that is unknown, of another store, of a product that is not active', async () => {
    const store = await newStore();
    const other = await (await newStore()).product([5]);
    const [draft, archived] = [await store.product([5], 'draft'), await store.product([5], 'archived')];
    for (const variantId of [newId('variant'), ...[other, draft, archived].map((p) => p.variants[0]!.id)]) {
      expect(await store.buy(variantId)).toMatchObject({
        status: 400,
        body: { code: 'invalid_body', details: [{ pointer: '/items/0/variantId' }] },
      });
    }
  });

  test('404 for an unknown store and for what is no store', async () => {
    const { product, checkout } = await newStore();
    const items = [{ variantId: (await product([1])).variants[0]!.id, quantity: 1 }];
    expect((await checkout({ items, customer: person })).status).toBe(201);
    for (const storeId of [newId('store'), 'nonsense']) {
      const res = await request(system.internalUrl)
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
    expect(await (await newStore()).checkout(body)).toMatchObject({
      status: 400,
      body: { code: 'invalid_body' },
    });
  });

  test('a customer who is known stays as the merchant has it', async () => {
    const store = await newStore();
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
  test('400 idempotency_key_required without one, and for one that is empty or too long', async () => {
    const store = await newStore();
    const { variants } = await store.product([5]);
    const body = { items: [{ variantId: variants[0]!.id, quantity: 1 }], customer: person };
    const replies = [
      await request(system.internalUrl).post(`/storefront/${store.storeId}/orders`).send(body),
      await store.checkout(body, ''),
      await store.checkout(body, 'x'.repeat(256)),
    ];
    for (const reply of replies)
      expect(reply).toMatchObject({ status: 400, body: { code: 'idempotency_key_required' } });
    expect((await store.checkout(body, 'x'.repeat(255))).status).toBe(201);
  });

  test('twenty requests at once with one key give one order, and so does one that comes later', async () => {
    const store = await newStore();
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

  test('the same request written otherwise is the same; another one is idempotency_conflict', async () => {
    const store = await newStore();
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
    const elsewhere = await newStore();
    expect((await elsewhere.buy((await elsewhere.product([3])).variants[0]!.id, 3, 'k')).status).toBe(201);
  });

  test('is free again after 24 hours', async () => {
    const store = await newStore();
    const product = await store.product([9]);
    const buy = (key: string) => store.buy(product.variants[0]!.id, 1, key);
    const [old, young] = [(await buy('old')).body, (await buy('young')).body];
    const age = `update checkout set created_at = now() - $2::interval where store_id = $1 and idempotency_key = $3`;
    await query('orders', age, [store.storeId, '24 hours 1 minute', 'old']);
    await query('orders', age, [store.storeId, '23 hours 59 minutes', 'young']);
    await system.restart();
    await eventually(async () => (await buy('old')).body.order.number === 3);
    expect((await buy('young')).body).toEqual(young);
    expect((await store.api('get', `orders/${old.order.id}`)).body).toEqual({ order: old.order });
  });

  test('an answer that was an error is not kept: the key is free again', async () => {
    const store = await newStore();
    const product = await store.product([1]);
    const variantId = product.variants[0]!.id;
    expect((await store.buy(variantId, 2, 'k')).body.code).toBe('out_of_stock');
    expect((await store.buy(variantId, 1, 'k')).status).toBe(201);
  });
});

describe('cancelling an order', () => {
  test('puts its stock back once, however often it is asked for, also of products deleted since', async () => {
    const store = await newStore();
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
    // Events of a store come in their order: had the first come twice, it would have by now.
    await eventually(() => store.events('order.updated').length >= 2);
    await eventually(async () => (await store.stocks(tea.id))[0] === 10);
    await eventually(() => {
      const told = store.events('product.updated').at(-1)!.data.product;
      return told?.id === tea.id && told?.totalStock === 10;
    });
  });
});

describe('a checkout that broke off', () => {
  const reserve = (storeId: string, orderId: string, variantId: string, expiresAt: Date) =>
    request(system.internalUrl)
      .post('/internal/reservations')
      .set('authorization', `Bearer ${system.serviceToken}`)
      .send({ storeId, orderId, expiresAt: expiresAt.toISOString(), items: [{ variantId, quantity: 4 }] });
  const soon = () => new Date(Date.now() + 60_000);
  /** As if so much time had gone by. */
  const expire = (storeId: string) =>
    query('catalog', `update reservation set expires_at = now() - interval '1 minute' where store_id = $1`, [
      storeId,
    ]);
  const reservations = async (storeId: string) =>
    Number(
      (await query('catalog', 'select count(*) from reservation where store_id = $1', [storeId]))[0].count,
    );

  test('after its stock was reserved gives it back when the reservation has expired', async () => {
    const store = await newStore();
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

  test('whose stock cannot go back holds up no other', async () => {
    const [stuck, store] = [await newStore(), await newStore()];
    const [first, second] = [await stuck.product([10]), await store.product([10])];
    await reserve(stuck.storeId, newId('order'), first.variants[0]!.id, soon());
    await reserve(store.storeId, newId('order'), second.variants[0]!.id, soon());
    await query(
      'catalog',
      `alter table variant add constraint planted check (id <> '${first.variants[0]!.id}' or stock < 10) not valid`,
    );
    const age = `update reservation set expires_at = now() - interval '2 minutes' where store_id = $1`;
    await query('catalog', age, [stuck.storeId]);
    await expire(store.storeId);
    await eventually(async () => (await store.stocks(second.id))[0] === 10, { withinMs: 15_000 });
    expect(await stuck.stocks(first.id)).toEqual([6]);
    await query('catalog', 'alter table variant drop constraint planted');
    await eventually(async () => (await stuck.stocks(first.id))[0] === 10);
  });

  test('is continued by the same request, with what it had reserved', async () => {
    const store = await newStore();
    const product = await store.product([4]);
    const variantId = product.variants[0]!.id;
    // What a request leaves that ends right after its reservation: found in the database by cutting its order off.
    await query('orders', 'alter table "order" add constraint planted check (number < 0) not valid');
    expect((await store.buy(variantId, 4, 'k')).status).toBe(500);
    await query('orders', 'alter table "order" drop constraint planted');
    expect(await store.stocks(product.id)).toEqual([0]);
    expect((await store.api('get', 'orders')).body.total).toBe(0);
    const res = await store.buy(variantId, 4, 'k');
    expect(res).toMatchObject({ status: 201, body: { order: { number: 1 } } });
    expect(await store.stocks(product.id)).toEqual([0]);
  });

  test('can no longer be written once its stock has gone back; the same request starts anew', async () => {
    const store = await newStore();
    const product = await store.product([4]);
    const variantId = product.variants[0]!.id;
    await query('orders', 'alter table "order" add constraint planted check (number < 0) not valid');
    expect((await store.buy(variantId, 4, 'k')).status).toBe(500);
    await query('orders', 'alter table "order" drop constraint planted');
    await expire(store.storeId);
    await eventually(async () => (await store.stocks(product.id))[0] === 4);
    expect(await query('orders', 'select * from checkout where store_id = $1', [store.storeId])).toEqual([]);
    expect((await store.buy(variantId, 4, 'k')).status).toBe(201);
    expect(await store.stocks(product.id)).toEqual([0]);
  });

  test('starts anew by itself when it has taken too long', async () => {
    const store = await newStore();
    const product = await store.product([4]);
    await query(
      'orders',
      `insert into checkout (store_id, idempotency_key, request_hash, order_id, expires_at)
       values ($1, 'k', '\\x00', $2, now() - interval '1 second')`,
      [store.storeId, newId('order')],
    );
    expect((await store.buy(product.variants[0]!.id, 4, 'k')).status).toBe(201);
  });

  test('a placed order keeps its stock when its reservation is settled, and may be cancelled before', async () => {
    const store = await newStore();
    const product = await store.product([10]);
    const variantId = product.variants[0]!.id;
    await store.buy(variantId, 1);
    const { order } = (await store.buy(variantId, 2)).body;
    await store.api('patch', `orders/${order.id}`, { status: 'cancelled' });
    await eventually(async () => (await store.stocks(product.id))[0] === 9);
    await system.restart();
    await expire(store.storeId);
    await eventually(async () => (await reservations(store.storeId)) === 0);
    expect(await store.stocks(product.id)).toEqual([9]);
  });

  test('a reservation that would have expired is not made', async () => {
    const store = await newStore();
    const product = await store.product([10]);
    const late = await reserve(store.storeId, newId('order'), product.variants[0]!.id, new Date());
    expect(late.body).toEqual({ outcome: 'expired' });
    expect(await store.stocks(product.id)).toEqual([10]);
  });
});

describe('an order that is not paid', () => {
  /** As if it had been placed so long ago. */
  const age = (orderId: string, minutes: number) =>
    query('orders', `update "order" set created_at = created_at - make_interval(mins => $2) where id = $1`, [
      orderId,
      minutes,
    ]);

  test('is cancelled when it is older than the store allows: told of once, its stock back once', async () => {
    const store = await newStore();
    const product = await store.product([20]);
    const buy = async () => (await store.buy(product.variants[0]!.id, 2)).body.order;
    const [old, young, paid, shipped] = [await buy(), await buy(), await buy(), await buy()];
    await store.api('patch', `orders/${paid.id}`, { payment: 'paid' });
    await store.api('patch', `orders/${shipped.id}`, { fulfillment: 'fulfilled' });
    for (const { id } of [old, paid, shipped]) await age(id, 31);
    await age(young.id, 28);
    const state = async ({ id }: { id: string }) =>
      (await store.api('get', `orders/${id}`)).body.order.status;
    await store.settle({ expireUnpaidAfterMinutes: 30 });

    await eventually(async () => (await state(old)) === 'cancelled');
    await eventually(async () => (await store.stocks(product.id))[0] === 14);
    expect([await state(young), await state(paid), await state(shipped)]).toEqual(['open', 'open', 'open']);
    const { order } = (await store.api('get', `orders/${old.id}`)).body;
    expect(order).toMatchObject({ payment: 'pending', fulfillment: 'unfulfilled' });
    const told = () => store.events('order.updated').filter(({ data }) => data.order!.id === old.id);
    expect(told().map(({ data }) => data)).toEqual([{ order }]);
    const { customer } = (await store.api('get', `customers/${old.customerId}`)).body;
    expect(customer.ordersCount).toBe(3);
    expect((await store.api('get', 'orders?status=cancelled')).body.total).toBe(1);
    // The same once more, and with the setting off: nothing.
    await system.restart();
    await store.settle({ expireUnpaidAfterMinutes: 0 });
    const setting = 'select from checkout_setting where store_id = $1 and expire_unpaid_after_minutes > 0';
    await eventually(async () => (await query('orders', setting, [store.storeId])).length === 0);
    await age(young.id, 60);
    await system.restart();
    expect(await state(young)).toBe('open');
    expect(told()).toHaveLength(1);
    expect(await store.stocks(product.id)).toEqual([14]);
  }, 60_000);

  test('is either paid or cancelled where both come at the same moment; its stock agrees', async () => {
    const store = await newStore();
    const product = await store.product([40]);
    const placed = [];
    for (let i = 0; i < 20; i++) placed.push((await store.buy(product.variants[0]!.id, 1)).body.order);
    await store.settle({ expireUnpaidAfterMinutes: 1 });
    const setting = 'select * from checkout_setting where store_id = $1 and expire_unpaid_after_minutes = 1';
    await eventually(async () => (await query('orders', setting, [store.storeId])).length === 1);
    for (const { id } of placed) await age(id, 5);
    // A start looks for them at once, the oldest first.
    await system.restart();
    const pay = ({ id }: { id: string }) => store.api('patch', `orders/${id}`, { payment: 'paid' });
    for (const { status } of await Promise.all(placed.reverse().map(pay))) expect(status).toBe(200);
    const total = async (filter: string) => (await store.api('get', `orders?${filter}`)).body.total;
    await eventually(async () => (await total('status=open&payment=pending')) === 0);
    const cancelled = await total('status=cancelled');
    expect((await total('status=open&payment=paid')) + cancelled).toBe(20);
    await eventually(async () => (await store.stocks(product.id))[0] === 20 + cancelled);
  }, 60_000);
});

describe('the limit of a store', () => {
  const limit = 4;
  let limited: TestSystem;
  let usual: TestSystem;
  beforeAll(async () => {
    usual = system;
    limited = await startSystem([identity, catalog, orders, listener], {
      ...unlimited,
      STOREFRONT_ORDERS_PER_MINUTE: String(limit),
    });
    system = limited;
    const account = { email: 'ann@example.com', password: 'correct horse', name: 'Ann' };
    const { body } = await request(system.internalUrl).post('/api/auth/register').send(account);
    owner = { kind: 'user', userId: body.user.id, email: body.user.email };
  });
  afterAll(async () => {
    system = usual;
    await limited.stop();
  });

  test('429 rate_limited with Retry-After, takes nothing, and leaves other stores alone', async () => {
    const [store, other] = [await newStore(), await newStore()];
    const product = await store.product([20]);
    const variantId = product.variants[0]!.id;
    for (let i = 0; i < limit; i++) expect((await store.buy(variantId)).status).toBe(201);
    const refused = await store.buy(variantId, 1, 'refused');
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60 / limit);
    expect(await query('orders', `select * from checkout where idempotency_key = 'refused'`)).toEqual([]);
    expect(await store.stocks(product.id)).toEqual([20 - limit]);
    const elsewhere = (await other.product([5])).variants[0]!.id;
    expect((await other.buy(elsewhere)).status).toBe(201);
  });

  test('a repeated key takes nothing of it, and is answered when it is used up', async () => {
    const store = await newStore();
    const product = await store.product([20]);
    const variantId = product.variants[0]!.id;
    const first = await store.buy(variantId, 1, 'again');
    for (let i = 0; i < 3 * limit; i++)
      expect((await store.buy(variantId, 1, 'again')).body).toEqual(first.body);
    for (let i = 1; i < limit; i++) expect((await store.buy(variantId)).status).toBe(201);
    expect((await store.buy(variantId)).status).toBe(429);
    expect((await store.buy(variantId, 1, 'again')).body).toEqual(first.body);
    expect(await store.buy(variantId, 2, 'again')).toMatchObject({
      status: 409,
      body: { code: 'idempotency_conflict' },
    });
  });

  test('what is no order takes nothing of it', async () => {
    const store = await newStore();
    const variantId = (await store.product([20])).variants[0]!.id;
    await store.settle({ maxQuantity: 2 });
    for (let i = 0; i < 3 * limit; i++) {
      expect((await store.buy(variantId, 3)).status).toBe(400);
      expect((await store.checkout({}, `wrong-${i}`)).status).toBe(400);
    }
    expect((await store.buy(variantId, 2)).status).toBe(201);
  });
});

describe('the limit of an address', () => {
  test('429 rate_limited with Retry-After, whatever the requests ask for', async () => {
    const limited = await startSystem([identity, catalog, orders], {
      RATE_LIMIT_PER_MINUTE: '1',
      RATE_LIMIT_BURST: '3',
    });
    try {
      const replies = [];
      for (let i = 0; i < 4; i++)
        replies.push(
          await request(limited.internalUrl)
            .post(`/storefront/${newId('store')}/orders`)
            .send({}),
        );
      expect(replies.map(({ status }) => status)).toEqual([400, 400, 400, 429]);
      expect(replies[3]).toMatchObject({
        body: { code: 'rate_limited' },
        headers: { 'ratelimit-policy': '"default";q=1;w=60;burst=3' },
      });
      expect(Number(replies[3]!.headers['retry-after'])).toBeGreaterThan(0);
      expect(Number(replies[3]!.headers['retry-after'])).toBeLessThanOrEqual(60);
    } finally {
      await limited.stop();
    }
  });
});

describe('mails of orders', () => {
  let mia: typeof owner;
  beforeAll(async () => {
    const account = { email: 'mia@example.com', password: 'correct horse', name: 'Mia' };
    const { body } = await request(system.internalUrl).post('/api/auth/register').send(account);
    mia = { kind: 'user', userId: body.user.id, email: body.user.email };
  });
  const verify = (userId: string) =>
    query('identity', 'update user_account set email_verified_at = now() where id = $1', [userId]);
  const mailsOf = (storeId: string) =>
    query(
      'identity',
      "select template, state, address from mail where data->>'storeId' = $1 order by template, id",
      [storeId],
    );
  const choose = async (change: object) =>
    request(system.internalUrl)
      .patch('/api/me/notifications')
      .set(await system.as(mia))
      .send(change);
  const settled = (storeId: string, count: number) =>
    eventually(
      async () => {
        const mails = await mailsOf(storeId);
        return mails.length === count && mails.every(({ state }) => state === 'sent') ? mails : null;
      },
      { what: `${count} mails to be sent` },
    );

  test('go to whoever ordered and to the members who want them, one each', async () => {
    await verify(mia.userId);
    const store = await newStore('EUR', mia);
    const product = await store.product([5]);
    const customer = { name: 'Zoe', email: 'zoe.mailed@example.com' };
    const items = [{ variantId: product.variants[0]!.id, quantity: 2 }];
    const { body } = await store.checkout({ items, customer });
    expect(await settled(store.storeId, 2)).toEqual([
      { template: 'orderCreated', state: 'sent', address: null },
      // Nothing of the customer is kept.
      { template: 'orderReceipt', state: 'sent', address: '' },
    ]);
    const [receipt] = await mailsTo(system.dataDir, customer.email);
    expect(receipt).toContain('2 × Tea · Size 0: €2.00');
    expect(receipt).toContain(`/orders/${body.token}`);
    const told = (await mailsTo(system.dataDir, 'mia@example.com')).filter((mail) =>
      mail.includes('new order'),
    );
    expect(told[0]).toContain(`/console/stores/${store.storeId}/orders/${body.order.id}`);
    expect(told[0]).not.toContain('Zoe');

    const off = { storeId: store.storeId, orderCreated: false };
    expect((await choose(off)).body).toEqual({ notification: off });
    const again = await store.checkout({ items, customer });
    expect(again.status).toBe(201);
    expect((await settled(store.storeId, 3)).map(({ template }) => template)).toEqual([
      'orderCreated',
      'orderReceipt',
      'orderReceipt',
    ]);
    const read = await request(system.internalUrl)
      .get('/api/me/notifications')
      .set(await system.as(mia));
    expect(read.body.notifications).toContainEqual(off);
    expect((await choose({ ...off, storeId: newId('store') })).status).toBe(404);
  });

  test('do not go to who was erased before, and not more than 20 in an hour to one address', async () => {
    const store = await newStore('EUR', mia);
    await choose({ storeId: store.storeId, orderCreated: false });
    const product = await store.product([100]);
    const items = [{ variantId: product.variants[0]!.id, quantity: 1 }];
    const { body } = await store.checkout({
      items,
      customer: { name: 'Zoe', email: 'zoe.erased@example.com' },
    });
    await settled(store.storeId, 1);
    await query('orders', 'update "order" set customer_email = \'\' where id = $1', [body.order.id]);
    await query('identity', "update mail set state = 'queued', due_at = now() where data->>'orderId' = $1", [
      body.order.id,
    ]);
    await eventually(async () => (await mailsOf(store.storeId)).length === 0, {
      what: 'the mail to be dropped',
    });
    expect(await mailsTo(system.dataDir, 'zoe.erased@example.com')).toHaveLength(1);

    const customer = { name: 'Flood', email: 'flooded@example.com' };
    for (let i = 0; i < 22; i++) await store.checkout({ items, customer });
    await settled(store.storeId, 20);
    expect(await mailsTo(system.dataDir, customer.email)).toHaveLength(20);
  });
});
