import type { Handlers } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { findRefund, listRefunds } from '../refunding/queries.ts';
import { toRefund } from '../refunding/refunding.ts';
import { ensureRefunds, refundOrder, requestRefund } from './refunds.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes> => {
  const { db } = context;
  return {
    async listRefunds({ storeId, params, query }) {
      await ensureRefunds(context, storeId, params.id);
      const { rows, ...list } = await listRefunds(db, storeId, params.id, query);
      return { refunds: rows.map(toRefund), ...list };
    },
    createRefund(request) {
      const { storeId, params, body } = request;
      return requestRefund(context, request, params.id, (write, terms) =>
        refundOrder(write, storeId, params.id, body, terms),
      );
    },
    async getRefund({ storeId, params, db }) {
      const row = await findRefund(db, storeId, params.id, params.refundId);
      if (!row) throw errors.not_found();
      return { refund: toRefund(row) };
    },
  };
};
