import { enforceRateLimit, getNetwork, type Handlers } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { hasOrder } from '../notes/queries.ts';
import { findOrderId } from '../receipts/receipts.ts';
import { requestRefund } from '../refunds/refunds.ts';
import type { Tables } from '../tables.ts';
import { findReturn, listReturns, listStoreReturns } from './queries.ts';
import { changeReturn, createReturn, refundReturn, requestReturn, toReturn } from './returns.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes, Tables> => {
  const { db, cache, config } = context;
  return {
    async listStoreReturns({ storeId, query }) {
      const { rows, ...list } = await listStoreReturns(db, storeId, query);
      return { returns: rows.map(toReturn), ...list };
    },
    async listReturns({ storeId, params, query }) {
      if (!(await hasOrder(db, storeId, params.id))) throw errors.not_found();
      const { rows, ...list } = await listReturns(db, storeId, params.id, query);
      return { returns: rows.map(toReturn), ...list };
    },
    createReturn: {
      write: async ({ storeId, params, body }, write) => ({
        return: await createReturn(write, storeId, params.id, body, {
          by: 'member',
          notify: body.notify ?? true,
        }),
      }),
    },
    async getReturn({ storeId, params, db }) {
      const row = await findReturn(db, storeId, params.id, params.returnId);
      if (!row) throw errors.not_found();
      return { return: toReturn(row) };
    },
    changeReturn: {
      write: async ({ storeId, params, body }, write) => ({
        return: await changeReturn(write, storeId, { orderId: params.id, id: params.returnId }, body),
      }),
    },
    refundReturn(request) {
      const { storeId, params, body } = request;
      const ids = { orderId: params.id, id: params.returnId };
      return requestRefund(context, request, params.id, (write, terms) =>
        refundReturn(write, storeId, ids, body, terms),
      );
    },
    requestReturn: {
      guard: ({ address }) => enforceRateLimit(cache, `returns:${getNetwork(address)}`, config.checkoutLimit),
      async handle({ params, body }) {
        const { storeId, token } = params;
        const orderId = await findOrderId(db, storeId, token);
        return { return: await requestReturn(context, storeId, orderId, body) };
      },
    },
  };
};
