import type { Category, Principal } from '@waybill/contracts';
import { applyView, mergeWarnings, type ValuesChange, type View } from '@waybill/custom-fields';
import { warningsFor } from '@waybill/html';
import {
  type Answer,
  type Handlers,
  itemsAnswer,
  type Lock,
  listAnswer,
  rawJson,
  type ServiceContext,
  withWarnings,
} from '@waybill/kernel';
import type { Kysely } from 'kysely';
import type { Write } from '../config.ts';
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

/** Locks the whole tree, because a rule in it may look at categories that the change does not write. */
export const lock =
  (): Lock =>
  ({ storeId }, { trx }) =>
    lockTree(trx, storeId, new Date());

/** Builds the answer to a write, including a note of the markup that sanitising removed. */
function buildAnswer(
  category: Category,
  { description, fields }: { description?: string; fields?: ValuesChange },
  view: View,
): Answer {
  const warnings = mergeWarnings(warningsFor(description), fields?.warnings);
  return rawJson(withWarnings(view.envelope(JSON.stringify({ category })), warnings));
}

export function handlers(context: ServiceContext<object, Tables>): Handlers<typeof routes, Tables> {
  const { db: pool, peers, wakeTask } = context;
  /** Wakes the rule task right after the commit, so that changed rules are matched without delay. */
  const matchAfter = ({ afterCommit }: Write) => afterCommit(() => wakeTask(matchRulesTask));
  const find = async (db: Kysely<Tables>, storeId: string, id: string) => {
    const category = await findCategory(db, storeId, id);
    if (!category) throw errors.not_found();
    return category;
  };
  const values = createCatalogValues(context);
  const createView = (principal: Principal, storeId: string, db?: Kysely<Tables>) =>
    values.createView(principal, storeId, 'category', db);
  return {
    async listCategories({ principal, storeId, query }) {
      const { rows, ...list } = await listCategories(pool, storeId, query);
      const items = rows.map((row) => JSON.stringify(toCategory(row))).join(',');
      return itemsAnswer('categories', {
        items: (await createView(principal, storeId)).items(items),
        ...list,
      });
    },
    async createCategory({ principal, storeId, body, idempotentWrite }) {
      await idempotentWrite.begin(body);
      const known = await withKnownMedia(peers, storeId, body);
      const input = await values.ofCategory(storeId, principal, known, true);
      const view = await createView(principal, storeId);
      return idempotentWrite.commit(async (write) => {
        matchAfter(write);
        return buildAnswer(await createCategory(write, storeId, principal, input), input, view);
      });
    },
    async getCategory({ principal, storeId, params, db }) {
      const envelope = JSON.stringify({ category: toCategory(await find(db, storeId, params.id)) });
      return rawJson((await createView(principal, storeId, db)).envelope(envelope));
    },
    async changeCategory({ principal, storeId, params, body, idempotentWrite }) {
      await idempotentWrite.begin(body);
      const known = await withKnownMedia(peers, storeId, body);
      const patch = await values.ofCategory(storeId, principal, known);
      const view = await createView(principal, storeId);
      return idempotentWrite.commit(async (write) => {
        matchAfter(write);
        return buildAnswer(await changeCategory(write, storeId, principal, params.id, patch), patch, view);
      });
    },
    previewCategoryRule: ({ principal, storeId, body: { rule, limit = 10 } }) =>
      previewRule(pool, storeId, principal, rule, limit),
    deleteCategory: {
      async write({ storeId, params }, write) {
        matchAfter(write);
        await deleteCategory(write, storeId, params.id);
      },
    },
    async listCategoryProducts({ principal, storeId, params, query }) {
      const view = await values.createView(principal, storeId, 'product');
      const page = await listMembers(pool, storeId, await find(pool, storeId, params.id), query);
      return listAnswer('products', applyView(view, page), async (ids) =>
        applyView(view, await readProducts(pool, { storeId, ids })),
      );
    },
    setCategoryProducts: {
      async write({ principal, storeId, params, body }, write) {
        matchAfter(write);
        const category = await setProducts(write, storeId, params.id, body.productIds);
        const view = await createView(principal, storeId, write.trx);
        return rawJson(view.envelope(JSON.stringify({ category })));
      },
    },
    changeCategoryProducts: {
      async write({ principal, storeId, params, body }, write) {
        matchAfter(write);
        const category = await changeProducts(write, storeId, params.id, body);
        const view = await createView(principal, storeId, write.trx);
        return rawJson(view.envelope(JSON.stringify({ category })));
      },
    },
  };
}
