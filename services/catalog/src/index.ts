import { toStoreLimits } from '@waybill/contracts';
import { aggregate, defineService, foldTask } from '@waybill/kernel';
import { handlers as categoryHandlers, lock as categoryLock } from './categories/handlers.ts';
import { matchChangedTask, matchRulesTask, RuleMatcher } from './categories/matching.ts';
import { countCategories } from './categories/queries.ts';
import { routes as categoryRoutes } from './categories/routes.ts';
import { type Config, config } from './config.ts';
import { handlers as customFieldHandlers } from './custom-fields/handlers.ts';
import { routes as customFieldRoutes } from './custom-fields/routes.ts';
import { tasks as customFieldTasks } from './custom-fields/tasks.ts';
import { errors } from './errors.ts';
import { handlers as mediaUseHandlers } from './media-uses/handlers.ts';
import { routes as mediaUseRoutes } from './media-uses/routes.ts';
import { purgeDeletedVariants } from './products/deleted-variant-queries.ts';
import { handlers as productHandlers, lock as productLock } from './products/handlers.ts';
import { countProducts } from './products/insert-queries.ts';
import { sqlSettings } from './products/json.ts';
import { purgePrices } from './products/price-queries.ts';
import { routes as productRoutes } from './products/routes.ts';
import { handlers as reservationHandlers } from './reservations/handlers.ts';
import { resolveExpiredReservations } from './reservations/reservations.ts';
import { routes as reservationRoutes } from './reservations/routes.ts';
import { handlers as shopHandlers } from './shop/handlers.ts';
import { routes as shopRoutes } from './shop/routes.ts';
import { handlers as stockHandlers } from './stock/handlers.ts';
import { routes as stockRoutes } from './stock/routes.ts';
import { handlers as storefrontHandlers } from './storefront/handlers.ts';
import { routes as storefrontRoutes } from './storefront/routes.ts';
import { subscriptions } from './subscriptions.ts';
import type { Tables } from './tables.ts';

/** The catalog service: products, variants, stock. `store-api.md 2.2, 4.2`, `decisions.md 2`. */
export const catalog = defineService<Config, Tables>({
  name: 'catalog',
  usesCache: true,
  config,
  migrations: new URL('../migrations/', import.meta.url),
  errors,
  sqlSettings,
  aggregates: [
    aggregate(productRoutes, productHandlers, productLock),
    aggregate(categoryRoutes, categoryHandlers, categoryLock),
    aggregate(customFieldRoutes, customFieldHandlers),
    aggregate(stockRoutes, stockHandlers),
    aggregate(reservationRoutes, reservationHandlers),
    aggregate(mediaUseRoutes, mediaUseHandlers),
    aggregate(shopRoutes, shopHandlers),
    aggregate(storefrontRoutes, storefrontHandlers),
  ],
  async limits({ db }, storeId) {
    const [products, categories] = await Promise.all([
      countProducts(db, storeId),
      countCategories(db, storeId),
    ]);
    return toStoreLimits({ products, categories });
  },
  subscriptions,
  tasks(context) {
    const ruleMatcher = new RuleMatcher(context);
    return [
      { name: 'settle-reservations', everyMs: 2_000, run: () => resolveExpiredReservations(context) },
      { name: matchChangedTask, everyMs: 500, run: () => ruleMatcher.matchChanged() },
      { name: matchRulesTask, everyMs: 500, run: () => ruleMatcher.scanRules() },
      { name: 'purge-prices', everyMs: 3_600_000, run: () => purgePrices(context.db) },
      { name: 'purge-gone-variants', everyMs: 3_600_000, run: () => purgeDeletedVariants(context.db) },
      ...customFieldTasks(context),
      foldTask(context.db, { table: 'product', columns: { search: 'search', name_key: 'name' } }),
    ];
  },
});
