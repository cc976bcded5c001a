import { limitsOf } from '@waybill/contracts';
import { aggregate, defineService } from '@waybill/kernel';
import { type Config, config } from './config.ts';
import { errors } from './errors.ts';
import { handlers as methodHandlers } from './methods/handlers.ts';
import { listMethodIds } from './methods/queries.ts';
import { routes as methodRoutes } from './methods/routes.ts';
import { resealSecrets, sealed } from './secrets.ts';
import type { Tables } from './tables.ts';

/** Payment methods, and all talk with providers: `decisions.md 22`. It alone holds providers' secrets. */
export const payments = defineService<Config, Tables>({
  name: 'payments',
  writes: 'explicit',
  config,
  migrations: new URL('../migrations/', import.meta.url),
  errors,
  sealed,
  aggregates: [aggregate(methodRoutes, methodHandlers)],
  limits: async ({ db }, storeId) => limitsOf({ paymentMethods: (await listMethodIds(db, storeId)).length }),
  tasks: (context) => [resealSecrets(context)],
});
