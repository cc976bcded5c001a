import type { ShopCategory } from '@waybill/contracts';
import { typedFieldsJson } from '@waybill/custom-fields';
import { prepare, withinStore } from '@waybill/kernel';
import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

/** Maximum number of parents that are read. The tree of a store has no more levels. */
const maxLevels = 8;

const named = (alias: string) =>
  `json_build_object('id', ${alias}.id, 'name', ${alias}.name, 'slug', ${alias}.slug)`;

const category = prepare<ShopCategory>(
  'shop-category',
  withinStore(
    '$1',
    `with recursive found as (
     select * from category c where c.store_id = $1 and ($2::text is null or c.id = $2 or c.slug = $2)
     order by (c.parent_id is not null), c.position limit 1
   ), above (id, name, slug, parent_id, level) as (
     select p.id, p.name, p.slug, p.parent_id, 1
     from found join category p on p.store_id = $1 and p.id = found.parent_id
     union all
     select p.id, p.name, p.slug, p.parent_id, above.level + 1
     from above join category p on p.store_id = $1 and p.id = above.parent_id where above.level < ${maxLevels}
   )
   select f.id, f.name, f.slug, f.description, f.image_media_id as "imageMediaId", f.seo,
     coalesce((select json_agg(${named('a')} order by a.level desc) from above a), '[]') as trail,
     coalesce((
       select json_agg(${named('c')} order by c.position)
       from category c where c.store_id = $1 and c.parent_id = f.id
     ), '[]') as children,
     (${typedFieldsJson('f')})::json as fields
   from found f`,
  ),
);

/**
 * Finds a category by its id or slug, with its ancestors and children. Without an id or slug, finds the first category.
 */
export async function findShopCategory(
  db: Kysely<Tables>,
  storeId: string,
  idOrSlug?: string,
): Promise<ShopCategory | null> {
  return (await db.executeQuery(category([storeId, idOrSlug ?? null]))).rows[0] ?? null;
}
