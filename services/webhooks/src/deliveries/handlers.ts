import type { Handlers } from '@waybill/kernel';
import { prepareHideFields } from '../bodies/app-fields.ts';
import type { Context } from '../context.ts';
import { findEndpoint } from '../endpoints/queries.ts';
import { toHolder } from '../endpoints/rights.ts';
import { errors } from '../errors.ts';
import type { Tables } from '../tables.ts';
import { listDeliveryPage, readDelivery, redeliver } from './deliveries.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes, Tables> => {
  const { db } = context;
  return {
    async listDeliveries({ storeId, principal, params, query }) {
      if (!(await findEndpoint(db, storeId, principal, params.id))) throw errors.not_found();
      return listDeliveryPage(db, storeId, params.id, query);
    },
    async getDelivery({ storeId, principal, params }) {
      if (!(await findEndpoint(db, storeId, principal, params.id))) throw errors.not_found();
      const appId = principal.kind === 'app' ? principal.appId : null;
      const prepareHiding = (bodies: readonly string[]) => prepareHideFields(context, storeId, appId, bodies);
      const { rights } = toHolder(principal);
      return {
        delivery: await readDelivery(db, storeId, params.id, params.deliveryId, rights, prepareHiding),
      };
    },
    redeliver: {
      write: async ({ storeId, principal, params }, write) => ({
        delivery: await redeliver(write, context, storeId, principal, params.id, params.deliveryId),
      }),
    },
  };
};
