import { warningsFor } from '@waybill/html';
import {
  type Answer,
  type Handlers,
  type Lock,
  listAnswer,
  rawJson,
  type ServiceContext,
  withWarnings,
} from '@waybill/kernel';
import { errors } from '../errors.ts';
import type { Tables } from '../tables.ts';
import { listProducts, readProducts, searchProducts } from './list-queries.ts';
import { withKnownMedia } from './media.ts';
import { changeProduct, changeVariant, deleteProduct, productCreation, replaceProduct } from './products.ts';
import { findProductEnvelopes, lockProduct, lookUpProducts } from './queries.ts';
import type { routes } from './routes.ts';

export const lock =
  ({ transaction }: ServiceContext<object, Tables>): Lock =>
  ({ storeId, params }) =>
    transaction((trx) => lockProduct(trx, storeId, params.id!));

/** Makes the answer to a write, which says what was removed of the description. */
function answering({ description }: { description?: string }): (envelope: string) => Answer {
  const warnings = warningsFor(description);
  return (envelope) => rawJson(withWarnings(envelope, warnings));
}

export function handlers(context: ServiceContext<object, Tables>): Handlers<typeof routes> {
  const { batched, db, peers, shared, transaction } = context;
  const createProduct = productCreation(context);
  const findProduct = batched(findProductEnvelopes);
  const productList = shared(listProducts);
  return {
    async listProducts({ storeId, query }) {
      const page = await productList(storeId, query);
      return listAnswer('products', page, (ids) => readProducts(db, { storeId, ids }));
    },
    async createProduct({ storeId, body, once }) {
      await once.begin(body);
      return createProduct(storeId, await withKnownMedia(peers, storeId, body), once, answering(body));
    },
    async getProduct({ storeId, params }) {
      const json = await findProduct(storeId, params.id);
      if (!json) throw errors.not_found();
      return rawJson(json);
    },
    async replaceProduct({ storeId, params, body, once }) {
      await once.begin(body);
      const input = await withKnownMedia(peers, storeId, body);
      const answer = answering(body);
      return once.commit(async () => answer(await replaceProduct(transaction, storeId, params.id, input)));
    },
    async changeProduct({ storeId, params, body, once }) {
      await once.begin(body);
      const patch = await withKnownMedia(peers, storeId, body);
      const answer = answering(body);
      return once.commit(async () => answer(await changeProduct(transaction, storeId, params.id, patch)));
    },
    async changeVariant({ storeId, params, body, once }) {
      await once.begin(body);
      const patch = await withKnownMedia(peers, storeId, body);
      return once.commit(async () =>
        rawJson(await changeVariant(transaction, storeId, params.id, params.variantId, patch)),
      );
    },
    lookUpProducts: async ({ body }) =>
      rawJson(await lookUpProducts(db, body.storeId, body.ids, body.status)),
    searchProducts: ({ body }) => searchProducts(db, body.storeId, body.q),
    deleteProduct: ({ storeId, params }) => deleteProduct(transaction, storeId, params.id),
  };
}
