import type { FeedItem } from '@waybill/contracts';
import { prepare } from '@waybill/kernel';
import type { Kysely } from 'kysely';
import { variantTitle } from '../products/deleted-variant-queries.ts';
import type { Tables } from '../tables.ts';

/** Feeds accept no longer descriptions. */
const maxDescription = 20_000;
const maxLevels = 8;

// The statement reads the facts of a product once for all of its variants.
const items = prepare<FeedItem>(
  'shop-feed',
  `with chosen as materialized (
     select v.product_id, v.id, v.position
     from (
       select id from product where store_id = $1 and status = 'active' and id >= $2 order by id limit $4
     ) p
     cross join lateral (
       select v.product_id, v.id, v.position from variant v
       where v.store_id = $1 and v.product_id = p.id and (p.id > $2 or v.position > $3)
       order by v.position limit $4
     ) v
     order by v.product_id, v.position limit $4
   ), facts as materialized (
     select p.id, p.name, p.slug, p.vendor, p.media_ids[1:11] as media_ids,
       left(p.description, ${maxDescription}) as description,
       (select count(*) from variant o where o.store_id = $1 and o.product_id = p.id) as variants,
       coalesce((
         with recursive above (name, parent_id, level) as (
           (select c.name, c.parent_id, 1
            from category_product cp join category c on c.store_id = $1 and c.id = cp.category_id
            where cp.store_id = $1 and cp.product_id = p.id order by cp.category_id limit 1)
           union all
           select c.name, c.parent_id, above.level + 1
           from above join category c on c.store_id = $1 and c.id = above.parent_id where above.level < ${maxLevels}
         )
         select string_agg(name, ' > ' order by level desc) from above
       ), '') as category
     from product p where p.store_id = $1 and p.id in (select product_id from chosen)
   )
   select f.id as "productId", f.name, f.slug, case when not $5 or row_number() over (partition by f.id order by v.position) = 1
       then f.description end as description,
     f.vendor, f.media_ids as "mediaIds", v.id as "variantId", ${variantTitle} as "variantName", v.position, v.sku,
     v.price_cents as "priceCents", v.compare_at_cents as "compareAtCents",
     v.lowest_price_cents as "lowestPriceCents30Days", v.barcode, v.weight_grams as "weightGrams", v.unit, v.options,
     v.media_id as "mediaId", v.stock > 0 as "isAvailable", f.variants, f.category
   from chosen c
   join facts f on f.id = c.product_id
   join variant v on v.store_id = $1 and v.product_id = c.product_id and v.id = c.id
   order by f.id, v.position`,
);

/**
 * Lists the next variants of active products after a variant, up to a limit. With `textsOnce`, only the first listed
 * variant of each product carries the description.
 */
export async function listFeedItems(
  db: Kysely<Tables>,
  storeId: string,
  { productId, position, textsOnce }: { productId: string; position: number; textsOnce: boolean },
  limit: number,
): Promise<FeedItem[]> {
  const { rows } = await db.executeQuery(items([storeId, productId, position, limit, textsOnce]));
  return rows;
}
