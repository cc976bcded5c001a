import type { AnnouncedMethod, StoreReply } from '@waybill/contracts';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { beginStepOnce } from '../ledger/ending.ts';
import type { Ledger } from '../ledger/entries.ts';
import type { PaymentRow } from '../ledger/queries.ts';
import { listPendingSteps } from '../ledger/step-queries.ts';
import type { LockedOrder } from '../orders/queries.ts';
import { listChoices, listEnabledMethods } from '../payment-choices/choices.ts';
import { changeOrderMoney } from './change-money.ts';
import { findLastChosenPayment, findShippingCountry, setPayingSince } from './chosen-payment-queries.ts';
import type { CheckoutPayment } from './schemas.ts';
import { openPayment, removeToken } from './sessions.ts';
import { runStep } from './steps.ts';

/** Whether a shopper may pay the due amount of an order: `decisions.md 22.4`. */
export const canPay = (
  { status, payment }: Pick<LockedOrder, 'status' | 'payment'>,
  dueCents: number,
  payments: readonly Pick<PaymentRow, 'is_under_way'>[],
): boolean =>
  status !== 'cancelled' &&
  payment !== 'paid' &&
  payment !== 'authorized' &&
  dueCents > 0 &&
  payments.every(({ is_under_way: isUnderWay }) => !isUnderWay);

/** Lists the methods that can pay the due amount of an order. */
export async function listPayable(
  { db }: Pick<Context, 'db'>,
  storeId: string,
  orderId: string,
  dueCents: number,
): Promise<AnnouncedMethod[]> {
  const methods = await listEnabledMethods(db, storeId);
  if (methods.length === 0) return [];
  const country = (await findShippingCountry(db, storeId, orderId)) ?? undefined;
  return listChoices(methods, { country, totalCents: dueCents });
}

/**
 * Pays the due amount of an order again or by another method. Ends payments that were begun before: a session at a
 * provider expires. If the same payment is still open, returns it.
 * @throws not_found, invalid_state, invalid_payment_method
 */
export async function retryPayment(
  context: Context,
  storeId: string,
  orderId: string,
  methodId: string,
): Promise<CheckoutPayment> {
  const { log } = context;
  const returnUrl = await findReturnUrl(context, storeId, orderId);
  const begun = await context.write((write) =>
    changeOrderMoney(write, storeId, orderId, async (ledger, locked) => {
      const { trx } = write;
      if (!canPay(locked, ledger.dueCents, ledger.payments))
        throw errors.invalid_state({ message: 'No payment is due for this order now.' });
      const methods = await listPayable({ db: trx }, storeId, orderId, ledger.dueCents);
      const method = methods.find(({ id }) => id === methodId);
      if (!method) throw errors.invalid_payment_method();
      const same = await findSame(trx, storeId, ledger, methodId);
      if (same) return { payment: same, ended: [] };
      const ended = await endOpen(trx, storeId, ledger);
      const payment = await ledger.add({ amountCents: ledger.dueCents, method, returnUrl });
      await setPayingSince(trx, storeId, orderId, method.provider === 'manual' ? null : new Date());
      return { payment, ended };
    }),
  );
  if (!begun) throw errors.not_found();
  const { payment, ended } = begun;
  const [shown] = await Promise.all([
    openPayment(context, storeId, payment),
    ...ended.map((stepId) =>
      runStep(context, storeId, stepId).catch((err: unknown) =>
        log.warn({ err, storeId, stepId }, 'a payment session could not be ended; a task tries again'),
      ),
    ),
  ]);
  return shown;
}

/**
 * Finds an open payment with the same method and amount, for example after a double click. Ignores payments that are
 * about to end.
 */
async function findSame(
  trx: Parameters<typeof beginStepOnce>[0],
  storeId: string,
  ledger: Ledger,
  methodId: string,
): Promise<PaymentRow | null> {
  const newest = ledger.payments.findLast(({ method_id: method }) => method !== null);
  const isSame =
    newest?.status === 'pending' && newest.method_id === methodId && newest.amount_cents === ledger.dueCents;
  if (!isSame) return null;
  const steps = await listPendingSteps(trx, storeId, newest.id);
  return steps.some(({ kind }) => kind === 'end') ? null : newest;
}

/** Ends the payments that a shopper has begun and not paid. Returns the steps that providers must take. */
async function endOpen(
  trx: Parameters<typeof beginStepOnce>[0],
  storeId: string,
  ledger: Ledger,
): Promise<string[]> {
  const steps: string[] = [];
  for (const payment of ledger.payments) {
    if (payment.status !== 'pending' || payment.method_id === null) continue;
    if (payment.provider === 'manual') await ledger.record(payment, { kind: 'failed', amountCents: 0 });
    else {
      await beginStepOnce(trx, storeId, payment, 'end', 0, null);
      steps.push(...(await listPendingSteps(trx, storeId, payment.id)).map(({ id }) => id));
    }
  }
  return steps;
}

/** Returns the URL of the shopper's pages from the last payment; for an order without a payment, that of the store. */
async function findReturnUrl(
  { db, peers, config }: Context,
  storeId: string,
  orderId: string,
): Promise<string> {
  const before = await findLastChosenPayment(db, storeId, orderId);
  if (before?.return_url) return removeToken(before.return_url);
  const facts = await peers.call<StoreReply>('identity', 'GET', `/internal/stores/${storeId}`);
  if (!facts) throw errors.not_found();
  return `${config.getStoreUrl(facts.store.slug)}orders/`;
}
