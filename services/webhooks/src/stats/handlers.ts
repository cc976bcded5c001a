import type { Handlers, ServiceContext } from '@waybill/kernel';
import type { Config } from '../config.ts';
import { findEndpoint } from '../endpoints/queries.ts';
import { errors } from '../errors.ts';
import type { Tables } from '../tables.ts';
import { countPending, listHours, listSteps } from './queries.ts';
import type { routes } from './routes.ts';
import { quantile } from './steps.ts';

export const handlers = ({ db }: ServiceContext<Config, Tables>): Handlers<typeof routes> => ({
  async getWebhookStats({ storeId, principal, params: { id }, query: { hours } }) {
    if (!(await findEndpoint(db, storeId, principal, id))) throw errors.not_found();
    const [counted, steps, pending] = await Promise.all([
      listHours(db, storeId, id, hours),
      listSteps(db, storeId, id, hours),
      countPending(db, storeId, id),
    ]);
    const sumHours = (field: 'delivered' | 'failed') => counted.reduce((all, hour) => all + hour[field], 0);
    const buckets = counted.map(({ start, ...hour }) => ({ start: start.toISOString(), ...hour }));
    return {
      stats: {
        delivered: sumHours('delivered'),
        failed: sumHours('failed'),
        pending,
        p50Ms: quantile(steps, 0.5),
        p95Ms: quantile(steps, 0.95),
        buckets,
      },
    };
  },
});
