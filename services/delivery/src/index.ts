import { aggregate, defineService } from '@waybill/kernel';
import { createCallWorkers } from './calls.ts';
import { handlers as checkHandlers, routes as checkRoutes } from './checks/routes.ts';
import { type Config, config } from './config.ts';
import type { Destination } from './destination.ts';
import { createDestinations } from './destinations/destinations.ts';

/**
 * The delivery service: signs and sends webhook calls (`store-api.md 6`). It has no database and no state, so any
 * number of copies may run.
 */
export const delivery = defineService<Config, unknown, Required<Destination>>({
  name: 'delivery',
  config,
  aggregates: [aggregate(checkRoutes, checkHandlers)],
  start: ({ config: { trustedTargets } }) => createDestinations({ trustedTargets }),
  workers: (context) => createCallWorkers(context, context.state),
  close: ({ state: destinations }) => destinations.close(),
});
