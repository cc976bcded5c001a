import {
  applyView,
  mergeWarnings,
  type ValuesChange,
  type View,
  type WithFields,
} from '@waybill/custom-fields';
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
import { createCatalogValues } from '../field-values/values.ts';
import type { Tables } from '../tables.ts';
import { listProducts, readProducts, searchProducts } from './list-queries.ts';
import { withKnownMedia } from './media.ts';
import {
  changeProduct,
  changeVariant,
  deleteProduct,
  prepareProductCreation,
  replaceProduct,
} from './products.ts';
import { findProductEnvelopes, lockProduct, lookUpProducts } from './queries.ts';
import type { ProductInput, routes } from './routes.ts';

/** Creates the lock of the product that a request changes. */
export const lock =
  (): Lock =>
  ({ storeId, params }, { trx }) =>
    lockProduct(trx, storeId, params.id!);

/** The rich text of a written product and its variants. */
interface WrittenText {
  description?: string;
  fields?: ValuesChange;
  variants?: readonly WithFields<{ sku?: string | null | undefined }>[];
}

/** Builds the answer to a write, including a note of the markup that sanitising removed. */
function createAnswer(
  { description, fields, variants = [] }: WrittenText,
  view?: View,
): (envelope: string) => Answer {
  const ofVariants = variants.map((variant) => variant.fields?.warnings);
  const warnings = mergeWarnings(warningsFor(description), fields?.warnings, ...ofVariants);
  return (envelope) => rawJson(withWarnings(view ? view.envelope(envelope) : envelope, warnings));
}

export function handlers(context: ServiceContext<object, Tables>): Handlers<typeof routes, Tables> {
  const { batchQuery, db: pool, peers, shareQuery } = context;
  const insertInGroup = prepareProductCreation(context);
  const findProduct = batchQuery(findProductEnvelopes);
  const productList = shareQuery(listProducts);
  const values = createCatalogValues(context);
  return {
    async listProducts({ principal, storeId, query }) {
      const view = await values.createView(principal, storeId, 'product');
      const page = await productList(storeId, query);
      return listAnswer('products', applyView(view, page), async (ids) =>
        applyView(view, await readProducts(pool, { storeId, ids })),
      );
    },
    async createProduct({ principal, storeId, body, idempotentWrite }) {
      await idempotentWrite.begin(body);
      const known = await withKnownMedia(peers, storeId, body);
      return values.createProduct(storeId, principal, known, (input: WithFields<ProductInput>) =>
        insertInGroup(storeId, input, idempotentWrite, createAnswer(input)),
      );
    },
    async getProduct({ principal, storeId, params, db }) {
      const view = await values.createView(principal, storeId, 'product', db);
      const json = await findProduct(storeId, params.id, db);
      if (!json) throw errors.not_found();
      return rawJson(view.envelope(json));
    },
    async replaceProduct({ principal, storeId, params, body, idempotentWrite }) {
      await idempotentWrite.begin(body);
      const input = await values.ofProduct(storeId, principal, await withKnownMedia(peers, storeId, body));
      const answer = createAnswer(input, await values.createView(principal, storeId, 'product'));
      return idempotentWrite.commit(async (write) =>
        answer(await replaceProduct(write, storeId, params.id, input)),
      );
    },
    async changeProduct({ principal, storeId, params, body, idempotentWrite }) {
      await idempotentWrite.begin(body);
      const patch = await values.ofProduct(storeId, principal, await withKnownMedia(peers, storeId, body));
      const answer = createAnswer(patch, await values.createView(principal, storeId, 'product'));
      return idempotentWrite.commit(async (write) =>
        answer(await changeProduct(write, storeId, params.id, patch)),
      );
    },
    async changeVariant({ principal, storeId, params, body, idempotentWrite }) {
      await idempotentWrite.begin(body);
      const patch = await values.ofVariant(storeId, principal, await withKnownMedia(peers, storeId, body));
      const answer = createAnswer(
        { variants: [patch] },
        await values.createView(principal, storeId, 'product'),
      );
      return idempotentWrite.commit(async (write) =>
        answer(await changeVariant(write, storeId, params.id, params.variantId, patch)),
      );
    },
    lookUpProducts: async ({ body }) =>
      rawJson(await lookUpProducts(pool, body.storeId, body.ids, body.status)),
    searchProducts: ({ body }) => searchProducts(pool, body.storeId, body.q),
    deleteProduct: { write: ({ storeId, params }, write) => deleteProduct(write, storeId, params.id) },
  };
}
