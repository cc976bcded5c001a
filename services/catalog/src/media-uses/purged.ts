import {
  type AssetsPurged,
  CategoryUpdated,
  type EventData,
  type EventMessage,
  ProductUpdated,
} from '@waybill/contracts';
import { listMediaFields, listRowsWithMedia } from '@waybill/custom-fields';
import type { ServiceContext } from '@waybill/kernel';
import { toCategory } from '../categories/categories.ts';
import { dropCategoryMedia, findCategories } from '../categories/queries.ts';
import { findProductEnvelope } from '../products/queries.ts';
import type { Tables } from '../tables.ts';
import { listProductsWithMedia, removeProductMedia } from './queries.ts';

const batch = 100;

/**
 * Removes purged assets from the media and the custom fields of products and categories. Handling an event again changes
 * nothing.
 */
export async function removePurgedMedia(
  { db, write }: ServiceContext<object, Tables>,
  events: readonly EventMessage[],
): Promise<void> {
  for (const { storeId, data } of events) {
    const { assetIds }: EventData<typeof AssetsPurged> = JSON.parse(data);
    const removed = { assetIds, fieldIds: await listMediaFields(db, storeId) };
    for (;;) {
      const lists = await Promise.all([
        listProductsWithMedia(db, storeId, assetIds, batch),
        listRowsWithMedia(db, 'product', storeId, removed, batch),
        listRowsWithMedia(db, 'variant', storeId, removed, batch, 'product_id'),
      ]);
      for (const id of new Set(lists.flat())) {
        await write(async ({ trx, emit }) => {
          if (!(await removeProductMedia(trx, storeId, id, removed))) return;
          const json = (await findProductEnvelope(trx, storeId, id))!;
          await emit(ProductUpdated, storeId, { json });
        });
      }
      if (lists.every(({ length }) => length < batch)) break;
    }
    await write(async ({ trx, emit }) => {
      const changed = await dropCategoryMedia(trx, storeId, removed, new Date());
      for (const category of await findCategories(trx, storeId, changed))
        await emit(CategoryUpdated, storeId, { category: toCategory(category) });
    });
  }
}
