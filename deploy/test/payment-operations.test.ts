import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, runSql } from '@waybill/testing';
import { holdPayments } from '../ops/backup/restore.ts';
import { type PayingSystem, startPaying, untilPayment } from './paying.ts';

const key = () => randomBytes(32).toString('base64url');

describe('payments of a system', () => {
  const first = key();
  let paying: PayingSystem;
  beforeAll(async () => {
    paying = await startPaying({
      WAYBILL_PAYMENT_ENCRYPTION_KEY: first,
      PAYMENT_LOOKUP_DELAYS_SECONDS: Array.from({ length: 600 }, (_, i) => i + 1).join(),
    });
  });
  afterAll(() => paying?.stop());

  /** Places an order whose payment is authorized and yet to be captured. */
  async function authorized() {
    const store = paying.newStore();
    const { id } = await store.stripeMethod({ capture: 'manual' });
    const bought = await store.buy(900, id);
    paying.stripe.pay(bought.session.id);
    await untilPayment(bought, 'authorized');
    return { store, methodId: id as string, bought };
  }
  const capture = ({ store, bought }: Awaited<ReturnType<typeof authorized>>) =>
    store.api('post', `payments/${bought.payment.id}/capture`);

  test('that was restored call no provider until an operator allows it, and then find earlier payments', async () => {
    const before = await authorized();
    const { store, methodId, bought } = before;
    const unpaid = await store.buy(500, methodId);
    await paying.system.restart({}, () => holdPayments(paying.system.databaseUrl('payments')));
    const calls = paying.stripe.requests.length;
    // Paid at the provider without the system's knowledge.
    paying.stripe.pay(unpaid.session.id);
    const captured = await capture(before);
    expect([captured.status, captured.body.payment.status]).toEqual([202, 'authorized']);
    const { status, body } = await store.checkout(700, { paymentMethodId: methodId });
    expect([status, body.payment.redirectUrl]).toEqual([201, null]);
    expect((await store.asAdmin('get', 'payment-reconciliation')).status).toBe(503);
    // Look-ups are due each second.
    await sleep(3_000);
    expect(paying.stripe.requests).toHaveLength(calls);

    await paying.system.restart({ PAYMENTS_RESUME: 'on' });
    await untilPayment(unpaid, 'authorized');
    await runSql(paying.system, 'orders', `update payment_step set due_at = now() where state = 'pending'`);
    await untilPayment(bought, 'captured');
    expect(await bought.money()).toEqual(['paid', 900, 0, 0]);
    // The setting is no longer needed.
    await eventually(
      async () => (await runSql(paying.system, 'payments', 'select since from provider_hold')).length === 0,
    );
    await paying.system.restart({ PAYMENTS_RESUME: 'off' });
    expect((await store.buy(600, methodId)).payment.redirectUrl).toMatch(/^http/);
  });

  test('can still be captured when the key of their secrets has been rotated', async () => {
    const before = await authorized();
    const second = key();
    const sealed = async () =>
      (await runSql(paying.system, 'payments', 'select sealed_secret_key from payment_method')) as {
        sealed_secret_key: string;
      }[];
    const old = new Set((await sealed()).map((row) => row.sealed_secret_key));
    await paying.system.restart({ WAYBILL_PAYMENT_ENCRYPTION_KEYS: `second:${second},first:${first}` });
    await eventually(async () => (await sealed()).every((row) => !old.has(row.sealed_secret_key)), {
      what: 'every secret to be sealed by the new key',
    });
    await paying.system.restart({ WAYBILL_PAYMENT_ENCRYPTION_KEYS: `second:${second}` });
    expect((await capture(before)).body.payment.status).toBe('captured');
    expect(await before.bought.money()).toEqual(['paid', 900, 0, 0]);
  });
});
