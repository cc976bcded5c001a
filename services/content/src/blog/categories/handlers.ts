import type { Handlers } from '@waybill/kernel';
import type { Context } from '../../config.ts';
import { errors } from '../../errors.ts';
import type { Tables } from '../../tables.ts';
import { createCategory, deleteCategory, replaceCategory } from './categories.ts';
import { type CategoryState, findCategory, listCategories } from './queries.ts';
import type { BlogCategory, routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes, Tables> => ({
  async listBlogCategories({ storeId, query }) {
    const { rows, ...list } = await listCategories(context.db, storeId, query);
    return { blogCategories: rows.map(toCategory), ...list };
  },
  createBlogCategory: {
    write: async ({ storeId, body }, write) => ({
      blogCategory: toCategory(await createCategory(write, storeId, body)),
    }),
  },
  async getBlogCategory({ storeId, params, db }) {
    const row = await findCategory(db, storeId, params.id);
    if (!row) throw errors.not_found();
    return { blogCategory: toCategory(row) };
  },
  replaceBlogCategory: {
    write: async ({ storeId, params, body }, write) => ({
      blogCategory: toCategory(await replaceCategory(write, storeId, params.id, body)),
    }),
  },
  deleteBlogCategory: {
    write: ({ storeId, params }, write) => deleteCategory(write, context, storeId, params.id),
  },
});

function toCategory(row: CategoryState): BlogCategory {
  const { id, name, slug, parent_id, position, created_at, updated_at } = row;
  const [createdAt, updatedAt] = [created_at.toISOString(), updated_at.toISOString()];
  return { id, name, slug, parentId: parent_id, position, createdAt, updatedAt };
}
