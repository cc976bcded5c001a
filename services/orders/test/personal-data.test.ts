import { setTimeout as sleep } from 'node:timers/promises';
import { newId, type Principal, type Role } from '@waybill/contracts';
import {
  countWaitingTransactions,
  createStubService,
  eventually,
  findTablesContaining,
  openTestDatabase,
  runSql,
} from '@waybill/testing';
import { sql } from 'kysely';
import request from 'supertest';
import { redactUnpublishedEvents } from '../src/personal-data/queries.ts';
import type { Tables } from '../src/tables.ts';
import { newStore, type OrdersSystem, startOrders } from './stores.ts';

const customers = Array.from({ length: 3 }, (_, i) => ({
  id: newId('event'),
  type: 'customer.updated',
  createdAt: `2026-11-2${i}T10:00:00.000Z`,
}));
let isAway = false;

/** A stand-in for webhooks with three events of any customer on four pages, the second of which is empty. */
const webhooks = createStubService('webhooks', {
  'POST /internal/customer-events'({ body: { after } }: { body: { after: string | null } }) {
    if (isAway) throw new Error('away');
    const page = Number(after ?? 0);
    const items = page === 1 ? [] : [customers[page === 0 ? 0 : page - 1]];
    return { items, next: page === 3 ? null : String(page + 1) };
  },
});

const submission = {
  id: newId('formSubmission'),
  formId: 'contact',
  pageId: null,
  values: { message: 'Hello' },
  createdAt: '2026-11-20T10:00:00.000Z',
};
const externalData = { events: customers, formSubmissions: [submission] };
/** The addresses whose submissions were erased, in this order. */
const erasedEmails: string[][] = [];
let isContentAway = false;
let whileErasing: (() => Promise<unknown>) | null = null;

/** A stand-in for content with one submission of any customer, which reports twice that more remain to erase. */
const content = createStubService('content', {
  'POST /internal/customer-form-submissions': () => ({ items: [submission], next: null }),
  async 'POST /internal/customer-form-submissions/erase'({
    body: { emails },
  }: {
    body: { emails: string[] };
  }) {
    if (isContentAway) throw new Error('away');
    await whileErasing?.();
    return { isMore: erasedEmails.push(emails) % 3 !== 0 };
  },
});

let system: OrdersSystem;
beforeAll(async () => {
  system = await startOrders({}, [webhooks, content]);
});
afterAll(() => system.stop());

const marker = 'zaphod';
const address = Object.fromEntries(
  ['name', 'line1', 'line2', 'city', 'region', 'postalCode'].map((field) => [field, `${marker} ${field}`]),
);
const person = {
  name: `Mr ${marker}`,
  email: `Mr.${marker}@example.com`,
  phone: `+44 ${marker}`,
  shippingAddress: { ...address, country: 'GB' },
};

const userId = newId('user');
async function asMember(storeId: string, role: Role | undefined = 'editor') {
  return system.as({
    kind: 'user',
    userId,
    email: 'm@example.com',
    storeId,
    role,
  } as Principal);
}
const getPath = (storeId: string, id: string, what: string) =>
  `/api/stores/${storeId}/customers/${id}/${what}`;
async function erase(storeId: string, id: string, { role, key }: { role?: Role; key?: string } = {}) {
  const call = request(system.internalUrl)
    .post(getPath(storeId, id, 'erase'))
    .set(await asMember(storeId, role));
  return key ? call.set('idempotency-key', key) : call;
}
const requestExport = async (storeId: string, id: string, role?: Role) =>
  request(system.internalUrl)
    .get(getPath(storeId, id, 'export'))
    .set(await asMember(storeId, role));
const tablesTelling = (text = marker) => findTablesContaining(system.databaseUrl('orders'), text);

/** Creates a store in which everything that may contain a customer's data does. */
async function storeOfOne() {
  const store = newStore(system);
  const orders = [await store.order(300, person), await store.order(500, person)];
  orders.push(await store.order(700, { ...person, name: `Other ${marker}` }));
  const id: string = orders[0].customerId;
  const { shippingAddress, ...customer } = person;
  await store.send('put', `customers/${id}`, { ...customer, tags: [marker], addresses: [shippingAddress] });
  await request(system.internalUrl)
    .patch(getPath(store.storeId, id, 'note'))
    .set(await asMember(store.storeId))
    .send({ note: `${marker} pays late` });
  await store.patch(orders[1].id, { payment: 'paid' });
  await store.send('post', `orders/${orders[2].id}/payments`, { reference: `From ${marker}` });
  await store.patch(orders[2].id, { status: 'cancelled' });
  return { store, id, orders };
}

describe('the erasure of a customer', () => {
  test('removes the person from all tables, and keeps the orders otherwise unchanged', async () => {
    const { store, id, orders } = await storeOfOne();
    await store.order(900, { name: 'Bea', email: 'bea@example.com' });
    // An event that no subscriber accepted, set aside for an operator.
    await runSql(
      system,
      'orders',
      `insert into outbox (event_id, name, store_id, data, dead_at) values ('${newId('event')}', 'orders.order.updated',
        '${store.storeId}', '{"order" : {"id":"${orders[0].id}","customer":{"name":"${marker}"}}}', now())`,
    );
    const sent = { trackingNumber: marker, trackingUrl: `https://example.com/${marker}` };
    const lines = [{ variantId: orders[0].lineItems[0].variantId, quantity: 1, reason: marker }];
    for (const [path, body] of [
      ['fulfillments', sent],
      ['payments', { reference: marker }],
      ['refunds', { amountCents: 1, reason: marker }],
      ['returns', { lines, note: marker }],
    ] as const) {
      expect((await store.send('post', `orders/${orders[0].id}/${path}`, body)).status).toBe(201);
    }
    expect(await tablesTelling()).toEqual(
      expect.arrayContaining(['"order"', 'customer', 'fulfillment', 'order_return', 'payment', 'refund']),
    );
    const before = await Promise.all(orders.map(({ id }) => store.send('get', `orders/${id}`)));

    expect(await erase(store.storeId, id)).toMatchObject({ status: 204, text: '' });
    await eventually(async () => (await tablesTelling()).length === 0);
    const after = await Promise.all(orders.map(({ id }) => store.send('get', `orders/${id}`)));
    for (const [i, { body, headers }] of after.entries()) {
      const { customer: _, customerId: __, updatedAt, ...order } = before[i]!.body.order;
      expect(body.order).toMatchObject(order);
      expect(body.order.customerId).toBeNull();
      expect(body.order.customer).toEqual({ name: '', email: '', phone: null, shippingAddress: null });
      expect(body.order.updatedAt > updatedAt).toBe(true);
      expect(headers.etag).not.toBe(before[i]!.headers.etag);
    }
    const numbers = async (query: string) =>
      (await store.send('get', `orders?${query}`)).body.orders.map(
        ({ number }: { number: number }) => number,
      );
    expect([await numbers(`q=${marker}`), await numbers(`q=${orders[1].number}`)]).toEqual([[], [2]]);
    expect((await store.send('get', 'customers')).body).toMatchObject({ total: 1 });

    await eventually(() => store.events('orders.customer.erased').length === 1);
    expect(store.events('orders.customer.deleted').map(({ data }) => data)).toEqual([{ customer: { id } }]);
    const [emitted] = store.events('orders.customer.erased');
    expect({ ...emitted!.data, orderIds: emitted!.data.orderIds.sort() }).toEqual({
      customerId: id,
      orderIds: orders.map((order) => order.id).sort(),
    });
    expect((await erase(store.storeId, id)).status).toBe(404);
  });

  test('removes the form submissions of all addresses first, or nothing at all', async () => {
    const { store, id } = await storeOfOne();
    isContentAway = true;
    expect((await erase(store.storeId, id)).status).toBe(503);
    expect((await store.send('get', `customers/${id}`)).status).toBe(200);
    isContentAway = false;
    erasedEmails.length = 0;
    expect((await erase(store.storeId, id)).status).toBe(204);
    expect(erasedEmails).toEqual(Array(3).fill([person.email.toLowerCase()]));
  });

  test('with one Idempotency-Key is one', async () => {
    const { store, id } = await storeOfOne();
    const answers = [
      await erase(store.storeId, id, { key: 'k' }),
      await erase(store.storeId, id, { key: 'k' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([204, 204]);
    await eventually(() => store.events('orders.customer.erased').length === 1);
  });

  test('with a key, too, no transaction waits for the forms', async () => {
    const { store, id } = await storeOfOne();
    const waited: number[] = [];
    whileErasing = async () => {
      await sleep(150);
      waited.push(await countWaitingTransactions(system, 'orders'));
    };
    expect((await erase(store.storeId, id, { key: 'waiting' })).status).toBe(204);
    whileErasing = null;
    expect(new Set(waited)).toEqual(new Set([0]));
    expect((await erase(store.storeId, id, { key: 'waiting' })).status).toBe(204);
  });

  test('reaches the orders of one that was deleted before, and tells no second time that it was', async () => {
    const { store, id, orders } = await storeOfOne();
    await store.send('delete', `customers/${id}`);
    expect((await store.send('get', `orders/${orders[0].id}`)).body.order.customer.name).toBe(person.name);
    expect((await erase(store.storeId, id)).status).toBe(204);
    await eventually(async () => (await tablesTelling()).length === 0);
    await eventually(() => store.events('orders.customer.erased').length === 1);
    expect(store.events('orders.customer.deleted')).toHaveLength(1);
    expect((await erase(store.storeId, id)).status).toBe(404);
  });

  test('is an editor’s, of the own store’s customers', async () => {
    const { store, id } = await storeOfOne();
    expect((await erase(store.storeId, id, { role: 'viewer' })).body.code).toBe('insufficient_role');
    expect((await erase(newId('store'), id)).status).toBe(404);
    expect((await erase(store.storeId, newId('customer'))).status).toBe(404);
    expect((await store.send('get', `customers/${id}`)).status).toBe(200);
    await erase(store.storeId, id);
  });

  test('during simultaneous orders and changes, leaves each order to the erased or to a new customer', async () => {
    for (let round = 0; round < 5; round++) {
      const { store, id, orders } = await storeOfOne();
      const [erased, ...changed] = await Promise.all([
        erase(store.storeId, id),
        store.patch(orders[0].id, { fulfillment: 'fulfilled' }),
        store.patch(orders[1].id, { status: 'completed' }),
        ...Array.from({ length: 6 }, () => store.order(100, person).then(() => ({ status: 200 }))),
      ]);
      expect([erased.status, ...changed.map(({ status }) => status)]).toEqual([204, ...Array(8).fill(200)]);
      const all = (await store.send('get', 'orders?limit=50')).body.orders;
      expect(all).toHaveLength(9);
      const { customers } = (await store.send('get', 'customers')).body;
      const fresh = customers.map((customer: { id: string }) => customer.id);
      for (const { customerId, customer } of all) {
        expect(customer.email).toBe(customerId === null ? '' : person.email.toLowerCase());
        if (customerId !== null) expect(fresh).toEqual([customerId]);
      }
      expect(fresh).not.toContain(id);
      for (const each of fresh) await erase(store.storeId, each);
    }
  });

  test('finds unpublished events without reading published ones', async () => {
    const { storeId } = newStore(system);
    const ids = [newId('order')];
    const db = await openTestDatabase<Tables>(system.databaseUrl('orders'));
    try {
      await sql`insert into outbox (event_id, name, store_id, data, published_at)
        select 'evt_had_' || i, 'orders.order.updated', ${storeId}, ${JSON.stringify({ order: { id: ids[0] } })}, now()
        from generate_series(1, 20000) i`.execute(db);
      await sql`analyze outbox`.execute(db);
      const statement = redactUnpublishedEvents({ storeId, ids });
      const { rows } = await db.executeQuery<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>({
        ...statement,
        sql: `explain (analyze, buffers, timing off, format json) ${statement.sql}`,
      });
      const { Plan } = rows[0]!['QUERY PLAN'][0];
      expect(Plan['Shared Hit Blocks']! + Plan['Shared Read Blocks']!).toBeLessThan(100);
    } finally {
      await db.destroy();
    }
  });

  test('of thousands of orders continues after the answer, also after a stop', async () => {
    const store = newStore(system);
    const { id, customerId } = await store.order(100, person);
    const columns =
      'status, payment, fulfillment, currency, line_items, subtotal_cents, shipping_cents, tax_cents, total_cents, ' +
      'customer_id, customer_name, customer_email, customer_phone, shipping_address, search, created_at, updated_at';
    await runSql(
      system,
      'orders',
      `insert into "order" (store_id, id, number, ${columns}) select store_id, 'ord_' || lpad(n::text, 26, '0'), n, ${columns}
       from "order" cross join generate_series(2, 3500) n where id = '${id}'`,
    );
    expect((await erase(store.storeId, customerId)).status).toBe(204);
    await system.restart();
    await eventually(async () => (await tablesTelling()).length === 0, { withinMs: 30_000 });
    await eventually(() => store.events('orders.customer.erased').length === 4);
    const emitted = store.events('orders.customer.erased').flatMap(({ data }) => data.orderIds);
    expect([emitted.length, new Set(emitted).size]).toEqual([3500, 3500]);
    // The customer's id stays in the orders and in the audit of the erasure.
    expect(await tablesTelling(customerId)).toEqual(['"order"', expect.stringMatching(/^audit_entry_/)]);
  }, 60_000);

  test('of many orders do not delay others when one fails', async () => {
    const [stuck, other] = [await storeOfOne(), await storeOfOne()];
    const pending = [stuck, other].map(
      ({ store, id }, i) => `('${store.storeId}', '${id}', 0, now() - interval '${2 - i} hours')`,
    );
    // One by one, as Citus sends each to all servers.
    for (const statement of [
      `create function fail() returns trigger language plpgsql as $$ begin raise 'stuck'; end $$`,
      `create trigger stuck before update on "order" for each row
         when (old.store_id = '${stuck.store.storeId}') execute function fail()`,
      `insert into customer_erasure (store_id, customer_id, reached, looked_at) values ${pending.join()}`,
    ])
      await runSql(system, 'orders', statement);
    const readName = async ({ store, orders }: typeof stuck) =>
      (await store.send('get', `orders/${orders[0].id}`)).body.order.customer.name;
    try {
      await eventually(async () => (await readName(other)) === '');
      expect(await readName(stuck)).toBe(person.name);
    } finally {
      await runSql(system, 'orders', 'drop trigger stuck on "order"');
      await runSql(system, 'orders', 'drop function fail()');
    }
    await eventually(async () => (await readName(stuck)) === '');
    for (const { store, id } of [stuck, other]) await erase(store.storeId, id);
  }, 200_000);
});

/** The parts of an export for orders without further data. */
const nothingMore = {
  payments: [],
  fulfillments: [],
  refunds: [],
  returns: [],
  orderNotes: [],
  documents: [],
};

describe('the export of a customer', () => {
  test('contains the customer, the note, every order and the data of other services, as a file', async () => {
    const { store, id, orders } = await storeOfOne();
    for (let more = 0; more < 200; more++) await store.order(100, person);
    await store.order(900, { name: 'Bea', email: 'bea@example.com' });
    const sent = await store.send('post', `orders/${orders[0].id}/fulfillments`, { trackingNumber: '1' });
    const [{ variantId }] = orders[0].lineItems;
    const lines = [{ variantId, quantity: 1, reason: 'Too small' }];
    const returned = await store.send('post', `orders/${orders[0].id}/returns`, { lines });
    const slip = await store.send('post', `orders/${orders[1].id}/documents`, { kind: 'packingSlip' });
    const { status, headers, body } = await requestExport(store.storeId, id, 'viewer');
    expect([status, headers['content-disposition'], headers['cache-control'], headers.etag]).toEqual([
      200,
      `attachment; filename="${id}.json"`,
      'private, no-store',
      undefined,
    ]);
    const { customer } = (await store.send('get', `customers/${id}`)).body;
    expect(body).toEqual({
      customer,
      note: `${marker} pays late`,
      orders: expect.anything(),
      ...nothingMore,
      payments: [
        expect.objectContaining({ orderId: orders[1].id, status: 'captured' }),
        expect.objectContaining({ orderId: orders[2].id, reference: `From ${marker}` }),
      ],
      fulfillments: [sent.body.fulfillment],
      returns: [returned.body.return],
      documents: [
        {
          ...slip.body.document,
          buyer: expect.objectContaining({ name: customer.name, email: customer.email }),
        },
      ],
      ...externalData,
    });
    expect(body.orders.map(({ number }: { number: number }) => number)).toEqual(
      Array.from({ length: 203 }, (_, i) => i + 1),
    );
    expect(body.orders[1]).toEqual((await store.send('get', `orders/${orders[1].id}`)).body.order);
    await erase(store.storeId, id);
  });

  test('of a customer without orders is also complete; 404 for another store’s, 503 while a service with data is unreachable', async () => {
    const store = newStore(system);
    const customer = await store.customer({ email: 'c@example.com' });
    expect((await requestExport(store.storeId, customer.id)).body).toEqual({
      customer,
      note: '',
      orders: [],
      ...nothingMore,
      ...externalData,
    });
    expect((await requestExport(newId('store'), customer.id)).status).toBe(404);
    isAway = true;
    expect((await requestExport(store.storeId, customer.id)).status).toBe(503);
    isAway = false;
  });

  test('is sent at most 30 times a minute for a store', async () => {
    const store = newStore(system);
    const { id } = await store.customer({ email: 'c@example.com' });
    const answers = await Promise.all(Array.from({ length: 31 }, () => requestExport(store.storeId, id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(30).fill(200), 429]);
  });
});
