import type { MediaUse, MediaUsesQuery } from '@waybill/contracts';
import { hasMedia, holdsMedia, type RemovedMedia, withoutMedia } from '@waybill/custom-fields';
import { changedAt, compileUnprepared, prepare } from '@waybill/kernel';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Tables } from '../tables.ts';

/** The condition of the index in `0004_media_uses.online.sql`. */
const hasPictures = `(p.media_ids <> '{}' or p.description like '%mda_%')`;
/** The condition of the index in `0012_more_media.online.sql`. */
const hasMore = `p.more_media_ids <> '{}'`;
const mediaIds = 'p.media_ids || media_ids_in(p.description)';

/** SQL for up to `$4` products. Each way of use has its own index. */
const users = (from: string, where: string, select = 'select') =>
  `(${select} p.id, p.name, p.status = 'active' as live from ${from}
    where ${where} and p.store_id = $1 and (not $3 or p.status = 'active') limit $4)`;

const uses = compileUnprepared<MediaUse & Pick<Tables['product'], 'id' | 'name'>>(
  `select m.id as "assetId", 'product' as type, used.*
   from unnest($2::text[]) as m (id) cross join lateral (
     ${[
       users(
         'product p',
         `(${hasPictures} and ${mediaIds} @> array[m.id] or ${hasMore} and p.more_media_ids @> array[m.id])`,
       ),
       users('product p', holdsMedia('p', 'm.id')),
       users(
         'variant v join product p on p.store_id = v.store_id and p.id = v.product_id',
         `v.store_id = $1 and ${holdsMedia('v', 'm.id')}`,
         'select distinct',
       ),
     ].join(' union ')}
   ) used`,
);

// A store has few categories, so they are read without an index. A shop shows all of them.
const categoryUses = prepare<MediaUse>(
  'category-media-uses',
  `select m.id as "assetId", 'category' as type, used.*
   from unnest($2::text[]) as m (id) cross join lateral (
     select c.id, c.name, true as live from category c
     where c.store_id = $1 and (
       c.image_media_id = m.id or c.seo ->> 'imageMediaId' = m.id
       or c.description like '%mda_%' and media_ids_in(c.description) @> array[m.id]
       or ${holdsMedia('c', 'm.id')}
     )
     limit $3
   ) used`,
);

/** Lists the products and categories that show the given assets, up to `limit` of each. */
export async function listMediaUses(
  db: Kysely<Tables>,
  { storeId, assetIds, liveOnly, limit }: MediaUsesQuery,
): Promise<MediaUse[]> {
  const [products, categories] = await Promise.all([
    db.executeQuery(uses([storeId, assetIds, liveOnly, limit])),
    db.executeQuery(categoryUses([storeId, assetIds, limit])),
  ]);
  return [...products.rows, ...categories.rows];
}

const pictured = compileUnprepared<Pick<Tables['product'], 'id'>>(
  `select p.id from product p
   where (${hasPictures} and ${mediaIds} && $2::text[] and p.media_ids && $2 or ${hasMore} and p.more_media_ids && $2)
     and p.store_id = $1 limit $3`,
);

/** Lists some of the products that use any of the given assets, outside their description and custom fields. */
export async function listProductsWithMedia(
  db: Kysely<Tables>,
  storeId: string,
  assetIds: readonly string[],
  limit: number,
): Promise<string[]> {
  const { rows } = await db.executeQuery(pictured([storeId, assetIds, limit]));
  return rows.map(({ id }) => id);
}

/** Removes assets from a product and its variants. Returns whether it had any of them. */
export async function removeProductMedia(
  trx: Transaction<Tables>,
  storeId: string,
  id: string,
  removed: RemovedMedia,
): Promise<boolean> {
  const { assetIds } = removed;
  const without = (column: 'media_ids' | 'more_media_ids') => sql<string[]>`array(
    select rest from unnest(${sql.ref(column)}) with ordinality as picture (rest, ordinal)
    where rest <> all(${assetIds}::text[]) order by ordinal
  )`;
  const { numUpdatedRows } = await trx
    .updateTable('product')
    .set({
      media_ids: without('media_ids'),
      more_media_ids: without('more_media_ids'),
      seo: sql`case when seo ->> 'imageMediaId' = any(${assetIds}::text[])
        then (seo::jsonb || '{"imageMediaId":null}')::json else seo end`,
      custom_fields: withoutMedia(removed),
      updated_at: changedAt(new Date()),
    })
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .where(
      sql<boolean>`((media_ids || more_media_ids) && ${assetIds}::text[] or ${hasMedia(removed)} or exists (
        select from variant where store_id = ${storeId} and product_id = ${id} and ${hasMedia(removed)}
      ))`,
    )
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) return false;
  await trx
    .updateTable('variant')
    .set({
      media_id: sql`case when media_id = any(${assetIds}::text[]) then null else media_id end`,
      custom_fields: withoutMedia(removed),
    })
    .where('store_id', '=', storeId)
    .where('product_id', '=', id)
    .where(sql<boolean>`(media_id = any(${assetIds}::text[]) or ${hasMedia(removed)})`)
    .execute();
  return true;
}
