import type { Category } from '@waybill/contracts';
import { warningsFor } from '@waybill/html';
import {
  type Handlers,
  type Lock,
  listAnswer,
  rawJson,
  type ServiceContext,
  withWarnings,
} from '@waybill/kernel';
import { errors } from '../errors.ts';
import { readProducts } from '../products/list-queries.ts';
import { withKnownMedia } from '../products/media.ts';
import type { Tables } from '../tables.ts';
import { changeCategory, createCategory, deleteCategory, toCategory } from './categories.ts';
import { matchRulesTask } from './matching.ts';
import { listMembers } from './member-queries.ts';
import { changeProducts, setProducts } from './members.ts';
import { findCategory, listCategories, lockTree } from './queries.ts';
import type { routes } from './routes.ts';

/** The whole tree: a rule of it looks at categories that a change does not write. */
export const lock =
  ({ transaction }: ServiceContext<object, Tables>): Lock =>
  ({ storeId }) =>
    transaction((trx) => lockTree(trx, storeId, new Date()));

/** The answer to a write, which says what was removed of the description. */
const answerOf = (category: Category, { description }: { description?: string }) =>
  rawJson(withWarnings(JSON.stringify({ category }), warningsFor(description)));

export function handlers(context: ServiceContext<object, Tables>): Handlers<typeof routes> {
  const { db, peers, transaction, wake } = context;
  /** What a change means for rules is looked at as soon as it is stored. */
  const thenMatch = async <Result>(change: Promise<Result>): Promise<Result> => {
    const result = await change;
    wake(matchRulesTask);
    return result;
  };
  const find = async (storeId: string, id: string) => {
    const category = await findCategory(db, storeId, id);
    if (!category) throw errors.not_found();
    return category;
  };
  return {
    async listCategories({ storeId, query }) {
      const { rows, ...list } = await listCategories(db, storeId, query);
      return { categories: rows.map(toCategory), ...list };
    },
    async createCategory({ storeId, body, once }) {
      await once.begin(body);
      const input = await withKnownMedia(peers, storeId, body);
      return thenMatch(
        once.commit(async () => answerOf(await createCategory(transaction, storeId, input), body)),
      );
    },
    getCategory: async ({ storeId, params }) => ({ category: toCategory(await find(storeId, params.id)) }),
    async changeCategory({ storeId, params, body, once }) {
      await once.begin(body);
      const patch = await withKnownMedia(peers, storeId, body);
      return thenMatch(
        once.commit(async () => answerOf(await changeCategory(transaction, storeId, params.id, patch), body)),
      );
    },
    deleteCategory: ({ storeId, params }) => thenMatch(deleteCategory(transaction, storeId, params.id)),
    async listCategoryProducts({ storeId, params, query }) {
      const page = await listMembers(db, storeId, await find(storeId, params.id), query);
      return listAnswer('products', page, (ids) => readProducts(db, { storeId, ids }));
    },
    setCategoryProducts: async ({ storeId, params, body }) => ({
      category: await thenMatch(setProducts(transaction, storeId, params.id, body.productIds)),
    }),
    changeCategoryProducts: async ({ storeId, params, body }) => ({
      category: await thenMatch(changeProducts(transaction, storeId, params.id, body)),
    }),
  };
}
