import type { Handlers } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { toFulfillment } from '../dispatch/dispatch.ts';
import { findFulfillment, listFulfillments } from '../dispatch/queries.ts';
import { errors } from '../errors.ts';
import type { Tables } from '../tables.ts';
import { changeFulfillment, createFulfillment, ensureFulfillments } from './fulfillments.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes, Tables> => {
  const { db: pool } = context;
  return {
    async listFulfillments({ storeId, params, query }) {
      await ensureFulfillments(context, storeId, params.id);
      const { rows, ...list } = await listFulfillments(pool, storeId, params.id, query);
      return { fulfillments: rows.map(toFulfillment), ...list };
    },
    createFulfillment: {
      write: async ({ storeId, params, body }, write) => ({
        fulfillment: await createFulfillment(write, storeId, params.id, body),
      }),
    },
    async getFulfillment({ storeId, params, db }) {
      const row = await findFulfillment(db, storeId, params.id, params.fulfillmentId);
      if (!row) throw errors.not_found();
      return { fulfillment: toFulfillment(row) };
    },
    changeFulfillment: {
      write: async ({ storeId, params, body }, write) => ({
        fulfillment: await changeFulfillment(
          write,
          storeId,
          { orderId: params.id, id: params.fulfillmentId },
          body,
        ),
      }),
    },
  };
};
