import { newId, storeLimits } from '@waybill/contracts';
import { type TaskDefinition, violatedConstraint } from '@waybill/kernel';
import type { Transaction } from 'kysely';
import type { Context, Write } from '../../config.ts';
import { errors } from '../../errors.ts';
import { bumpMapRevision } from '../../publication/live-pages/map-revision.ts';
import { invalidateDependents } from '../../publication/live-pages/stale.ts';
import { lockPageList } from '../../shared/stores/queries.ts';
import type { Tables } from '../../tables.ts';
import { deleteTexts, replaceTexts } from '../../translations/values/translatable.ts';
import {
  type CategoryState,
  claimDeletedCategory,
  countChildren,
  deleteCategoryRow,
  deleteDeletedCategory,
  deleteListings,
  ensureChildRanks,
  findCategory,
  insertCategory,
  isWithin,
  lockBlog,
  moveChildren,
  shiftChildren,
  updateCategory,
} from './queries.ts';
import type { CategoryInput } from './routes.ts';

type Trx = Transaction<Tables>;

/**
 * Creates a category under its parent.
 * @throws not_found for an unknown parent, duplicate_slug, too_many_blog_categories
 */
export function createCategory(
  write: Write,
  storeId: string,
  { name, slug, parentId = null, position }: CategoryInput,
): Promise<CategoryState> {
  const { trx } = write;
  return writeCategory(write, storeId, async (categories) => {
    if (categories >= storeLimits.blogCategories) throw errors.too_many_blog_categories();
    await checkParent(trx, storeId, parentId);
    const end = await countChildren(trx, storeId, parentId);
    const target = Math.min(position ?? end, end);
    await ensureChildRanks(trx, storeId, parentId);
    await shiftChildren(trx, storeId, parentId, { from: target, by: 1 });
    const now = new Date();
    const row: CategoryState = {
      store_id: storeId,
      id: newId('blogCategory', now.getTime()),
      name,
      slug,
      parent_id: parentId,
      position: target,
      created_at: now,
      updated_at: now,
    };
    await insertCategory(trx, row);
    await replaceTexts(trx, storeId, 'blogCategory', row.id, { name });
    return row;
  });
}

/**
 * Replaces a category, and moves it with its descendants when the parent differs.
 * @throws not_found for an unknown category or parent, duplicate_slug, cycle_detected
 */
export function replaceCategory(
  write: Write,
  storeId: string,
  id: string,
  { name, slug, parentId = null, position }: CategoryInput,
): Promise<CategoryState> {
  const { trx } = write;
  return writeCategory(write, storeId, async () => {
    const current = await findCategory(trx, storeId, id);
    if (!current) throw errors.not_found();
    await checkParent(trx, storeId, parentId);
    if (parentId && (await isWithin(trx, storeId, parentId, id))) throw errors.cycle_detected();
    const stays = parentId === current.parent_id;
    const end = (await countChildren(trx, storeId, parentId)) - (stays ? 1 : 0);
    const target = Math.min(position ?? (stays ? current.position : end), end);
    const next = { ...current, name, slug, parent_id: parentId, position: target };
    const isSame = (['name', 'slug', 'parent_id', 'position'] as const).every(
      (key) => next[key] === current[key],
    );
    if (isSame) return current;
    const isMoved = !stays || target !== current.position;
    if (isMoved) {
      await ensureChildRanks(trx, storeId, current.parent_id);
      if (!stays) await ensureChildRanks(trx, storeId, parentId);
      await shiftChildren(trx, storeId, current.parent_id, { from: current.position + 1, by: -1 });
      await shiftChildren(trx, storeId, parentId, { from: target, by: 1 });
    }
    const stored = await updateCategory(trx, { ...next, updated_at: new Date() }, isMoved);
    await bumpMapRevision(trx, storeId);
    await replaceTexts(trx, storeId, 'blogCategory', id, { name });
    return stored;
  });
}

/**
 * Deletes a category. Its children take its place under its parent, and its articles lose it.
 * @throws not_found
 */
export async function deleteCategory(
  write: Write,
  { wakeTask }: Pick<Context, 'wakeTask'>,
  storeId: string,
  id: string,
): Promise<void> {
  const { trx, afterCommit } = write;
  await writeCategory(write, storeId, async () => {
    const category = await findCategory(trx, storeId, id);
    if (!category) throw errors.not_found();
    const { parent_id: parentId, position } = category;
    const count = await countChildren(trx, storeId, id);
    await ensureChildRanks(trx, storeId, parentId);
    await shiftChildren(trx, storeId, parentId, { from: position + 1, by: count - 1 });
    await moveChildren(trx, storeId, id, { parentId, position, count }, new Date());
    await deleteCategoryRow(trx, storeId, id);
    await invalidateDependents(trx, storeId, [{ kind: 'articles', ref: '' }]);
    await deleteTexts(trx, storeId, 'blogCategory', id);
  });
  afterCommit(() => wakeTask(goneListingsTask));
}

/** Number of article listings that a transaction removes. */
const stepSize = 1000;
const goneListingsTask = 'delete-gone-listings';

/** Removes articles from deleted categories in steps, so that no request waits for a million of them. */
export const tasks = ({ transaction }: Pick<Context, 'transaction'>): TaskDefinition[] => [
  { name: goneListingsTask, everyMs: 60_000, run: () => transaction(deleteGoneListings) },
];

/** Returns whether there was anything to do, so that there may be more. */
async function deleteGoneListings(trx: Trx): Promise<boolean> {
  const removed = await claimDeletedCategory(trx);
  if (!removed) return false;
  const { store_id: storeId, id } = removed;
  return (
    (await deleteListings(trx, storeId, id, stepSize)) || (await deleteDeletedCategory(trx, storeId, id))
  );
}

async function checkParent(trx: Trx, storeId: string, parentId: string | null): Promise<void> {
  if (parentId !== null && !(await findCategory(trx, storeId, parentId))) {
    throw errors.not_found({ message: 'This parent does not exist.' });
  }
}

/** Runs `work` while it holds the store's category tree, and passes it the number of categories. */
async function writeCategory<Result>(
  { trx }: Write,
  storeId: string,
  work: (categories: number) => Promise<Result>,
): Promise<Result> {
  try {
    // The page list must be locked before the blog, as everywhere: a list on a page may show a category that is
    // deleted.
    await lockPageList(trx, storeId);
    return await work(await lockBlog(trx, storeId));
  } catch (error) {
    if (violatedConstraint(error) === 'blog_category_slug_key') throw errors.duplicate_slug();
    throw error;
  }
}
