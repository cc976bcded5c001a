import type { FeedItem } from '@waybill/contracts';
import { prepare } from '@waybill/kernel';
import type { Kysely } from 'kysely';
import { variantTitle } from '../products/gone-queries.ts';
import type { Tables } from '../tables.ts';

/** Longer ones no feed takes. */
const maxDescription = 20_000;
const maxLevels = 8;

const items = prepare<FeedItem>(
  'shop-feed',
  `select p.id as "productId", p.name, p.slug, left(p.description, ${maxDescription}) as description, p.vendor,
     p.media_ids[1:11] as "mediaIds", v.id as "variantId", ${variantTitle} as "variantName", v.position, v.sku,
     v.price_cents as "priceCents", v.compare_at_cents as "compareAtCents", v.barcode, v.weight_grams as "weightGrams",
     v.unit, v.options, v.media_id as "mediaId", v.stock > 0 as "isAvailable",
     (select count(*) from variant o where o.store_id = p.store_id and o.product_id = p.id) as variants,
     coalesce((
       with recursive above (name, parent_id, level) as (
         (select c.name, c.parent_id, 1
          from category_product cp join category c on c.store_id = cp.store_id and c.id = cp.category_id
          where cp.store_id = p.store_id and cp.product_id = p.id order by cp.category_id limit 1)
         union all
         select c.name, c.parent_id, above.level + 1
         from above join category c on c.store_id = p.store_id and c.id = above.parent_id where above.level < ${maxLevels}
       )
       select string_agg(name, ' > ' order by level desc) from above
     ), '') as category
   from (
     select * from product
     where store_id = $1 and status = 'active' and id >= $2 order by id limit $4
   ) p
   cross join lateral (
     select * from variant v
     where v.store_id = p.store_id and v.product_id = p.id and (p.id > $2 or v.position > $3)
     order by v.position limit $4
   ) v
   order by p.id, v.position limit $4`,
);

/** The variants of active products that follow one of a product, so many at most. */
export async function listFeedItems(
  db: Kysely<Tables>,
  storeId: string,
  after: { productId: string; position: number },
  limit: number,
): Promise<FeedItem[]> {
  const { rows } = await db.executeQuery(items([storeId, after.productId, after.position, limit]));
  return rows;
}
