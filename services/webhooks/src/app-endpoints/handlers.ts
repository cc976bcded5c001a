import type { Handlers } from '@waybill/kernel';
import type { Context } from '../context.ts';
import { listPage, readDelivery, redeliver } from '../deliveries/deliveries.ts';
import { endpointIdOf, requireApp, setSecret } from './app-endpoints.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes> => ({
  async listAppDeliveries({ principal, params, query }) {
    const appId = await requireApp(context, params, principal.userId);
    return listPage(context.db, appId, endpointIdOf(appId), query);
  },
  async getAppDelivery({ principal, params }) {
    const appId = await requireApp(context, params, principal.userId);
    return { delivery: await readDelivery(context.db, appId, endpointIdOf(appId), params.deliveryId, []) };
  },
  async redeliverToApp({ principal, params }) {
    const { transaction, wake } = context;
    const appId = await requireApp(context, params, principal.userId);
    const endpointId = endpointIdOf(appId);
    const delivery = await redeliver(transaction, appId, principal, endpointId, params.deliveryId);
    wake('dispatch');
    return { delivery };
  },
  async setAppSecret({ body }) {
    await setSecret(context, body);
    return {};
  },
});
