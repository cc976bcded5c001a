import type { Handlers } from '@waybill/kernel';
import { findEndpoint } from '../endpoints/queries.ts';
import { errors } from '../errors.ts';
import type { Context } from '../state.ts';
import { listPage, redeliver, toAttempt, toDelivery } from './deliveries.ts';
import { findDelivery } from './queries.ts';
import type { routes } from './routes.ts';

export const handlers = ({ db, transaction, wake }: Context): Handlers<typeof routes> => ({
  async listDeliveries({ storeId, principal, params, query }) {
    if (!(await findEndpoint(db, storeId, principal, params.id))) throw errors.not_found();
    return listPage(db, storeId, params.id, query);
  },
  async getDelivery({ storeId, principal, params }) {
    if (!(await findEndpoint(db, storeId, principal, params.id))) throw errors.not_found();
    const delivery = await findDelivery(db, storeId, params.id, params.deliveryId);
    if (!delivery) throw errors.not_found();
    return { delivery: { ...toDelivery(delivery), attempts: delivery.attempt_log.map(toAttempt) } };
  },
  async redeliver({ storeId, principal, params }) {
    const delivery = await redeliver(transaction, storeId, principal, params.id, params.deliveryId);
    wake('dispatch');
    return { delivery };
  },
});
