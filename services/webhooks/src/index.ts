import { toStoreLimits } from '@waybill/contracts';
import { aggregate, defineService, FairCapacity, SharedClock } from '@waybill/kernel';
import { authorizeMember } from './app-endpoints/app-endpoints.ts';
import { handlers as appEndpointHandlers } from './app-endpoints/handlers.ts';
import { routes as appEndpointRoutes } from './app-endpoints/routes.ts';
import { handlers as checkHandlers } from './checks/handlers.ts';
import { routes as checkRoutes } from './checks/routes.ts';
import { type Config, config } from './config.ts';
import type { Context, State } from './context.ts';
import { handlers as deliveryHandlers } from './deliveries/handlers.ts';
import { routes as deliveryRoutes } from './deliveries/routes.ts';
import { handlers as endpointHandlers } from './endpoints/handlers.ts';
import { countEndpoints } from './endpoints/queries.ts';
import { routes as endpointRoutes } from './endpoints/routes.ts';
import { sealed } from './endpoints/secrets.ts';
import { errors } from './errors.ts';
import { handlers as eventLogHandlers } from './event-log/handlers.ts';
import { routes as eventLogRoutes } from './event-log/routes.ts';
import { calls } from './event-types/api-document.ts';
import { handlers as eventTypeHandlers } from './event-types/handlers.ts';
import { routes as eventTypeRoutes } from './event-types/routes.ts';
import { handlers as eventHandlers } from './events/handlers.ts';
import { routes as eventRoutes } from './events/routes.ts';
import { leaseMs, readClock } from './lease.ts';
import { DispatchTimer } from './memory/dispatch-timer.ts';
import { HandOvers } from './memory/hand-overs.ts';
import { Lanes } from './memory/lanes.ts';
import { LogReaders } from './memory/log-readers.ts';
import { RightsCache } from './memory/rights-cache.ts';
import { SendingWindows } from './memory/sending-windows.ts';
import { TargetHosts } from './memory/target-hosts.ts';
import { WaitingCalls } from './memory/waiting-calls.ts';
import { outcomesWorker } from './outcomes/outcomes.ts';
import { partitions } from './partitions.ts';
import { handlers as personalDataHandlers } from './personal-data/handlers.ts';
import { routes as personalDataRoutes } from './personal-data/routes.ts';
import { handlers as replayHandlers } from './replays/handlers.ts';
import { routes as replayRoutes } from './replays/routes.ts';
import { handlers as statsHandlers } from './stats/handlers.ts';
import { routes as statsRoutes } from './stats/routes.ts';
import { subscriptions } from './subscriptions.ts';
import type { Tables } from './tables.ts';
import { tasks } from './tasks.ts';
import { handlers as testCallHandlers } from './test-calls/handlers.ts';
import { routes as testCallRoutes } from './test-calls/routes.ts';

/** Maximum number of checks that run at the same time: a receiver can hold each for as long as a call may take. */
const maxChecks = 100;

/** Builds the state of one replica of the service. */
export const createState = ({
  bus,
  config,
  db,
  stopping,
}: Pick<Context, 'bus' | 'config' | 'db' | 'stopping'>): State => ({
  windows: new SendingWindows(leaseMs),
  lanes: new Lanes(bus),
  hosts: new TargetHosts(config.trustedTargets),
  waiting: new WaitingCalls(),
  handOvers: new HandOvers(),
  rights: new RightsCache(),
  timer: new DispatchTimer(),
  readers: new LogReaders(stopping),
  checks: new FairCapacity(maxChecks),
  replaysWithEndedCalls: new Set(),
  clock: new SharedClock(() => readClock(db)),
});

/**
 * The webhooks service: endpoints, fan-out, delivery records and the retry schedule (`store-api.md 2.8, 2.9, 4.9, 6`).
 */
export const webhooks = defineService<Config, Tables, State>({
  name: 'webhooks',
  config,
  usesCache: true,
  migrations: new URL('../migrations/', import.meta.url),
  partitions,
  errors,
  authorizeKeyed: authorizeMember,
  sealed,
  start: createState,
  aggregates: [
    aggregate(endpointRoutes, endpointHandlers),
    aggregate(deliveryRoutes, deliveryHandlers),
    aggregate(appEndpointRoutes, appEndpointHandlers),
    aggregate(eventRoutes, eventHandlers),
    aggregate(eventLogRoutes, eventLogHandlers),
    aggregate(eventTypeRoutes, eventTypeHandlers),
    aggregate(personalDataRoutes, personalDataHandlers),
    aggregate(replayRoutes, replayHandlers),
    aggregate(checkRoutes, checkHandlers),
    aggregate(statsRoutes, statsHandlers),
    aggregate(testCallRoutes, testCallHandlers),
  ],
  limits: async ({ db }, storeId) => toStoreLimits({ webhooks: await countEndpoints(db, storeId) }),
  calls,
  subscriptions,
  workers: (context) => [outcomesWorker(context)],
  tasks,
  close: ({ state: { handOvers } }) => handOvers.waitUntilIdle(),
});
