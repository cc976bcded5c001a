import type { MediaUse, MediaUsesQuery } from '@waybill/contracts';
import { hasMedia, holdsMedia, type RemovedMedia, withoutMedia } from '@waybill/custom-fields';
import { changedAt, compileUnprepared } from '@waybill/kernel';
import type { Kysely, Transaction } from 'kysely';
import type { Tables } from '../tables.ts';

/** SQL for up to `$3` orders or customers, by the indexes of `0096_field_media.online.sql`. */
const users = (type: string, name: string, table: string) =>
  `(select '${type}' as type, t.id, ${name} as name from ${table} t
    where ${holdsMedia('t', 'm.id')} and t.store_id = $1 limit $3)`;

// Those who may read media need not know customers, so a customer goes by its id.
const uses = compileUnprepared<MediaUse>(
  `select m.id as "assetId", used.type, used.id, used.name, false as live
   from unnest($2::text[]) as m (id) cross join lateral (
     ${users('order', "'#' || t.number", '"order"')} union all ${users('customer', 't.id', 'customer')}
   ) used`,
);

/** Lists the orders and customers whose custom fields hold the given assets, up to `limit` of each. */
export async function listMediaUses(
  db: Kysely<Tables>,
  { storeId, assetIds, limit }: MediaUsesQuery,
): Promise<MediaUse[]> {
  return (await db.executeQuery(uses([storeId, assetIds, limit]))).rows;
}

/** Removes assets from the custom fields of an order or a customer. Returns whether it had any of them. */
export async function removeFieldMedia(
  trx: Transaction<Tables>,
  table: 'order' | 'customer',
  storeId: string,
  id: string,
  removed: RemovedMedia,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable(table)
    .set({ custom_fields: withoutMedia(removed), updated_at: changedAt(new Date()) })
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .where(hasMedia(removed))
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}
