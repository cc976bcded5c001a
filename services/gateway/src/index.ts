import { aggregate, defineService } from '@waybill/kernel';
import { type Config, config } from './config.ts';
import { handlers } from './documents/handlers.ts';
import { routes } from './documents/routes.ts';
import { createFront } from './front.ts';

/** The only public door: credential → principal, rate limit, prefix → service; and the API's reference. */
export const gateway = defineService<Config, unknown>({
  name: 'gateway',
  config,
  usesCache: true,
  aggregates: [aggregate(routes, handlers)],
  front: createFront,
});
