import type { Handlers } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { toPayment } from '../ledger/entries.ts';
import { findPayment, listPayments } from '../ledger/queries.ts';
import { replaceMethods } from '../payment-choices/choices.ts';
import { capturePayment, ensureLedger, recordPayment, voidPayment } from './payments.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes> => {
  const { db, transaction } = context;
  return {
    async listPayments({ storeId, query }) {
      const { rows, ...list } = await listPayments(db, storeId, query);
      return { payments: rows.map(toPayment), ...list };
    },
    async getPayment({ storeId, params }) {
      const payment = await findPayment(db, storeId, params.id);
      if (!payment) throw errors.not_found();
      return { payment: toPayment(payment) };
    },
    capturePayment: (request) => capturePayment(context, request, request.body.amountCents),
    voidPayment: (request) => voidPayment(context, request),
    async listPaymentsOfOrder({ storeId, params, query }) {
      await ensureLedger(context, storeId, params.id);
      const { rows, ...list } = await listPayments(db, storeId, { ...query, orderId: params.id });
      return { payments: rows.map(toPayment), ...list };
    },
    recordPayment: async ({ storeId, params, body }) => ({
      payment: await recordPayment(transaction, storeId, params.id, body),
    }),
    async replacePaymentChoices({ body: { storeId, ...announced } }) {
      await replaceMethods(db, storeId, announced);
      return {};
    },
  };
};
