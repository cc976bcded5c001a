import { type Customer, newId, type Principal, type Role, trimName } from '@waybill/contracts';
import { eventually, runSql } from '@waybill/testing';
import fc from 'fast-check';
import request from 'supertest';
import { newStore, type OrdersSystem, startOrders } from './stores.ts';

let system: OrdersSystem;
beforeAll(async () => {
  system = await startOrders();
});
afterAll(() => system.stop());

const address = {
  name: 'Ann',
  line1: 'Rue 1',
  line2: '',
  city: 'Paris',
  region: '',
  postalCode: '75001',
  country: 'FR',
};

describe('POST /customers', () => {
  test('returns the whole customer with its defaults, and emits an event', async () => {
    const store = newStore(system);
    const customer = await store.customer({
      email: 'Ann@Example.COM',
      id: 'cus_x',
      ordersCount: 9,
      note: 'secret',
    });
    expect(customer).toEqual({
      id: expect.stringMatching(/^cus_[0-9a-z]{26}$/),
      email: 'ann@example.com',
      name: '',
      phone: null,
      tags: [],
      addresses: [],
      customFields: {},
      ordersCount: 0,
      totalSpentCents: 0,
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: customer.createdAt,
    });
    const full = { email: 'b@example.com', name: 'Bea', phone: '+33 1', tags: ['vip'], addresses: [address] };
    const second = await store.customer({ ...full, addresses: [{ ...address, line2: undefined }] });
    expect(second).toMatchObject(full);
    expect((await store.send('get', `customers/${second.id}`)).body).toEqual({ customer: second });
    await eventually(() => store.events('orders.customer.created').length === 2);
    expect(store.events('orders.customer.created').map(({ data }) => data)).toEqual([
      { customer },
      { customer: second },
    ]);
  });

  test('409 duplicate_email, whatever its case; in another store it is free', async () => {
    const store = newStore(system);
    await store.customer({ email: 'ann@example.com' });
    expect(await store.send('post', 'customers', { email: 'ANN@example.com' })).toMatchObject({
      status: 409,
      body: { code: 'duplicate_email' },
    });
    await newStore(system).customer({ email: 'ann@example.com' });
    expect((await store.send('get', 'customers')).body.total).toBe(1);
  });

  test('of twenty simultaneous requests with one address one succeeds', async () => {
    const store = newStore(system);
    const all = await Promise.all(
      Array.from({ length: 20 }, () => store.send('post', 'customers', { email: 'a@example.com' })),
    );
    expect(all.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)]);
    expect((await store.send('get', 'customers')).body.total).toBe(1);
  });

  test.each([
    [{}],
    [{ email: '' }],
    [{ email: 'ann' }],
    [{ email: 'mailto:ann@example.com' }],
    [{ email: 'ann@example..com' }],
    [{ email: 'a b@example.com' }],
    [{ email: null }],
    [{ email: `${'a'.repeat(250)}@example.com` }],
    [{ email: 'a@example.com', name: 'x'.repeat(201) }],
    [{ email: 'a@example.com', name: null }],
    [{ email: 'a@example.com', phone: '1'.repeat(51) }],
    [{ email: 'a@example.com', tags: [''] }],
    [{ email: 'a@example.com', addresses: {} }],
    [{ email: 'a@example.com', addresses: [{ country: 'fr' }] }],
    [{ email: 'a@example.com', addresses: [{ country: 'XX' }] }],
    [{ email: 'a@example.com', addresses: [{ city: 5 }] }],
    [{ email: 'a@example.com', name: 'a\0b' }],
    [{ email: 'a@example.com', name: 'a\u001bb' }],
    [{ email: 'a@example.com', phone: '1\t2' }],
    [{ email: 'a@example.com', addresses: [{ line1: 'a\u0007b' }] }],
    [{ email: 'a@example.com', addresses: [{ name: 'a\u0085b' }] }],
  ])('400 invalid_body for %j', async (body) => {
    expect(await newStore(system).send('post', 'customers', body)).toMatchObject({
      status: 400,
      body: { code: 'invalid_body' },
    });
  });

  test('any JSON is a 201 or a documented 400 or 409, and the stored state can be read', async () => {
    const store = newStore(system);
    const value = fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary' }));
    const text = fc.oneof(value, fc.string({ unit: 'grapheme' }));
    const body = fc.record(
      {
        email: fc.oneof(value, fc.emailAddress()),
        name: text,
        phone: text,
        tags: fc.oneof(value, fc.array(text)),
      },
      { requiredKeys: ['email'] },
    );
    await fc.assert(
      fc.asyncProperty(body, async (input) => {
        const res = await store.send('post', 'customers', input);
        expect([201, 400, 409]).toContain(res.status);
        if (res.status !== 201) return void expect(res.body.code).toMatch(/^(invalid_body|duplicate_email)$/);
        // Stored without surrounding white space: decisions.md 19.4.
        expect(res.body.customer.name).toBe(typeof input.name === 'string' ? trimName(input.name) : '');
        expect((await store.send('get', `customers/${res.body.customer.id}`)).body).toEqual(res.body);
      }),
      { numRuns: 120 },
    );
  });
});

describe('PUT /customers/{id}', () => {
  test('replaces: omitted fields fall back to their defaults', async () => {
    const store = newStore(system);
    const { id } = await store.customer({
      email: 'a@example.com',
      name: 'Ann',
      phone: '1',
      tags: ['x'],
      addresses: [address],
    });
    const res = await store.send('put', `customers/${id}`, { email: 'New@example.com', name: 'Ann B' });
    expect(res).toMatchObject({
      status: 200,
      body: {
        customer: { id, email: 'new@example.com', name: 'Ann B', phone: null, tags: [], addresses: [] },
      },
    });
    await eventually(() => store.events('orders.customer.updated').length > 0);
    expect(store.events('orders.customer.updated').map(({ data }) => data)).toEqual([res.body]);
  });

  test('a write of the same state changes nothing: no event, and the same updatedAt', async () => {
    const store = newStore(system);
    const customer = await store.customer({
      email: 'a@example.com',
      name: 'Ann',
      addresses: [{ city: 'Bern' }],
    });
    expect((await store.send('put', `customers/${customer.id}`, customer)).body).toEqual({ customer });
    await store.send('put', `customers/${customer.id}`, { ...customer, name: 'Eve' });
    await eventually(() => store.events('orders.customer.updated').length > 0);
    expect(store.events('orders.customer.updated')).toHaveLength(1);
  });

  test('409 duplicate_email of another customer; 404 for what is not there', async () => {
    const store = newStore(system);
    await store.customer({ email: 'a@example.com' });
    const b = await store.customer({ email: 'b@example.com' });
    expect((await store.send('put', `customers/${b.id}`, { email: 'A@example.com' })).body.code).toBe(
      'duplicate_email',
    );
    expect((await store.send('get', `customers/${b.id}`)).body).toEqual({ customer: b });
    const other = newStore(system);
    for (const wrong of [b.id, newId('customer'), newId('order'), 'nonsense']) {
      expect((await other.send('put', `customers/${wrong}`, { email: 'c@example.com' })).status).toBe(404);
      expect((await other.send('get', `customers/${wrong}`)).status).toBe(404);
      expect((await other.send('delete', `customers/${wrong}`)).status).toBe(404);
    }
  });
});

describe('DELETE /customers/{id}', () => {
  test('keeps the orders and their snapshots; the address may be used by a new customer', async () => {
    const store = newStore(system);
    const order = await store.order(5, { phone: '12' });
    expect((await store.send('delete', `customers/${order.customerId}`)).status).toBe(204);
    expect((await store.send('get', `customers/${order.customerId}`)).status).toBe(404);
    expect((await store.send('get', `orders/${order.id}`)).body).toEqual({
      order: { ...order, customerId: null },
    });
    expect((await store.send('get', `orders?customerId=${order.customerId}`)).body.total).toBe(0);
    expect((await store.patch(order.id, { payment: 'paid' })).body.order.customerId).toBeNull();
    const again = await store.order(7);
    expect(again.customerId).not.toBe(order.customerId);
    const { customer } = (await store.send('get', `customers/${again.customerId}`)).body;
    expect(customer.ordersCount).toBe(1);
    expect((await store.send('get', 'customers')).body.total).toBe(1);
  });

  test('is announced once, by the id only', async () => {
    const store = newStore(system);
    const { id } = await store.customer({ email: 'gone@example.com' });
    for (const status of [204, 404]) {
      expect((await store.send('delete', `customers/${id}`)).status).toBe(status);
    }
    await store.send('delete', `customers/${(await store.customer({ email: 'last@example.com' })).id}`);
    await eventually(() => store.events('orders.customer.deleted').length === 2);
    expect(store.events('orders.customer.deleted')[0]!.data).toEqual({ customer: { id } });
  });
});

describe('GET /customers', () => {
  let store: ReturnType<typeof newStore>;
  beforeAll(async () => {
    store = newStore(system);
    await store.customer({ email: 'zoe@example.com', name: 'beta', phone: '+49 30' });
    await store.customer({ email: 'ann@example.com', name: 'Älpha 100%' });
    await store.customer({ email: 'mia_x@example.org', name: 'Gamma' });
  });

  test.each([
    ['', ['mia_x', 'ann', 'zoe']],
    ['dir=asc', ['zoe', 'ann', 'mia_x']],
    ['sort=name&dir=asc', ['ann', 'zoe', 'mia_x']],
    ['sort=name', ['mia_x', 'zoe', 'ann']],
    ['sort=email&dir=asc', ['ann', 'mia_x', 'zoe']],
    ['sort=nonsense&dir=up', ['mia_x', 'ann', 'zoe']],
    ['limit=1&offset=1', ['ann']],
    ['q=EXAMPLE.COM', ['ann', 'zoe']],
    ['q=%2B49', ['zoe']],
    ['q=%C3%84LPHA', ['ann']],
    ['q=100%25', ['ann']],
    ['q=_', ['mia_x']],
    ['q=example%20gamma', ['mia_x']],
    ['q=%00', []],
  ])('?%s', async (query, expected) => {
    const { customers } = (await store.send('get', `customers?${query}`)).body;
    expect(customers.map(({ email }: Customer) => email.split('@')[0])).toEqual(expected);
  });

  test('a search finds the same in a store that has little of the table', async () => {
    const queries = ['q=EXAMPLE.COM', 'q=%2B49', 'q=example%20gamma&sort=email', 'q=_'];
    const search = async (query: string) => (await store.send('get', `customers?${query}`)).body;
    const found = await Promise.all(queries.map(search));
    expect(found.map(({ total }) => total)).toEqual([2, 1, 1, 1]);
    await runSql(
      system,
      'orders',
      `update pg_class set reltuples = 1000000 where oid = 'customer'::regclass`,
    );
    expect(await Promise.all(queries.map(search))).toEqual(found);
    expect((await newStore(system).send('get', 'customers?q=example')).body.total).toBe(0);
  });

  test('total counts before paging', async () => {
    expect((await store.send('get', 'customers?limit=1')).body.total).toBe(3);
    expect((await store.send('get', 'customers?limit=1&q=example.com')).body.total).toBe(2);
    expect((await newStore(system).send('get', 'customers')).body).toEqual({
      customers: [],
      total: 0,
      nextCursor: null,
    });
  });
});

describe('the note on a customer', () => {
  const path = (storeId: string, id: string) => `/api/stores/${storeId}/customers/${id}/note`;
  const as = (storeId: string, role: Role | undefined) =>
    system.as({ kind: 'user', userId: newId('user'), email: 'm@example.com', storeId, role } as Principal);

  test('is written and read by members, and is in no answer of the API and no event', async () => {
    const store = newStore(system);
    const customer = await store.customer({ email: 'a@example.com' });
    const url = path(store.storeId, customer.id);
    const call = () => request(system.internalUrl);
    const editor = await as(store.storeId, 'editor');
    expect((await call().get(url).set(editor)).body).toEqual({ note: '' });
    const secret = 'pays late, is dear to us';
    const written = await call().patch(url).set(editor).send({ note: secret });
    expect(written).toMatchObject({ status: 200, body: { note: secret } });
    expect((await call().patch(url).set(editor).send({})).body).toEqual({ note: secret });
    expect(
      (
        await call()
          .get(url)
          .set(await as(store.storeId, 'viewer'))
      ).body,
    ).toEqual({ note: secret });

    expect((await store.send('get', `customers/${customer.id}`)).body).toEqual({ customer });
    const changed = await store.send('put', `customers/${customer.id}`, {
      email: 'b@example.com',
      note: 'x',
    });
    expect((await call().get(url).set(editor)).body).toEqual({ note: secret });
    await eventually(() => store.events('orders.customer.updated').length > 0);
    const seen = [changed.body, (await store.send('get', 'customers')).body, system.heard];
    expect(JSON.stringify(seen)).not.toMatch(/pays late|"note"/);
    expect((await store.send('get', 'customers?q=late')).body.total).toBe(0);
    expect((await call().patch(url).set(editor).send({ note: null })).body).toEqual({ note: '' });
  });

  test('403 for a role that may not write, 404 for another store’s customer, 400 for what is no text', async () => {
    const store = newStore(system);
    const { id } = await store.customer({ email: 'a@example.com' });
    const patch = async (url: string, role: Role | undefined, storeId: string, body: object) =>
      request(system.internalUrl)
        .patch(url)
        .set(await as(storeId, role))
        .send(body);
    const url = path(store.storeId, id);
    expect((await patch(url, 'viewer', store.storeId, { note: 'x' })).body.code).toBe('insufficient_role');
    expect((await patch(url, undefined, store.storeId, { note: 'x' })).status).toBe(404);
    const elsewhere = newId('store');
    expect((await patch(path(elsewhere, id), 'owner', elsewhere, { note: 'x' })).status).toBe(404);
    for (const note of [5, {}, 'x'.repeat(10_001), 'a\0'])
      expect((await patch(url, 'owner', store.storeId, { note })).body.code).toBe('invalid_body');
  });
});

test('a store has at most 10,000,000 customers by the API; a checkout still creates one', async () => {
  const store = newStore(system);
  const fill = `insert into store_total (store_id, customers) values ('${store.storeId}', 9999999)`;
  await runSql(system, 'orders', fill);
  const all = await Promise.all(
    Array.from({ length: 4 }, (_, i) => store.send('post', 'customers', { email: `c${i}@example.com` })),
  );
  expect(all.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
  expect(all.find(({ status }) => status === 409)!.body.code).toBe('too_many_customers');
  const order = await store.order(1, { email: 'shopper@example.com' });
  expect(order.customerId).toMatch(/^cus_/);
});
