import type { Handlers } from '@waybill/kernel';
import type { Context } from '../context.ts';
import { listDeliveryPage, readDelivery, redeliver } from '../deliveries/deliveries.ts';
import type { Tables } from '../tables.ts';
import { createEndpointId, requireApp, setSecret } from './app-endpoints.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes, Tables> => ({
  async listAppDeliveries({ principal, params, query }) {
    const appId = await requireApp(context, params, principal.userId);
    return listDeliveryPage(context.db, appId, createEndpointId(appId), query);
  },
  async getAppDelivery({ principal, params }) {
    const appId = await requireApp(context, params, principal.userId);
    return {
      delivery: await readDelivery(context.db, appId, createEndpointId(appId), params.deliveryId, []),
    };
  },
  async redeliverToApp({ principal, params, body, idempotentWrite }) {
    await idempotentWrite.begin(body);
    const appId = await requireApp(context, params, principal.userId);
    const endpointId = createEndpointId(appId);
    return idempotentWrite.commit(async (write) => ({
      delivery: await redeliver(write, context, appId, principal, endpointId, params.deliveryId),
    }));
  },
  setAppSecret: {
    async write({ body }, write) {
      await setSecret(write, context, body);
      return {};
    },
  },
});
