import type { Handlers } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { toPayment } from '../ledger/entries.ts';
import { findPayment, listPayments } from '../ledger/queries.ts';
import { replaceMethods } from '../payment-choices/choices.ts';
import type { Tables } from '../tables.ts';
import { capturePayment, ensureLedger, recordPayment, voidPayment } from './payments.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes, Tables> => {
  const { db: pool } = context;
  return {
    async listPayments({ storeId, query }) {
      const { rows, ...list } = await listPayments(pool, storeId, query);
      return { payments: rows.map(toPayment), ...list };
    },
    async getPayment({ storeId, params, db }) {
      const payment = await findPayment(db, storeId, params.id);
      if (!payment) throw errors.not_found();
      return { payment: toPayment(payment) };
    },
    capturePayment: (request) => capturePayment(context, request, request.body.amountCents),
    voidPayment: (request) => voidPayment(context, request),
    async listPaymentsOfOrder({ storeId, params, query }) {
      await ensureLedger(context, storeId, params.id);
      const { rows, ...list } = await listPayments(pool, storeId, { ...query, orderId: params.id });
      return { payments: rows.map(toPayment), ...list };
    },
    recordPayment: {
      write: async ({ storeId, params, body }, write) => ({
        payment: await recordPayment(write, storeId, params.id, body),
      }),
    },
    async replacePaymentChoices({ body: { storeId, ...announced } }) {
      await replaceMethods(pool, storeId, announced);
      return {};
    },
  };
};
