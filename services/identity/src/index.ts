import { aggregate, defineService } from '@waybill/kernel';
import { handlers as apiKeyHandlers } from './api-keys/handlers.ts';
import { routes as apiKeyRoutes } from './api-keys/routes.ts';
import { type Config, config } from './config.ts';
import { errors } from './errors.ts';
import { handlers as memberHandlers } from './members/handlers.ts';
import { routes as memberRoutes } from './members/routes.ts';
import { handlers as rightsHandlers } from './rights/handlers.ts';
import { routes as rightsRoutes } from './rights/routes.ts';
import { handlers as storeHandlers } from './stores/handlers.ts';
import { routes as storeRoutes } from './stores/routes.ts';
import type { Tables } from './tables.ts';
import { handlers as userHandlers } from './users/handlers.ts';
import { routes as userRoutes } from './users/routes.ts';
import { sweepSessions } from './users/sessions.ts';

/** Users and their tokens, stores, members and roles, API keys: `decisions.md 8`. */
export const identity = defineService<Config, Tables>({
  name: 'identity',
  config,
  usesCache: true,
  migrations: new URL('../migrations/', import.meta.url),
  errors,
  aggregates: [
    aggregate(userRoutes, userHandlers),
    aggregate(storeRoutes, storeHandlers),
    aggregate(memberRoutes, memberHandlers),
    aggregate(apiKeyRoutes, apiKeyHandlers),
    aggregate(rightsRoutes, rightsHandlers),
  ],
  tasks: ({ db }) => [{ name: 'sweep-sessions', everyMs: 3_600_000, run: () => sweepSessions(db) }],
});
