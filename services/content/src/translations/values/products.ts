import { type EventMessage, type Product, ProductDeleted } from '@waybill/contracts';
import { extractHtmlText } from '@waybill/html';
import type { Transaction } from 'kysely';
import type { Context } from '../../config.ts';
import { addRedirect, deleteRedirects, removeRedirect } from '../../shared/former-slugs/queries.ts';
import type { Tables } from '../../tables.ts';
import { deleteEntities, recordProducts, replaceFields } from './queries.ts';
import { filledFields } from './translatable.ts';

/** The product in an event; a deletion contains only its id. */
type EmittedProduct = Pick<Product, 'id'> & Partial<Product>;

/**
 * Keeps the translatable fields of a store's products up to date from their events, in any order and however often they
 * arrive.
 */
export async function onProductChanges(
  trx: Transaction<Tables>,
  storeId: string,
  events: readonly EventMessage[],
): Promise<void> {
  const newest = new Map<string, ProductState>();
  for (const { name, data, createdAt } of events) {
    const { product } = JSON.parse(data) as { product: EmittedProduct };
    const isDeleted = name === ProductDeleted.name;
    const updatedAt = product.updatedAt ?? createdAt;
    const known = newest.get(product.id);
    if (known && (known.isDeleted || (!isDeleted && known.updatedAt > updatedAt))) continue;
    newest.set(product.id, { product, updatedAt, isDeleted });
  }
  await recordStates(trx, storeId, [...newest.values()]);
}

/** Records a product read from catalog as if an event about it had arrived. */
export function recordProduct(
  { transaction }: Pick<Context, 'transaction'>,
  storeId: string,
  product: Product,
): Promise<void> {
  return transaction((trx) =>
    recordStates(trx, storeId, [{ product, updatedAt: product.updatedAt, isDeleted: false }]),
  );
}

/** The state of a product in an event. */
interface ProductState {
  product: EmittedProduct;
  updatedAt: string;
  isDeleted: boolean;
}

async function recordStates(
  trx: Transaction<Tables>,
  storeId: string,
  states: readonly ProductState[],
): Promise<void> {
  const rows = states.map(({ product: { id, slug = null, status = null }, updatedAt, isDeleted }) => ({
    id,
    updatedAt,
    isDeleted,
    slug,
    status,
  }));
  const recorded = await recordProducts(trx, storeId, rows);
  const accepted = new Map(recorded.map(({ id, formerSlug }) => [id, formerSlug]));
  for (const { id, slug, status, isDeleted } of rows) {
    const formerSlug = accepted.get(id);
    if (formerSlug === undefined) continue;
    if (isDeleted) await deleteRedirects(trx, storeId, id);
    else if (formerSlug !== null && (slug !== formerSlug || status !== 'active')) {
      await addRedirect(trx, storeId, 'product', id, formerSlug);
      if (slug !== null) await removeRedirect(trx, storeId, 'product', id, slug);
    }
  }
  const changed = states.filter(({ product }) => accepted.has(product.id));
  const deleted = changed.filter(({ isDeleted }) => isDeleted).map(({ product }) => product);
  const present = changed.filter(({ isDeleted }) => !isDeleted).map(({ product }) => product);
  if (deleted.length > 0) {
    await deleteEntities(
      trx,
      storeId,
      'product',
      deleted.map(({ id }) => id),
    );
  }
  if (present.length > 0) {
    await replaceFields(
      trx,
      storeId,
      'product',
      present.map(({ id, name = '', description = '' }) => ({
        entityId: id,
        fields: filledFields({ name, description: extractHtmlText(description) }),
      })),
    );
  }
}
