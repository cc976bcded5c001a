import { type EventMessage, type Product, ProductDeleted } from '@waybill/contracts';
import { textOfHtml } from '@waybill/html';
import type { Transaction } from 'kysely';
import type { Context } from '../../config.ts';
import { addRedirect, deleteRedirects, removeRedirect } from '../../shared/former-slugs/queries.ts';
import type { Tables } from '../../tables.ts';
import { deleteEntities, listShownSlugs, recordProducts, replaceFields } from './queries.ts';
import { filledFields } from './translatable.ts';

/** The product in an event; a deletion contains only its id. */
type ToldProduct = Pick<Product, 'id'> & Partial<Product>;

/**
 * Keeps the translatable fields of products up to date from their events, in any order and however often they arrive.
 */
export async function onProductChanges(
  { transaction }: Pick<Context, 'transaction'>,
  events: readonly EventMessage[],
): Promise<void> {
  await transaction(async (trx) => {
    const byStore = Map.groupBy(events, ({ storeId }) => storeId);
    // Sorted, so that two batches never deadlock.
    for (const storeId of [...byStore.keys()].sort()) {
      await followProductsOf(trx, storeId, byStore.get(storeId)!);
    }
  });
}

/** Records a product read from catalog as if an event about it had arrived. */
export function recordProduct(
  { transaction }: Pick<Context, 'transaction'>,
  storeId: string,
  product: Product,
): Promise<void> {
  return transaction((trx) =>
    followTold(trx, storeId, [{ product, updatedAt: product.updatedAt, isDeleted: false }]),
  );
}

async function followProductsOf(
  trx: Transaction<Tables>,
  storeId: string,
  events: readonly EventMessage[],
): Promise<void> {
  const newest = new Map<string, Told>();
  for (const { name, data, createdAt } of events) {
    const { product } = JSON.parse(data) as { product: ToldProduct };
    const isDeleted = name === ProductDeleted.name;
    const updatedAt = product.updatedAt ?? createdAt;
    const known = newest.get(product.id);
    if (known && (known.isDeleted || (!isDeleted && known.updatedAt > updatedAt))) continue;
    newest.set(product.id, { product, updatedAt, isDeleted });
  }
  await followTold(trx, storeId, [...newest.values()]);
}

/** The state of a product in an event. */
interface Told {
  product: ToldProduct;
  updatedAt: string;
  isDeleted: boolean;
}

async function followTold(trx: Transaction<Tables>, storeId: string, told: readonly Told[]): Promise<void> {
  const news = told.map(({ product: { id, slug = null, status = null }, updatedAt, isDeleted }) => ({
    id,
    updatedAt,
    isDeleted,
    slug,
    status,
  }));
  const before = await listShownSlugs(
    trx,
    storeId,
    news.map(({ id }) => id),
  );
  const accepted = await recordProducts(trx, storeId, news);
  for (const { id, slug, status, isDeleted } of news) {
    if (!accepted.has(id)) continue;
    const seenAt = before.get(id);
    if (isDeleted) await deleteRedirects(trx, storeId, id);
    else if (seenAt !== undefined && (slug !== seenAt || status !== 'active')) {
      await addRedirect(trx, storeId, 'product', id, seenAt);
      if (slug !== null) await removeRedirect(trx, storeId, 'product', id, slug);
    }
  }
  const changed = told.filter(({ product }) => accepted.has(product.id));
  const [gone, present] = [true, false].map((isGone) =>
    changed.filter(({ isDeleted }) => isDeleted === isGone).map(({ product }) => product),
  ) as [ToldProduct[], ToldProduct[]];
  if (gone.length > 0) {
    await deleteEntities(
      trx,
      storeId,
      'product',
      gone.map(({ id }) => id),
    );
  }
  if (present.length > 0) {
    await replaceFields(
      trx,
      storeId,
      'product',
      present.map(({ id, name = '', description = '' }) => ({
        entityId: id,
        fields: filledFields({ name, description: textOfHtml(description) }),
      })),
    );
  }
}
