import { createLog } from '@waybill/kernel';
import { eventually, openTestDatabase, runSql } from '@waybill/testing';
import type { Context } from '../src/config.ts';
import { ledgerChecks } from '../src/metrics.ts';
import { ledgerCheckTask } from '../src/payments/ledger-check.ts';
import type { Tables } from '../src/tables.ts';
import { newStore, type OrdersSystem, startOrders } from './stores.ts';

let system: OrdersSystem;
beforeAll(async () => {
  system = await startOrders();
});
afterAll(() => system.stop());

async function newOrder(totalCents: number) {
  const store = newStore(system);
  const { id } = await store.order(totalCents);
  const readOrder = async () => (await store.send('get', `orders/${id}`)).body.order;
  const money = async () => {
    const { payment, paidCents, refundedCents, dueCents } = await readOrder();
    return [payment, paidCents, refundedCents, dueCents];
  };
  const patch = (body: object) => store.send('patch', `orders/${id}`, body);
  const payments = async () => (await store.send('get', `orders/${id}/payments`)).body.payments;
  const record = (body?: object) => store.send('post', `orders/${id}/payments`, body);
  return { store, id, readOrder, money, patch, payments, record };
}

describe('money that came another way', () => {
  test('is recorded in parts, never more than is due', async () => {
    const { store, id, money, record, payments } = await newOrder(900);
    expect(await money()).toEqual(['pending', 0, 0, 900]);
    const first = await record({ amountCents: 300, reference: 'RF 1' });
    expect(first).toMatchObject({
      status: 201,
      body: {
        payment: {
          orderId: id,
          methodId: null,
          provider: 'manual',
          method: null,
          status: 'captured',
          amountCents: 300,
          capturedCents: 300,
          refundedCents: 0,
          currency: 'EUR',
          reference: 'RF 1',
          failure: null,
          isTest: false,
          entries: [{ kind: 'captured', amountCents: 300, reference: 'RF 1' }],
        },
      },
    });
    expect(first.body.payment.id).toMatch(/^pay_/);
    expect(first.body.payment.entries[0].id).toMatch(/^pen_/);
    expect(await money()).toEqual(['pending', 300, 0, 600]);
    expect(await record({ amountCents: 601 })).toMatchObject({
      status: 409,
      body: { code: 'amount_exceeded' },
    });
    expect((await record()).body.payment.amountCents).toBe(600);
    expect(await money()).toEqual(['paid', 900, 0, 0]);
    expect(await record()).toMatchObject({ status: 409, body: { code: 'invalid_state' } });
    expect(await record({ amountCents: 1 })).toMatchObject({ status: 409, body: { code: 'invalid_state' } });
    for (const amountCents of [0, -1, 1.5, '1']) expect((await record({ amountCents })).status).toBe(400);
    expect(await payments()).toHaveLength(2);

    await eventually(() => store.events('orders.payment.updated').length === 2);
    await eventually(() => store.events('orders.order.updated').length === 2);
    const { payment } = store.events('orders.payment.updated')[0]!.data;
    expect(payment).toEqual(first.body.payment);
    const one = await store.send('get', `payments/${payment.id}`);
    expect(one.body).toEqual(first.body);
    const list = await store.send('get', `payments?orderId=${id}&status=captured`);
    expect(list.body).toMatchObject({ total: 2, nextCursor: null });
    expect((await store.send('get', 'payments?status=pending')).body.total).toBe(0);
  });

  test('never exceeds the due amount, even with simultaneous records', async () => {
    const { money, record } = await newOrder(900);
    const answers = await Promise.all(Array.from({ length: 12 }, () => record({ amountCents: 225 })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(4);
    expect(await money()).toEqual(['paid', 900, 0, 0]);
  });

  test('counts for the customer minus refunds, also for cancelled orders', async () => {
    const { store, readOrder, patch, record } = await newOrder(900);
    const { customerId } = await readOrder();
    const figures = async () => {
      const { customer } = (await store.send('get', `customers/${customerId}`)).body;
      return [customer.ordersCount, customer.totalSpentCents];
    };
    await record({ amountCents: 300 });
    expect(await figures()).toEqual([1, 300]);
    await record();
    await patch({ status: 'cancelled' });
    expect(await figures()).toEqual([0, 900]);
    await patch({ payment: 'refunded' });
    expect(await figures()).toEqual([0, 0]);
  });

  test('is never due of a cancelled order', async () => {
    const { money, patch, record } = await newOrder(900);
    await patch({ status: 'cancelled' });
    expect(await money()).toEqual(['pending', 0, 0, 0]);
    expect((await record()).body.code).toBe('invalid_state');
  });
});

describe('a state that is set by hand', () => {
  test('moves the money that was recorded by hand', async () => {
    const { money, patch, payments } = await newOrder(900);
    await patch({ payment: 'paid' });
    expect(await money()).toEqual(['paid', 900, 0, 0]);
    await patch({ payment: 'refunded' });
    expect(await money()).toEqual(['refunded', 900, 900, 0]);
    expect(await payments()).toMatchObject([
      { status: 'refunded', entries: [{ kind: 'captured' }, { kind: 'refunded', amountCents: 900 }] },
    ]);
  });

  test('is stored if no money decides it, until money moves', async () => {
    const { money, patch, payments, record } = await newOrder(900);
    await patch({ payment: 'authorized' });
    expect(await money()).toEqual(['authorized', 0, 0, 900]);
    expect(await payments()).toMatchObject([
      { amountCents: 0, entries: [{ kind: 'noted', amountCents: 0, status: 'authorized' }] },
    ]);
    await record();
    expect(await money()).toEqual(['paid', 900, 0, 0]);
    await patch({ payment: 'partially_refunded' });
    expect(await money()).toEqual(['partially_refunded', 900, 0, 0]);
    expect((await patch({ payment: 'pending' })).body.code).toBe('invalid_status');
    await patch({ payment: 'voided' });
    await patch({ payment: 'pending' });
    expect(await money()).toEqual(['pending', 900, 0, 0]);
  });

  test('that is set already changes nothing', async () => {
    const { store, patch, payments } = await newOrder(900);
    await patch({ payment: 'paid' });
    await patch({ payment: 'paid' });
    expect(await payments()).toHaveLength(1);
    await eventually(() => store.events('orders.order.updated').length > 0);
    expect(store.events('orders.order.updated')).toHaveLength(1);
  });
});

describe('an order from before the ledger', () => {
  const age = (id: string, payment: string) =>
    runSql(
      system,
      'orders',
      `update "order" set paid_cents = null, refunded_cents = null, payment = '${payment}' where id = '${id}'`,
    );

  test.each([
    ['pending', [0, 0, 900], []],
    ['authorized', [0, 0, 900], ['noted']],
    ['paid', [900, 0, 0], ['captured']],
    ['partially_refunded', [900, 0, 0], ['captured', 'noted']],
    ['refunded', [900, 900, 0], ['captured', 'refunded']],
    ['voided', [0, 0, 900], ['noted']],
  ])('that was %s has entries that make its state', async (state, sums, kinds) => {
    const { store, id, money, payments } = await newOrder(900);
    await age(id, state);
    expect(await money()).toEqual([state, ...sums]);
    const entries = (await payments()).flatMap(({ entries }: { entries: { kind: string }[] }) => entries);
    expect(entries.map(({ kind }: { kind: string }) => kind).sort()).toEqual(kinds);
    expect(await money()).toEqual([state, ...sums]);
    // The next change is the first one that emits an event.
    await store.send('put', `orders/${id}/payment-link`, { url: 'https://pay.example.com/1' });
    await eventually(() => store.events('orders.order.updated').length > 0, {
      what: 'the change to be told',
    });
    expect(store.events('orders.order.updated')).toHaveLength(1);
    expect(store.events('orders.payment.updated')).toEqual([]);
  });

  test('whose state an older copy changes beside this one has the money of that state', async () => {
    const { id, money, payments } = await newOrder(900);
    await runSql(system, 'orders', `update "order" set payment = 'paid' where id = '${id}'`);
    expect(await money()).toEqual(['paid', 900, 0, 0]);
    expect(await payments()).toMatchObject([{ status: 'captured', capturedCents: 900 }]);
  });

  test('continues from there', async () => {
    const { id, money, patch } = await newOrder(900);
    await age(id, 'paid');
    await patch({ payment: 'refunded' });
    expect(await money()).toEqual(['refunded', 900, 900, 0]);
  });

  test.each([
    ['paid', 'open', 900],
    ['paid', 'cancelled', 0],
    ['pending', 'open', 0],
  ])('that was %s and %s counts for its customer by its money', async (payment, status, before) => {
    const { store, id, readOrder, payments } = await newOrder(900);
    const { customerId } = await readOrder();
    await age(id, payment);
    // Restores the state of an older version, which counted nothing for cancelled orders.
    await runSql(
      system,
      'orders',
      `update "order" set status = '${status}' where id = '${id}';
       update customer set total_spent_cents = ${before} where id = '${customerId}'`,
    );
    await payments();
    const { customer } = (await store.send('get', `customers/${customerId}`)).body;
    expect(customer.totalSpentCents).toBe(payment === 'paid' ? 900 : 0);
  });
});

test('payments are one store’s, and need the permissions of orders', async () => {
  const { record, store, id } = await newOrder(900);
  const { payment } = (await record()).body;
  const other = newStore(system);
  expect((await other.send('get', `payments/${payment.id}`)).status).toBe(404);
  expect((await other.send('get', `orders/${id}/payments`)).status).toBe(404);
  for (const path of [
    `payments/${payment.id}/capture`,
    `payments/${payment.id}/void`,
    `orders/${id}/payments`,
  ]) {
    expect((await other.send('post', path)).status).toBe(404);
    expect((await store.sendAs(['orders.read'], 'post', path)).status).toBe(403);
  }
  expect((await store.sendAs(['customers.read'], 'get', 'payments')).status).toBe(403);
});

test('only sums that do not match their entries are found', async () => {
  const db = await openTestDatabase<Tables>(system.databaseUrl('orders'));
  const log = createLog('silent');
  const logged = jest.spyOn(log, 'error');
  const transaction: Context['transaction'] = (work) => db.transaction().execute(work);
  const check = ledgerCheckTask({ db, log, transaction } as Context);
  const different = async () => {
    const { values } = await ledgerChecks.get();
    return values.find(({ labels }) => labels.outcome === 'different')?.value ?? 0;
  };
  try {
    const { id, record, patch } = await newOrder(900);
    const { payment } = (await record({ amountCents: 500 })).body;
    await patch({ payment: 'partially_refunded' });
    await check();
    expect(await different()).toBe(0);
    const tamper = (capturedCents: number) =>
      runSql(
        system,
        'orders',
        `update payment set captured_cents = ${capturedCents} where id = '${payment.id}'`,
      );
    await tamper(501);
    // The turn after the last order starts again with the newest one.
    await check();
    await check();
    expect(await different()).toBeGreaterThan(0);
    expect(logged.mock.calls[0]![0]).toMatchObject({ orderId: id, differing: [payment.id] });
    await tamper(500);
  } finally {
    await db.destroy();
  }
});
