import type { Handlers } from '@waybill/kernel';
import type { Context } from '../../config.ts';
import { errors } from '../../errors.ts';
import { createCategory, deleteCategory, replaceCategory } from './categories.ts';
import { type CategoryState, findCategory, listCategories } from './queries.ts';
import type { BlogCategory, routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes> => ({
  async listBlogCategories({ storeId, query }) {
    const { rows, ...list } = await listCategories(context.db, storeId, query);
    return { blogCategories: rows.map(toCategory), ...list };
  },
  createBlogCategory: async ({ storeId, body }) => ({
    blogCategory: toCategory(await createCategory(context.transaction, storeId, body)),
  }),
  async getBlogCategory({ storeId, params }) {
    const row = await findCategory(context.db, storeId, params.id);
    if (!row) throw errors.not_found();
    return { blogCategory: toCategory(row) };
  },
  replaceBlogCategory: async ({ storeId, params, body }) => ({
    blogCategory: toCategory(await replaceCategory(context.transaction, storeId, params.id, body)),
  }),
  deleteBlogCategory: ({ storeId, params }) => deleteCategory(context, storeId, params.id),
});

function toCategory(row: CategoryState): BlogCategory {
  const { id, name, slug, parent_id, position, created_at, updated_at } = row;
  const [createdAt, updatedAt] = [created_at.toISOString(), updated_at.toISOString()];
  return { id, name, slug, parentId: parent_id, position, createdAt, updatedAt };
}
