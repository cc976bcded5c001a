import { subscriptions, toStoreLimits } from '@waybill/contracts';
import { aggregate, defineService } from '@waybill/kernel';
import { handlers as reportHandlers } from './app-reports/handlers.ts';
import { routes as reportRoutes } from './app-reports/routes.ts';
import { type Config, config } from './config.ts';
import { errors } from './errors.ts';
import { resumeTask } from './hold/hold.ts';
import { lookUpTask, undecidedTask } from './lookups/lookups.ts';
import { announceTask } from './methods/announcements.ts';
import { handlers as methodHandlers } from './methods/handlers.ts';
import { onInstallsChanged } from './methods/methods.ts';
import { listMethodIds } from './methods/queries.ts';
import { routes as methodRoutes } from './methods/routes.ts';
import { handlers as eventHandlers } from './provider-events/handlers.ts';
import { deleteOldEvents } from './provider-events/queries.ts';
import { routes as eventRoutes } from './provider-events/routes.ts';
import { createProviders } from './providers/providers.ts';
import { handlers as reconciliationHandlers } from './reconciliation/handlers.ts';
import { routes as reconciliationRoutes } from './reconciliation/routes.ts';
import { resealSecrets, sealed } from './secrets.ts';
import { handlers as sessionHandlers } from './sessions/handlers.ts';
import { routes as sessionRoutes } from './sessions/routes.ts';
import type { Tables } from './tables.ts';

/** Providers repeat an event for a few days at most. */
const eventDays = 30;

/**
 * The payments service: payment methods and all communication with providers, `decisions.md 22`. No other service holds
 * providers' secrets.
 */
export const payments = defineService<Config, Tables>({
  name: 'payments',
  config,
  migrations: new URL('../migrations/', import.meta.url),
  errors,
  sealed,
  aggregates: [
    aggregate(methodRoutes, methodHandlers),
    aggregate(sessionRoutes, sessionHandlers),
    aggregate(eventRoutes, eventHandlers),
    aggregate(reportRoutes, reportHandlers),
    aggregate(reconciliationRoutes, reconciliationHandlers),
  ],
  limits: async ({ db }, storeId) =>
    toStoreLimits({ paymentMethods: (await listMethodIds(db, storeId)).length }),
  subscriptions: (context) => [
    { ...subscriptions.paymentsApps, batch: 50, handle: (events) => onInstallsChanged(context, events) },
  ],
  tasks: (context) => [
    resealSecrets(context),
    { name: 'measure-undecided', everyMs: 30_000, run: undecidedTask(context) },
    { name: 'look-up-payments', everyMs: 2_000, run: lookUpTask(context, createProviders(context)) },
    { name: 'resume-payments', everyMs: 600_000, run: resumeTask(context) },
    { name: 'announce-methods', everyMs: 600_000, run: announceTask(context) },
    {
      name: 'sweep-provider-events',
      everyMs: 600_000,
      run: () => deleteOldEvents(context.db, eventDays, 5_000),
    },
  ],
});
