import { type CategorySort, customFieldName } from '@waybill/contracts';
import { isFilterableType, readDefinitions } from '@waybill/custom-fields';
import { prepare, withinStore } from '@waybill/kernel';
import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';
import type { IndexedProduct, ShopField } from './product-index.ts';
import { shownStatus } from './routes.ts';

type Db = Kysely<Tables>;

const millis = (column: string) => `(extract(epoch from ${column}) * 1000)::bigint`;

/** Only this many characters of a description are searched. */
const maxDescription = 20_000;

/**
 * Returns the SQL of a row's values that shoppers filter by, by the ids of their definitions, which the array `ids`
 * lists.
 */
const selectValues = (column: string, ids: string) => `case when ${column} = '{}' then '{}'::jsonb else (
    select coalesce(jsonb_object_agg(each.key, each.value), '{}') from jsonb_each(${column}) each
    where each.key = any(${ids}::text[])
  ) end`;

const indexed = (
  fieldIds: string,
) => `p.id, ${millis('p.updated_at')} as "updatedAt", p.number, p.name_key as "nameKey", p.name,
  left(p.description, ${maxDescription}) as description, p.vendor, p.tags, p.price_cents as "priceCents",
  ${millis('p.created_at')} as "createdAt", (
    select coalesce(json_agg(json_build_object(
      'sku', v.sku, 'barcode', v.barcode, 'priceCents', v.price_cents, 'isAvailable', v.stock > 0, 'options', v.options
    )), '[]') from variant v where v.store_id = p.store_id and v.product_id = p.id
  ) as variants, ${selectValues('p.custom_fields', fieldIds)} as values, (
    select coalesce(jsonb_agg(${selectValues('v.custom_fields', fieldIds)}), '[]')
    from variant v where v.store_id = p.store_id and v.product_id = p.id and v.custom_fields <> '{}'
  ) as "variantValues"`;

const after = prepare<IndexedProduct>(
  'storefront-index-after',
  withinStore(
    '$1',
    `select ${indexed('$4')} from product p
   where p.store_id = $1 and p.id > $2 and p.status = '${shownStatus}' order by p.id limit $3`,
  ),
);

/** Reads the next active products after an id. */
export const readProductsAfter = async (
  db: Db,
  storeId: string,
  id: string,
  limit: number,
  fieldIds: readonly string[],
) => (await db.executeQuery(after([storeId, id, limit, fieldIds]))).rows;

const selectByIds = prepare<IndexedProduct>(
  'storefront-index-some',
  withinStore(
    '$1',
    `select ${indexed('$3')} from product p
   where p.store_id = $1 and p.id = any($2::text[]) and p.status = '${shownStatus}'`,
  ),
);

/** Reads the given products that are active. */
export const readIndexedProducts = async (
  db: Db,
  storeId: string,
  ids: readonly string[],
  fieldIds: readonly string[],
) => (await db.executeQuery(selectByIds([storeId, ids, fieldIds]))).rows;

/** Lists the custom fields that shoppers filter by. A key that both products and variants have is one field. */
export async function readShopFields(db: Db, storeId: string): Promise<ShopField[]> {
  const definitions = await readDefinitions(db, storeId, ['product', 'variant']);
  const shown = definitions.filter(
    ({ visibility, isFilterable, type }) => visibility === 'public' && isFilterable && isFilterableType(type),
  );
  const byKey = Map.groupBy(shown, customFieldName);
  return [...byKey]
    .map(([key, same]) => ({
      key,
      name: (same.find(({ entity }) => entity === 'product') ?? same[0]!).name,
      ids: same.map(({ id }) => id).sort(),
    }))
    .sort((one, other) => (one.key < other.key ? -1 : 1));
}

/** The changes of a store's products since an instant, and the number of active products. */
export interface ProductChanges {
  changed: { id: string; isShown: boolean; updatedAt: number }[];
  active: number;
}

const changes = prepare<ProductChanges>(
  'storefront-index-changes',
  `select coalesce((
     select json_agg(json_build_object(
       'id', p.id, 'isShown', s.status = '${shownStatus}', 'updatedAt', ${millis('p.updated_at')}
     ))
     from unnest(array['draft', 'active', 'archived']) as s (status) cross join lateral (
       select id, updated_at from product
       where store_id = $1 and status = s.status and updated_at > $2::timestamptz
     ) p
   ), '[]') as changed,
   coalesce((select active from product_total where store_id = $1), 0) as active`,
);

export const readChanges = async (db: Db, storeId: string, since: Date): Promise<ProductChanges> =>
  (await db.executeQuery(changes([storeId, since]))).rows[0]!;

const shownIds = prepare<{ id: string }>(
  'storefront-index-ids',
  `select id from product where store_id = $1 and status = '${shownStatus}'`,
);

/** Reads the ids of all active products. */
export const readShownIds = async (db: Db, storeId: string): Promise<Set<string>> =>
  new Set((await db.executeQuery(shownIds([storeId]))).rows.map(({ id }) => id));

/** A category that a shop looks up. `revision` changes whenever its members do. */
export interface ShownCategory {
  id: string;
  sort: CategorySort;
  revision: number;
}

const categories = prepare<
  Omit<ShownCategory, 'sort'> & { by: CategorySort['by']; dir: CategorySort['dir'] }
>(
  'storefront-categories',
  `select id, sort_by as by, sort_dir as dir, members_revision as revision from category
   where store_id = $1 and (id = any($2::text[]) or slug = any($2::text[])) order by id`,
);

/** Finds categories of the store by id or slug. */
export async function findShownCategories(
  db: Db,
  storeId: string,
  idsOrSlugs: readonly string[],
): Promise<ShownCategory[]> {
  const { rows } = await db.executeQuery(categories([storeId, idsOrSlugs]));
  return rows.map(({ by, dir, ...rest }) => ({ ...rest, sort: { by, dir } }));
}

const members = prepare<{ id: string; position: number }>(
  'storefront-category-members',
  `select product_id as id, coalesce(position, 0) as position from category_product
   where store_id = $1 and category_id = $2`,
);

/** Reads the members of a category, with their positions if it is a manual category. */
export async function readMembers(
  db: Db,
  storeId: string,
  categoryId: string,
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await db.executeQuery(members([storeId, categoryId]));
  return new Map(rows.map(({ id, position }) => [id, position]));
}
