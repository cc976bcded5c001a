import type { Category, Principal } from '@waybill/contracts';
import { inView, type View } from '@waybill/custom-fields';
import { warningsFor } from '@waybill/html';
import {
  type Handlers,
  itemsAnswer,
  type Lock,
  listAnswer,
  rawJson,
  type ServiceContext,
  withWarnings,
} from '@waybill/kernel';
import { errors } from '../errors.ts';
import { createCatalogValues } from '../field-values/values.ts';
import { readProducts } from '../products/list-queries.ts';
import { withKnownMedia } from '../products/media.ts';
import type { Tables } from '../tables.ts';
import { changeCategory, createCategory, deleteCategory, toCategory } from './categories.ts';
import { matchRulesTask } from './matching.ts';
import { listMembers } from './member-queries.ts';
import { changeProducts, setProducts } from './members.ts';
import { findCategory, listCategories, lockTree } from './queries.ts';
import type { routes } from './routes.ts';
import { previewRule } from './rule-preview.ts';

/** The whole tree: a rule of it looks at categories that a change does not write. */
export const lock =
  ({ transaction }: ServiceContext<object, Tables>): Lock =>
  ({ storeId }) =>
    transaction((trx) => lockTree(trx, storeId, new Date()));

/** The answer to a write, which says what was removed of the description. */
const answerOf = (category: Category, { description }: { description?: string }, view: View) =>
  rawJson(withWarnings(view.envelope(JSON.stringify({ category })), warningsFor(description)));

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
  const values = createCatalogValues(context);
  const viewOf = (principal: Principal, storeId: string) => values.viewOf(principal, storeId, 'category');
  return {
    async listCategories({ principal, storeId, query }) {
      const { rows, ...list } = await listCategories(db, storeId, query);
      const items = rows.map((row) => JSON.stringify(toCategory(row))).join(',');
      return itemsAnswer('categories', { items: (await viewOf(principal, storeId)).items(items), ...list });
    },
    async createCategory({ principal, storeId, body, once }) {
      await once.begin(body);
      const known = await withKnownMedia(peers, storeId, body);
      const input = await values.ofCategory(storeId, principal, known, true);
      const view = await viewOf(principal, storeId);
      return thenMatch(
        once.commit(async () =>
          answerOf(await createCategory(transaction, storeId, principal, input), body, view),
        ),
      );
    },
    async getCategory({ principal, storeId, params }) {
      const envelope = JSON.stringify({ category: toCategory(await find(storeId, params.id)) });
      return rawJson((await viewOf(principal, storeId)).envelope(envelope));
    },
    async changeCategory({ principal, storeId, params, body, once }) {
      await once.begin(body);
      const known = await withKnownMedia(peers, storeId, body);
      const patch = await values.ofCategory(storeId, principal, known);
      const view = await viewOf(principal, storeId);
      return thenMatch(
        once.commit(async () =>
          answerOf(await changeCategory(transaction, storeId, principal, params.id, patch), body, view),
        ),
      );
    },
    previewCategoryRule: ({ principal, storeId, body: { rule, limit = 10 } }) =>
      previewRule(db, storeId, principal, rule, limit),
    deleteCategory: ({ storeId, params }) => thenMatch(deleteCategory(transaction, storeId, params.id)),
    async listCategoryProducts({ principal, storeId, params, query }) {
      const view = await values.viewOf(principal, storeId, 'product');
      const page = await listMembers(db, storeId, await find(storeId, params.id), query);
      return listAnswer('products', inView(view, page), async (ids) =>
        inView(view, await readProducts(db, { storeId, ids })),
      );
    },
    async setCategoryProducts({ principal, storeId, params, body }) {
      const category = await thenMatch(setProducts(transaction, storeId, params.id, body.productIds));
      return rawJson((await viewOf(principal, storeId)).envelope(JSON.stringify({ category })));
    },
    async changeCategoryProducts({ principal, storeId, params, body }) {
      const category = await thenMatch(changeProducts(transaction, storeId, params.id, body));
      return rawJson((await viewOf(principal, storeId)).envelope(JSON.stringify({ category })));
    },
  };
}
