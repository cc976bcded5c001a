import type { Handlers } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { toPayment } from '../ledger/entries.ts';
import { findPayment, listPayments } from '../ledger/queries.ts';
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
    capturePayment: async ({ storeId, params, body }) => ({
      payment: await capturePayment(transaction, storeId, params.id, body.amountCents),
    }),
    voidPayment: async ({ storeId, params }) => ({
      payment: await voidPayment(transaction, storeId, params.id),
    }),
    async listPaymentsOfOrder({ storeId, params, query }) {
      await ensureLedger(context, storeId, params.id);
      const { rows, ...list } = await listPayments(db, storeId, { ...query, orderId: params.id });
      return { payments: rows.map(toPayment), ...list };
    },
    recordPayment: async ({ storeId, params, body }) => ({
      payment: await recordPayment(transaction, storeId, params.id, body),
    }),
  };
};
