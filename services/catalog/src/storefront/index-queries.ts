import type { CategorySort } from '@waybill/contracts';
import { prepare } from '@waybill/kernel';
import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';
import type { IndexedProduct } from './product-index.ts';
import { shownStatus } from './routes.ts';

type Db = Kysely<Tables>;

const millis = (column: string) => `(extract(epoch from ${column}) * 1000)::bigint`;

/** Longer descriptions are searched in their beginning. */
const maxDescription = 20_000;

const indexed = `p.id, ${millis('p.updated_at')} as "updatedAt", p.number, p.name_key as "nameKey", p.name,
  left(p.description, ${maxDescription}) as description, p.vendor, p.tags, p.price_cents as "priceCents",
  ${millis('p.created_at')} as "createdAt", (
    select coalesce(json_agg(json_build_object(
      'sku', v.sku, 'barcode', v.barcode, 'priceCents', v.price_cents, 'isAvailable', v.stock > 0, 'options', v.options
    )), '[]') from variant v where v.store_id = p.store_id and v.product_id = p.id
  ) as variants`;

const after = prepare<IndexedProduct>(
  'storefront-index-after',
  `select ${indexed} from product p
   where p.store_id = $1 and p.id > $2 and p.status = '${shownStatus}' order by p.id limit $3`,
);

/** The active products that follow an id. */
export const readProductsAfter = async (db: Db, storeId: string, id: string, limit: number) =>
  (await db.executeQuery(after([storeId, id, limit]))).rows;

const some = prepare<IndexedProduct>(
  'storefront-index-some',
  `select ${indexed} from product p
   where p.store_id = $1 and p.id = any($2::text[]) and p.status = '${shownStatus}'`,
);

/** Those of these products that are active. */
export const readIndexedProducts = async (db: Db, storeId: string, ids: readonly string[]) =>
  (await db.executeQuery(some([storeId, ids]))).rows;

/** What has become of a store's products since an instant, and how many active ones there are. */
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

/** The ids of all active products. */
export const readShownIds = async (db: Db, storeId: string): Promise<Set<string>> =>
  new Set((await db.executeQuery(shownIds([storeId]))).rows.map(({ id }) => id));

/** A category as a shop looks it up; `revision` tells what it contains from what it contained before. */
export interface ShownCategory {
  id: string;
  sort: CategorySort;
  revision: number;
}

const category = prepare<Omit<ShownCategory, 'sort'> & { by: CategorySort['by']; dir: CategorySort['dir'] }>(
  'storefront-category',
  `select id, sort_by as by, sort_dir as dir, members_revision as revision from category
   where store_id = $1 and (id = $2 or slug = $2)`,
);

/** A category by its id or slug; null when the store has none. */
export async function findShownCategory(
  db: Db,
  storeId: string,
  idOrSlug: string,
): Promise<ShownCategory | null> {
  const { rows } = await db.executeQuery(category([storeId, idOrSlug]));
  if (!rows[0]) return null;
  const { by, dir, ...rest } = rows[0];
  return { ...rest, sort: { by, dir } };
}

const members = prepare<{ id: string; position: number }>(
  'storefront-category-members',
  `select product_id as id, coalesce(position, 0) as position from category_product
   where store_id = $1 and category_id = $2`,
);

/** What a category contains, with the positions of a manual one's. */
export async function readMembers(
  db: Db,
  storeId: string,
  categoryId: string,
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await db.executeQuery(members([storeId, categoryId]));
  return new Map(rows.map(({ id, position }) => [id, position]));
}
