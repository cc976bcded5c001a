import { type Category, CategoryDeleted, type EventMessage } from '@waybill/contracts';
import { extractHtmlText } from '@waybill/html';
import type { Transaction } from 'kysely';
import type { Context } from '../../config.ts';
import { addRedirect, deleteRedirects, removeRedirect } from '../../shared/former-slugs/queries.ts';
import type { Tables } from '../../tables.ts';
import { deleteEntities, listCategorySlugs, recordCategories, replaceFields } from './queries.ts';
import { filledFields } from './translatable.ts';

interface CategoryEventState {
  category: Pick<Category, 'id' | 'name' | 'slug' | 'description' | 'seo' | 'updatedAt'>;
  updatedAt: string;
  isDeleted: boolean;
}

/**
 * Keeps the addresses of a store's categories and their translatable fields up to date from their events, in any order.
 */
export async function onCategoryChanges(
  { transaction }: Pick<Context, 'transaction'>,
  events: readonly EventMessage[],
): Promise<void> {
  const byStore = Map.groupBy(events, ({ storeId }) => storeId);
  // Sorted, so that two batches never deadlock.
  for (const storeId of [...byStore.keys()].sort()) {
    const newest = new Map<string, CategoryEventState>();
    for (const { name, data, createdAt } of byStore.get(storeId)!) {
      const { category } = JSON.parse(data) as { category: Category };
      const isDeleted = name === CategoryDeleted.name;
      const updatedAt = isDeleted ? createdAt : category.updatedAt;
      const known = newest.get(category.id);
      if (known && (known.isDeleted || (!isDeleted && known.updatedAt > updatedAt))) continue;
      newest.set(category.id, { category, updatedAt, isDeleted });
    }
    await transaction((trx) => recordCategoryStates(trx, storeId, [...newest.values()]));
  }
}

async function recordCategoryStates(
  trx: Transaction<Tables>,
  storeId: string,
  states: readonly CategoryEventState[],
): Promise<void> {
  const before = await listCategorySlugs(
    trx,
    storeId,
    states.map(({ category }) => category.id),
  );
  const accepted = await recordCategories(
    trx,
    storeId,
    states.map(({ category: { id, slug }, updatedAt, isDeleted }) => ({
      id,
      updatedAt,
      isDeleted,
      slug: isDeleted ? null : slug,
    })),
  );
  const changed = states.filter(({ category }) => accepted.has(category.id));
  for (const { category, isDeleted } of changed) {
    const formerSlug = before.get(category.id);
    if (isDeleted) await deleteRedirects(trx, storeId, category.id);
    else if (formerSlug !== category.slug) {
      if (formerSlug !== undefined) await addRedirect(trx, storeId, 'category', category.id, formerSlug);
      await removeRedirect(trx, storeId, 'category', category.id, category.slug);
    }
  }
  const deletedIds = changed.filter(({ isDeleted }) => isDeleted).map(({ category }) => category.id);
  if (deletedIds.length > 0) await deleteEntities(trx, storeId, 'category', deletedIds);
  const present = changed.filter(({ isDeleted }) => !isDeleted);
  if (present.length === 0) return;
  await replaceFields(
    trx,
    storeId,
    'category',
    present.map(({ category: { id, name, description, seo } }) => ({
      entityId: id,
      fields: filledFields({
        name,
        description: extractHtmlText(description),
        'seo.title': seo.title,
        'seo.description': seo.description,
      }),
    })),
  );
}
