import { aggregate, defineService } from '@waybill/kernel';
import { type Config, config } from './config.ts';
import { handlers as deliveryHandlers } from './deliveries/handlers.ts';
import { routes as deliveryRoutes } from './deliveries/routes.ts';
import { outcomesWorker, tasks } from './deliveries/schedule.ts';
import { handlers as endpointHandlers } from './endpoints/handlers.ts';
import { routes as endpointRoutes } from './endpoints/routes.ts';
import { errors } from './errors.ts';
import { handlers as eventHandlers } from './events/handlers.ts';
import { routes as eventRoutes } from './events/routes.ts';
import { newState, type State } from './state.ts';
import { subscriptions } from './subscriptions.ts';
import type { Tables } from './tables.ts';

/** Endpoints, fan-out, delivery records and the retry schedule: `store-api.md 2.8, 2.9, 4.9, 6`. */
export const webhooks = defineService<Config, Tables, State>({
  name: 'webhooks',
  config,
  usesCache: true,
  migrations: new URL('../migrations/', import.meta.url),
  errors,
  start: newState,
  aggregates: [
    aggregate(endpointRoutes, endpointHandlers),
    aggregate(deliveryRoutes, deliveryHandlers),
    aggregate(eventRoutes, eventHandlers),
  ],
  subscriptions,
  workers: (context) => [outcomesWorker(context)],
  tasks,
});
