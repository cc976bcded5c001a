import { type Handlers, rawJson, type ServiceContext } from '@waybill/kernel';
import { errors } from '../errors.ts';
import type { Tables } from '../tables.ts';
import { createProduct, deleteProduct, replaceProduct } from './products.ts';
import { findProductEnvelope, listProductsEnvelope } from './queries.ts';
import type { routes } from './routes.ts';

export const handlers = ({ db, transaction }: ServiceContext<object, Tables>): Handlers<typeof routes> => ({
  listProducts: async ({ storeId, query }) => rawJson(await listProductsEnvelope(db, storeId, query)),
  createProduct: async ({ storeId, body }) => rawJson(await createProduct(transaction, storeId, body)),
  async getProduct({ storeId, params }) {
    const json = await findProductEnvelope(db, storeId, params.id);
    if (!json) throw errors.not_found();
    return rawJson(json);
  },
  replaceProduct: async ({ storeId, params, body }) =>
    rawJson(await replaceProduct(transaction, storeId, params.id, body)),
  deleteProduct: ({ storeId, params }) => deleteProduct(transaction, storeId, params.id),
});
