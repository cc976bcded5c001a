import { aggregate, defineService } from '@waybill/kernel';
import { config } from './config.ts';
import { errors } from './errors.ts';
import { handlers } from './products/handlers.ts';
import { routes } from './products/routes.ts';
import type { Tables } from './tables.ts';

/** Products, variants, stock: `store-api.md 2.2, 4.2`, `decisions.md 2`. */
export const catalog = defineService<object, Tables>({
  name: 'catalog',
  config,
  migrations: new URL('../migrations/', import.meta.url),
  errors,
  aggregates: [aggregate(routes, handlers)],
});
