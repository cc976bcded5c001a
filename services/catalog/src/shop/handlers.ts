import { type Handlers, rawJson, type ServiceContext } from '@waybill/kernel';
import type { Tables } from '../tables.ts';
import { findCartVariants, findShopProduct, listShopProducts } from './queries.ts';
import type { routes } from './routes.ts';

export const handlers = ({ db }: ServiceContext<object, Tables>): Handlers<typeof routes> => ({
  listShopProducts: async ({ body }) => rawJson(await listShopProducts(db, body)),
  findShopProduct: async ({ body }) => rawJson(await findShopProduct(db, body.storeId, body.slug)),
  readCart: async ({ body }) =>
    rawJson(await findCartVariants(db, body.storeId, body.variantIds, body.quantities)),
});
