import { ApiError, type MailedReceipt, paymentTimeouts, type ShownPayment } from '@waybill/contracts';
import { enforceRateLimit, getNetwork, type Handlers, rawJson } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { readInstructions, toChoosable } from '../payment-choices/choices.ts';
import { findLastChosenPayment } from '../payments/chosen-payment-queries.ts';
import { canPay, listPayable, retryPayment } from '../payments/pay-again.ts';
import { openPayment, refreshPayment } from '../payments/sessions.ts';
import { ensureToken } from '../tokens/tokens.ts';
import { listMailedReceipts } from './queries.ts';
import { readReceipt } from './receipts.ts';
import type { routes } from './routes.ts';

/**
 * How often a shopper may begin a payment of one order, because each may be a session at a provider.
 * `decisions.md 19.13`.
 */
const paymentsOfOrder = { perMinute: 30, burst: 30 };

/**
 * Returns the last payment that the shopper has chosen, and requests a look-up at its provider, because the shopper may
 * have returned from there. Null if the order has no payment.
 */
async function readShownPayment(context: Context, storeId: string, orderId: string) {
  const row = await findLastChosenPayment(context.db, storeId, orderId);
  if (!row) return null;
  refreshPayment(context, storeId, row);
  return { row, payment: await openPayment(context, storeId, row, paymentTimeouts.pageMs) };
}

/**
 * Begins a payment of the order that a token shows.
 * @throws not_found, rate_limited, invalid_state, invalid_payment_method
 */
async function pay(
  context: Context,
  { storeId, token }: { storeId: string; token: string },
  methodId: string,
  address: string,
) {
  const { db, cache, config } = context;
  await enforceRateLimit(cache, `checkout:${getNetwork(address)}`, config.checkoutLimit);
  const { orderId } = await readReceipt(db, storeId, token);
  await enforceRateLimit(cache, `payments-of:${orderId}`, paymentsOfOrder);
  return retryPayment(context, storeId, orderId, methodId);
}

/** Returns for each order what mails to its customer contain; null for those that do not exist. */
async function listReceipts(
  context: Context,
  orders: readonly { storeId: string; orderId: string }[],
): Promise<(MailedReceipt | null)[]> {
  const found = await listMailedReceipts(context.db, orders);
  return Promise.all(
    found.map(async (row, i) => {
      if (!row) return null;
      const { id, receipt, name, email } = row;
      const token = await ensureToken(context, 'order', orders[i]!.storeId, id, row);
      return { order: receipt as MailedReceipt['order'], token, customer: { name, email } };
    }),
  );
}

export const handlers = (context: Context): Handlers<typeof routes> => {
  const { db } = context;
  return {
    async getReceipt({ params: { storeId, token } }) {
      const { orderId, json } = await readReceipt(db, storeId, token);
      const shown = await readShownPayment(context, storeId, orderId);
      return rawJson(`${json.slice(0, -1)},"payment":${JSON.stringify(shown?.payment ?? null)}}`);
    },
    async readReceipt({ body: { storeId, token } }) {
      const { orderId, json } = await readReceipt(db, storeId, token, { withAddress: true });
      const { order } = JSON.parse(json) as { order: MailedReceipt['order'] };
      const shown = await readShownPayment(context, storeId, orderId);
      const isPayable = canPay(order, order.dueCents, shown ? [shown.row] : []);
      const methods = isPayable ? await listPayable(context, storeId, orderId, order.dueCents) : [];
      const payment: ShownPayment | null = shown && {
        ...shown.payment,
        name: shown.row.method_name ?? '',
        instructions: await readInstructions(context, storeId, shown.row.method_id!),
        isUnderWay: shown.row.is_under_way,
        isDeclined: shown.row.status === 'pending' && shown.row.failure !== null,
        isTest: shown.row.is_test,
        isManual: shown.row.provider === 'manual',
      };
      // A shopper with a pending payment has its instructions or will get its link, and sees only the other methods.
      const others = methods.filter(({ id }) => payment?.status !== 'pending' || id !== shown?.row.method_id);
      const paymentMethods = others.map(toChoosable);
      return rawJson(
        `${json.slice(0, -1)},"payment":${JSON.stringify(payment)},"paymentMethods":${JSON.stringify(paymentMethods)}}`,
      );
    },
    payOrder: async ({ params: { storeId, token }, body, address }) => ({
      payment: await pay(context, { storeId, token }, body.paymentMethodId, address),
    }),
    async payFromPage({ body: { storeId, token, paymentMethodId, address } }) {
      try {
        return { payment: await pay(context, { storeId, token }, paymentMethodId, address) };
      } catch (error) {
        if (!(error instanceof ApiError) || error.status >= 500 || error.status === 404) throw error;
        return { payment: null };
      }
    },
    async receiptOfOrder({ body }) {
      const [receipt] = await listReceipts(context, [body]);
      if (!receipt) throw errors.not_found();
      return receipt;
    },
    receiptsOfOrders: async ({ body }) => ({ receipts: await listReceipts(context, body.orders) }),
  };
};
