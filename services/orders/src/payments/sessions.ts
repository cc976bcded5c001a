import { paymentTimeouts, type SessionReply, type SessionRequest } from '@waybill/contracts';
import type { Context } from '../config.ts';
import type { PaymentRow } from '../ledger/queries.ts';
import { insertStep } from '../ledger/step-queries.ts';
import { ensureToken } from '../tokens/tokens.ts';
import { findOrderFacts, findPaymentRow, setRedirectUrl } from './chosen-payment-queries.ts';
import type { CheckoutPayment } from './schemas.ts';
import { runStep } from './steps.ts';

/** Converts a payment to the shape that its shopper sees. */
const toCheckoutPayment = ({ id, status }: PaymentRow, redirectUrl: string | null): CheckoutPayment => ({
  id,
  status,
  redirectUrl,
});

/** Returns the address of an order's page without its token. The previous version stored the address with the token. */
export const removeToken = (url: string): string => url.slice(0, url.lastIndexOf('/') + 1);

/** Whether a shopper can still use the payment at a provider. */
const isOpen = ({ provider, status, is_under_way: isUnderWay }: PaymentRow) =>
  provider !== 'manual' && status === 'pending' && !isUnderWay;

/**
 * Returns a payment as its shopper sees it. Opens its session at the provider if it needs one, once, under the
 * payment's id. If the provider does not answer in time, `redirectUrl` is null, and the next request finds it.
 */
export async function openPayment(
  context: Context,
  storeId: string,
  payment: PaymentRow,
  timeoutMs: number = paymentTimeouts.checkoutMs,
): Promise<CheckoutPayment> {
  const { db, peers, log } = context;
  if (!isOpen(payment) || payment.return_url === null) return toCheckoutPayment(payment, null);
  if (payment.redirect_url !== null) return toCheckoutPayment(payment, payment.redirect_url);
  const order = await findOrderFacts(db, storeId, payment.order_id);
  if (order?.status !== 'open' || !peers.has('payments')) return toCheckoutPayment(payment, null);
  const token = await ensureToken(context, 'order', storeId, payment.order_id, order);
  if (token === null) return toCheckoutPayment(payment, null);
  const request: SessionRequest = {
    storeId,
    paymentId: payment.id,
    orderId: payment.order_id,
    methodId: payment.method_id!,
    amountCents: payment.amount_cents,
    currency: payment.currency,
    description: `#${order.number}`,
    locale: order.locale,
    returnUrl: removeToken(payment.return_url) + token,
  };
  const reply = await peers
    .call<SessionReply>('payments', 'POST', '/internal/payment-sessions', request, { timeoutMs })
    .catch((err: unknown) => {
      log.warn({ err, storeId, paymentId: payment.id }, 'a payment has no session yet');
      return null;
    });
  const redirectUrl = reply?.redirectUrl ?? null;
  const now = await findPaymentRow(db, storeId, payment.id);
  if (reply && now && !isOpen(now)) {
    // Another method was chosen, or the order was cancelled, while the session was being opened. Nobody may pay in it.
    await endLate(context, storeId, now);
    return toCheckoutPayment(now, null);
  }
  if (redirectUrl !== null) await setRedirectUrl(db, storeId, payment.id, redirectUrl);
  return toCheckoutPayment(payment, redirectUrl);
}

/** Ends a session that was opened after its payment had closed. */
async function endLate(context: Context, storeId: string, payment: PaymentRow): Promise<void> {
  const { transaction, log } = context;
  const step = await transaction((trx) =>
    insertStep(trx, storeId, {
      paymentId: payment.id,
      orderId: payment.order_id,
      kind: 'end',
      amountCents: 0,
    }),
  );
  await runStep(context, storeId, step.id).catch((err: unknown) =>
    log.warn({ err, storeId, stepId: step.id }, 'a payment session could not be ended; a task tries again'),
  );
}

/** Requests a look-up of a payment, because its shopper has returned. Does not wait for it. */
export function refreshPayment({ peers, log }: Context, storeId: string, payment: PaymentRow): void {
  if (!isOpen(payment) || payment.redirect_url === null || !peers.has('payments')) return;
  const body = { storeId, paymentId: payment.id };
  peers
    .call('payments', 'POST', '/internal/payment-sessions/refresh', body)
    .catch((err: unknown) => log.debug({ err }, 'a payment could not be looked up at once; a task will'));
}
