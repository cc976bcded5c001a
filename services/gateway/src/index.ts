import { aggregate, defineService } from '@waybill/kernel';
import { handlers as auditHandlers } from './audit/handlers.ts';
import { routes as auditRoutes } from './audit/routes.ts';
import { type Config, config, type State } from './config.ts';
import { handlers as demoHandlers } from './demo/handlers.ts';
import { routes as demoRoutes } from './demo/routes.ts';
import { handlers } from './documents/handlers.ts';
import { routes } from './documents/routes.ts';
import { handlers as domainHandlers } from './domains/handlers.ts';
import { routes as domainRoutes } from './domains/routes.ts';
import { createFront } from './front.ts';
import { handlers as limitHandlers } from './limits/handlers.ts';
import { routes as limitRoutes } from './limits/routes.ts';
import { OwnOrigins } from './own-origins.ts';
import { handlers as searchHandlers } from './search/handlers.ts';
import { routes as searchRoutes } from './search/routes.ts';

/**
 * The gateway service, the only public door: it turns credentials into principals, limits rates and forwards requests
 * by prefix. It also serves the search over everything, audits and the API's reference.
 */
export const gateway = defineService<Config, unknown, State>({
  name: 'gateway',
  config,
  usesCache: true,
  start: (context) => ({ ownOrigins: new OwnOrigins(context) }),
  aggregates: [
    aggregate(routes, handlers),
    aggregate(searchRoutes, searchHandlers),
    aggregate(auditRoutes, auditHandlers),
    aggregate(limitRoutes, limitHandlers),
    aggregate(demoRoutes, demoHandlers),
    aggregate(domainRoutes, domainHandlers),
  ],
  front: createFront,
});
