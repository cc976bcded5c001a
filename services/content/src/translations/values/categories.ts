import { type Category, CategoryDeleted, type EventMessage } from '@waybill/contracts';
import { textOfHtml } from '@waybill/html';
import type { Transaction } from 'kysely';
import type { Context } from '../../config.ts';
import { addRedirect, deleteRedirects, removeRedirect } from '../../shared/former-slugs/queries.ts';
import type { Tables } from '../../tables.ts';
import { deleteEntities, listCategorySlugs, recordCategories, replaceFields } from './queries.ts';
import { filledFields } from './translatable.ts';

interface News {
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
    const newest = new Map<string, News>();
    for (const { name, data, createdAt } of byStore.get(storeId)!) {
      const { category } = JSON.parse(data) as { category: Category };
      const isDeleted = name === CategoryDeleted.name;
      const updatedAt = isDeleted ? createdAt : category.updatedAt;
      const known = newest.get(category.id);
      if (known && (known.isDeleted || (!isDeleted && known.updatedAt > updatedAt))) continue;
      newest.set(category.id, { category, updatedAt, isDeleted });
    }
    await transaction((trx) => followCategories(trx, storeId, [...newest.values()]));
  }
}

async function followCategories(
  trx: Transaction<Tables>,
  storeId: string,
  news: readonly News[],
): Promise<void> {
  const before = await listCategorySlugs(
    trx,
    storeId,
    news.map(({ category }) => category.id),
  );
  const accepted = await recordCategories(
    trx,
    storeId,
    news.map(({ category: { id, slug }, updatedAt, isDeleted }) => ({
      id,
      updatedAt,
      isDeleted,
      slug: isDeleted ? null : slug,
    })),
  );
  const changed = news.filter(({ category }) => accepted.has(category.id));
  for (const { category, isDeleted } of changed) {
    const seenAt = before.get(category.id);
    if (isDeleted) await deleteRedirects(trx, storeId, category.id);
    else if (seenAt !== category.slug) {
      if (seenAt !== undefined) await addRedirect(trx, storeId, 'category', category.id, seenAt);
      await removeRedirect(trx, storeId, 'category', category.id, category.slug);
    }
  }
  const gone = changed.filter(({ isDeleted }) => isDeleted).map(({ category }) => category.id);
  if (gone.length > 0) await deleteEntities(trx, storeId, 'category', gone);
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
        description: textOfHtml(description),
        'seo.title': seo.title,
        'seo.description': seo.description,
      }),
    })),
  );
}
