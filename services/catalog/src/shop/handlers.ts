import { type Handlers, rawJson, type ServiceContext } from '@waybill/kernel';
import type { Config } from '../config.ts';
import { readFilters } from '../storefront/filters.ts';
import { shareIndexes } from '../storefront/indexes.ts';
import { browseProducts } from '../storefront/search.ts';
import type { Tables } from '../tables.ts';
import { findShopCategory } from './category-queries.ts';
import { listFeedItems } from './feed-queries.ts';
import { findCartVariants, findShopProduct, listFacts, listShopProducts } from './queries.ts';
import type { routes } from './routes.ts';

export const handlers = ({ db, config }: ServiceContext<Config, Tables>): Handlers<typeof routes> => ({
  async browseShop({ body: { storeId, categoryId, categories = [], filters, ...criteria } }) {
    const indexes = shareIndexes(db, config.searchMemory);
    const search = { ...criteria, categories: categoryId === undefined ? categories : [categoryId] };
    const { ids, ...page } = await browseProducts(
      db,
      indexes,
      storeId,
      search,
      readFilters(filters.map(({ name, value }) => [name, value] as const)),
    );
    const products = await listFacts(db, storeId, ids);
    return rawJson(`{"products":${products},"total":${page.total},"facets":${JSON.stringify(page.facets)}}`);
  },
  listFeedItems: async ({ body: { storeId, limit, textsOnce = false, ...after } }) => ({
    items: await listFeedItems(db, storeId, { ...after, textsOnce }, limit),
  }),
  findShopCategory: async ({ body }) => ({
    category: await findShopCategory(db, body.storeId, body.category),
  }),
  listShopProducts: async ({ body }) => rawJson(await listShopProducts(db, body)),
  findShopProduct: async ({ body }) => rawJson(await findShopProduct(db, body.storeId, body.slug)),
  readCart: async ({ body }) =>
    rawJson(await findCartVariants(db, body.storeId, body.variantIds, body.quantities)),
});
