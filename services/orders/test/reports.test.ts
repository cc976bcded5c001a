import { newId, type Order, type Principal } from '@waybill/contracts';
import { openTestDatabase, runSql } from '@waybill/testing';
import fc from 'fast-check';
import { type Kysely, sql } from 'kysely';
import request from 'supertest';
import type { Tables } from '../src/tables.ts';
import { newStore, type OrdersSystem, startOrders } from './stores.ts';

let system: OrdersSystem;
let db: Kysely<Tables>;
beforeAll(async () => {
  system = await startOrders();
  db = await openTestDatabase<Tables>(system.databaseUrl('orders'));
});
afterAll(async () => {
  await db.destroy();
  await system.stop();
});

interface Sold {
  at: string;
  cents: number;
  status?: Order['status'];
  payment?: Order['payment'];
  currency?: string;
  /** Product, quantity, and the product's name. */
  lines?: [productId: string, quantity: number, name?: string][];
}

/** Creates a store with past orders; each line gets its share of the total. */
async function storeWith(orders: readonly Sold[]) {
  const storeId = newId('store');
  for (const [
    i,
    { at, cents, status = 'open', payment = 'paid', currency = 'EUR', lines },
  ] of orders.entries()) {
    const items = (lines ?? [[newId('product'), 1]]).map(([productId, quantity, name = 'Tea'], n, all) => {
      const totalCents = n === 0 ? cents - (all.length - 1) : 1;
      const variantId = newId('variant');
      return {
        productId,
        variantId,
        sku: null,
        name,
        variantName: '',
        quantity,
        unitPriceCents: 1,
        totalCents,
      };
    });
    await sql`insert into "order" (store_id, id, number, status, payment, fulfillment, currency, line_items,
      subtotal_cents, shipping_cents, tax_cents, total_cents, customer_id, customer_name, customer_email, search,
      created_at, updated_at)
      values (${storeId}, ${newId('order')}, ${i + 1}, ${status}, ${payment}, 'unfulfilled', ${currency},
      ${JSON.stringify(items)}, ${cents}, 0, 0, ${cents}, 'cus', 'Ann', 'ann@example.com', '', ${at}, ${at})`.execute(
      db,
    );
  }
  const report = async (path: string, query: Record<string, string | number>) =>
    request(system.internalUrl)
      .get(`/api/stores/${storeId}/reports/${path}`)
      .query(query)
      .set(await system.as(createMember(storeId)));
  return {
    storeId,
    sales: (query: Record<string, string>) => report('sales', query),
    top: (query: Record<string, string | number> = {}) => report('top-products', query),
  };
}

const createMember = (storeId: string): Principal => ({
  kind: 'user',
  userId: newId('user'),
  email: 'ann@example.com',
  storeId,
  role: 'viewer',
});

describe('the report of sales', () => {
  test('has every interval, including empty ones, without cancelled orders and other currencies', async () => {
    const { sales } = await storeWith([
      { at: '2026-03-01T00:00:00Z', cents: 100 },
      { at: '2026-03-01T23:59:59.999Z', cents: 50, payment: 'refunded' },
      { at: '2026-03-01T12:00:00Z', cents: 7, status: 'cancelled' },
      { at: '2026-03-01T12:00:00Z', cents: 7, currency: 'USD' },
      { at: '2026-03-03T00:00:00Z', cents: 30, payment: 'pending' },
      { at: '2026-03-04T00:00:00Z', cents: 1000 },
    ]);
    const { status, body } = await sales({ from: '2026-03-01T00:00:00Z', to: '2026-03-04T01:00:00+01:00' });
    expect(status).toBe(200);
    expect(body).toEqual({
      sales: [
        { start: '2026-03-01T00:00:00.000Z', orders: 2, totalCents: 150, paidCents: 157, refundedCents: 50 },
        { start: '2026-03-02T00:00:00.000Z', orders: 0, totalCents: 0, paidCents: 0, refundedCents: 0 },
        { start: '2026-03-03T00:00:00.000Z', orders: 1, totalCents: 30, paidCents: 0, refundedCents: 0 },
      ],
      currency: 'EUR',
    });
  });

  test('counts money when it moves, of cancelled orders too', async () => {
    const store = newStore(system);
    const [first, second] = [await store.order(900), await store.order(100)];
    const report = async () => {
      const res = await request(system.internalUrl)
        .get(`/api/stores/${store.storeId}/reports/sales`)
        .query({ from: '2026-03-01T00:00:00Z', to: '2026-03-04T00:00:00Z' })
        .set(await system.as(createMember(store.storeId)));
      return res.body.sales.map(({ start: _, ...day }: { start: string }) => Object.values(day));
    };
    for (const { id } of [first, second]) await store.send('post', `orders/${id}/payments`);
    await store.send('post', `orders/${first.id}/refunds`, { amountCents: 300 });
    await store.patch(first.id, { status: 'cancelled' });
    const at = async (kind: string, day: number) =>
      sql`update payment_entry set at = ${`2026-03-0${day}T12:00:00Z`} where store_id = ${store.storeId} and kind = ${kind}`.execute(
        db,
      );
    await at('captured', 2);
    await at('refunded', 3);
    await sql`update "order" set created_at = '2026-03-01T12:00:00Z' where store_id = ${store.storeId}`.execute(
      db,
    );
    expect(await report()).toEqual([
      [1, 100, 0, 0],
      [0, 0, 1000, 0],
      [0, 0, 0, 300],
    ]);
  });

  test('covers the last 30 days by default', async () => {
    const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
    const { sales } = await storeWith([
      { at: ago(29.5), cents: 10 },
      { at: ago(0.001), cents: 5 },
      { at: ago(30.5), cents: 100 },
    ]);
    const { body } = await sales({});
    expect(body.sales.length).toBe(31);
    expect(
      body.sales.reduce((sum: number, { totalCents }: { totalCents: number }) => sum + totalCents, 0),
    ).toBe(15);
  });

  test('follows the clock of the time zone: days of 23 and 25 hours, weeks from Monday, months', async () => {
    const { sales } = await storeWith([]);
    const starts = async (query: Record<string, string>) =>
      (await sales(query)).body.sales.map(({ start }: { start: string }) => start.replace(':00.000Z', ''));
    const timeZone = 'Europe/Zurich';
    expect(await starts({ timeZone, from: '2026-03-28T00:00:00Z', to: '2026-03-31T00:00:00Z' })).toEqual([
      '2026-03-27T23:00',
      '2026-03-28T23:00',
      '2026-03-29T22:00',
      '2026-03-30T22:00',
    ]);
    expect(await starts({ timeZone, from: '2026-10-24T22:00:00Z', to: '2026-10-26T00:00:00Z' })).toEqual([
      '2026-10-24T22:00',
      '2026-10-25T23:00',
    ]);
    const [from, to] = ['2026-02-18T00:00:00Z', '2026-04-01T00:00:00Z'];
    expect(await starts({ timeZone, interval: 'week', from, to: '2026-03-10T00:00:00Z' })).toEqual([
      '2026-02-15T23:00',
      '2026-02-22T23:00',
      '2026-03-01T23:00',
      '2026-03-08T23:00',
    ]);
    expect(await starts({ timeZone, interval: 'month', from, to })).toEqual([
      '2026-01-31T23:00',
      '2026-02-28T23:00',
      '2026-03-31T22:00',
    ]);
    // Midnight occurs twice, or not at all.
    expect(
      await starts({ timeZone: 'Atlantic/Azores', from: '2026-10-25T00:00:00Z', to: '2026-10-26T00:00:00Z' }),
    ).toEqual(['2026-10-25T00:00']);
    expect(
      await starts({ timeZone: 'Africa/Cairo', from: '2026-04-24T00:00:00Z', to: '2026-04-25T12:00:00Z' }),
    ).toEqual(['2026-04-23T22:00', '2026-04-24T21:00']);
    // Samoa crossed the date line and skipped 30 December.
    expect(
      await starts({ timeZone: 'Pacific/Apia', from: '2011-12-29T10:00:00Z', to: '2012-01-01T10:00:00Z' }),
    ).toEqual(['2011-12-29T10:00', '2011-12-30T10:00', '2011-12-31T10:00']);
  });

  // PostgreSQL reads these names as abbreviations of a fixed offset before it looks for a zone.
  test.each([
    ['CET', '22:00'],
    ['MET', '22:00'],
    ['EET', '21:00'],
    ['WET', '23:00'],
    ['cet', '22:00'],
    ['EST', '05:00'],
    ['UTC', '00:00'],
  ])('begins the days of summer when they begin in %s', async (timeZone, time) => {
    const { sales } = await storeWith([]);
    const day = Date.parse(`2026-07-01T${time}:00Z`);
    const [from, to] = [day, day + 86_400_000].map((at) => new Date(at).toISOString());
    const { body } = await sales({ timeZone, from: from!, to: to! });
    expect(body.sales.map(({ start }: { start: string }) => start)).toEqual([from]);
  });

  test('puts every order into the day, week or month of the store’s time zone', async () => {
    const zones = [
      'UTC',
      'America/New_York',
      'Atlantic/Azores',
      'Africa/Cairo',
      'Australia/Lord_Howe',
      'Asia/Kathmandu',
    ];
    const time = fc.date({ min: new Date('2025-01-01'), max: new Date('2026-11-01'), noInvalidDate: true });
    await fc.assert(
      fc.asyncProperty(
        fc.array(time, { minLength: 1, maxLength: 8 }),
        fc.constantFrom(...zones),
        fc.constantFrom('week', 'month', 'day'),
        fc.integer({ min: 1, max: 300 }),
        async (times, timeZone, interval, days) => {
          const { sales } = await storeWith(times.map((at, i) => ({ at: at.toISOString(), cents: 2 ** i })));
          const from = times[0]!;
          const to = new Date(from.getTime() + days * 86_400_000);
          const query = { interval, timeZone, from: from.toISOString(), to: to.toISOString() };
          const expected = new Map<string, number>();
          for (const [i, at] of times.entries()) {
            if (at < from || at >= to) continue;
            const label = getIntervalStart(at, timeZone, interval);
            expected.set(label, (expected.get(label) ?? 0) + 2 ** i);
          }
          const { body } = await sales(query);
          const found = body.sales.map(({ start, totalCents }: { start: string; totalCents: number }) => [
            getIntervalStart(new Date(start), timeZone, interval),
            totalCents,
          ]);
          expect(new Map(found).size).toBe(found.length);
          expect(found.filter(([, cents]: [string, number]) => cents > 0)).toEqual([...expected].sort());
        },
      ),
      { numRuns: 40 },
    );
  });

  test.each([
    ['from', { from: 'yesterday' }],
    ['from', { from: '2026-02-30T00:00:00Z' }],
    ['to', { to: '2026-02-01T00:00:00' }],
    ['to', { from: '2026-02-01T00:00:00Z', to: '2026-02-01T00:00:00Z' }],
    ['timeZone', { timeZone: 'Mars/Olympus' }],
    ['timeZone', { timeZone: '+02:00' }],
    ['timeZone', { timeZone: '' }],
    ['from', { from: '2025-01-01T00:00:00Z', to: '2026-02-06T00:00:00Z' }],
    ['from', { from: '0001-01-01T00:00:00Z', to: '9999-01-01T00:00:00Z', interval: 'month' }],
  ])('400 for a wrong %s in %j', async (field, query) => {
    const { sales } = await storeWith([]);
    const { status, body } = await sales(query);
    expect([status, body.code, body.details?.map(({ pointer }: { pointer: string }) => pointer)]).toEqual([
      400,
      'invalid_body',
      [`/${field}`],
    ]);
  });

  test('tells of more than a number can carry as the most that it can', async () => {
    const shop = await storeWith(
      Array.from({ length: 3 }, () => ({
        at: '2026-03-01T12:00:00Z',
        cents: 5_000_000_000_000_000_000,
        payment: 'refunded' as const,
        lines: [['prd_dear', 1]],
      })),
    );
    const most = Number.MAX_SAFE_INTEGER;
    const period = { from: '2026-03-01T00:00:00Z', to: '2026-03-02T00:00:00Z' };
    const { body } = await shop.sales(period);
    expect(body.sales).toMatchObject([{ orders: 3, totalCents: most, refundedCents: most }]);
    expect((await shop.top(period)).body.products).toMatchObject([{ quantity: 3, totalCents: most }]);
  });

  test('has up to 400 intervals', async () => {
    const { sales } = await storeWith([]);
    const { body } = await sales({ from: '2025-01-01T00:00:00Z', to: '2026-02-05T00:00:00Z' });
    expect(body.sales.length).toBe(400);
  });
});

describe('the report of top products', () => {
  test('adds up lines by product, named as it was last sold, the dearest first', async () => {
    const [tea, cup, pot] = [newId('product'), newId('product'), newId('product')];
    const at = '2026-03-01T00:00:00Z';
    const { top } = await storeWith([
      {
        at,
        cents: 100,
        lines: [
          [tea, 2],
          [cup, 1],
          [tea, 3],
        ],
      },
      { at: '2026-03-02T00:00:00Z', cents: 50, lines: [[tea, 1, 'Green tea']] },
      { at, cents: 500, lines: [[cup, 9]], status: 'cancelled' },
      { at, cents: 500, lines: [[cup, 9]], currency: 'USD' },
      { at, cents: 120, lines: [[pot, 1, 'Pot']] },
      { at: '2026-03-03T00:00:00Z', cents: 999, lines: [[pot, 1, 'Pot']] },
    ]);
    const period = { from: at, to: '2026-03-03T00:00:00Z' };
    expect((await top(period)).body).toEqual({
      products: [
        { productId: tea, name: 'Green tea', quantity: 6, totalCents: 149 },
        { productId: pot, name: 'Pot', quantity: 1, totalCents: 120 },
        { productId: cup, name: 'Tea', quantity: 1, totalCents: 1 },
      ],
    });
    expect((await top({ ...period, limit: 1 })).body.products).toHaveLength(1);
    expect((await top({ ...period, to: 'never' })).body.code).toBe('invalid_body');
  });

  test('includes an order as soon as it is placed, and not after it is cancelled', async () => {
    const store = newStore(system);
    const ask = async () =>
      request(system.internalUrl)
        .get(`/api/stores/${store.storeId}/reports/top-products`)
        .set(await system.as(createMember(store.storeId)));
    const order = await store.order(500);
    const [{ productId }] = order.lineItems;
    expect((await ask()).body.products).toEqual([{ productId, name: 'Tea', quantity: 500, totalCents: 500 }]);
    await store.patch(order.id, { status: 'cancelled' });
    expect((await ask()).body.products).toEqual([]);
  });
});

test('the report includes older orders, except cancelled ones', async () => {
  const at = '2026-03-01T00:00:00Z';
  const product = newId('product');
  const line = { at, cents: 10, lines: [[product, 1]] as [string, number][] };
  const { top } = await storeWith([line, { ...line, status: 'cancelled' }, line]);
  const period = { from: at, to: '2026-03-02T00:00:00Z' };
  const before = (await top(period)).body;
  expect(before.products).toEqual([{ productId: product, name: 'Tea', quantity: 2, totalCents: 20 }]);
  await runSql(system, 'orders', `delete from sale_line; delete from migration where name = '0011_reports'`);
  expect((await top(period)).body.products).toEqual([]);
  await system.restart();
  expect((await top(period)).body).toEqual(before);
});

/** Returns the local date of an interval's first day. */
function getIntervalStart(at: Date, timeZone: string, interval: string): string {
  const local = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(at);
  const day = new Date(`${local}T00:00:00Z`);
  if (interval === 'month') day.setUTCDate(1);
  if (interval === 'week') day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7));
  return day.toISOString().slice(0, 10);
}
