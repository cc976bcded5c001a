import type { CategorySort } from '@waybill/contracts';
import {
  type ListRead,
  type Order,
  orderBy,
  type PageQuery,
  parsePage,
  prepare,
  rangesAfter,
  readItems,
} from '@waybill/kernel';
import type { Kysely, Transaction } from 'kysely';
import { listed, sortKeys } from '../products/list-queries.ts';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

/**
 * Locks the members of a category until the transaction ends. Returns its kind, or null if the store has no such
 * category.
 */
export async function lockMembers(trx: Trx, storeId: string, id: string) {
  const row = await trx
    .selectFrom('category')
    .select('kind')
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  return row?.kind ?? null;
}

/** Counts up the revision of a category's members. */
export async function recordMembersChanged(trx: Trx, storeId: string, id: string): Promise<void> {
  await trx
    .updateTable('category')
    .set((eb) => ({ members_revision: eb('members_revision', '+', 1) }))
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .execute();
}

const unknown = prepare<{ id: string }>(
  'category-unknown-products',
  `select requested.id from unnest($2::text[]) as requested (id)
   where not exists (select from product p where p.store_id = $1 and p.id = requested.id)`,
);

/** Returns the given ids that belong to no product of the store. */
export async function findUnknownProducts(
  trx: Trx,
  storeId: string,
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return [];
  return (await trx.executeQuery(unknown([storeId, ids]))).rows.map(({ id }) => id);
}

const membersAmong = prepare<{ id: string }>(
  'category-products-among',
  `select product_id as id from category_product
   where store_id = $1 and category_id = $2 and ($3::text[] is null or product_id = any($3))`,
);

/** Lists the products of a category, optionally only those among the given ids. */
export async function readMembers(
  trx: Trx,
  storeId: string,
  id: string,
  productIds: readonly string[] | null = null,
): Promise<string[]> {
  return (await trx.executeQuery(membersAmong([storeId, id, productIds]))).rows.map((row) => row.id);
}

const removeOthers = prepare(
  'category-products-keep',
  `delete from category_product where store_id = $1 and category_id = $2 and product_id <> all($3::text[])`,
);
const put = prepare(
  'category-products-put',
  `insert into category_product (store_id, category_id, product_id, position)
   select $1, $2, p.id, requested.position
   from unnest($3::text[]) with ordinality as requested (id, position)
   join product p on p.store_id = $1 and p.id = requested.id
   on conflict (store_id, category_id, product_id) do update set position = excluded.position
     where category_product.position is distinct from excluded.position`,
);

/** Replaces the products of a category by the given ones, in this order. */
export async function setMembers(
  trx: Trx,
  storeId: string,
  id: string,
  productIds: readonly string[],
): Promise<void> {
  await trx.executeQuery(removeOthers([storeId, id, productIds]));
  await trx.executeQuery(put([storeId, id, productIds]));
}

const remove = prepare(
  'category-products-remove',
  `delete from category_product where store_id = $1 and category_id = $2 and product_id = any($3::text[])`,
);

/** Removes products from a manual category. */
export async function removeMembers(
  trx: Trx,
  storeId: string,
  id: string,
  productIds: readonly string[],
): Promise<void> {
  await trx.executeQuery(remove([storeId, id, productIds]));
}

const append = prepare(
  'category-products-append',
  `insert into category_product (store_id, category_id, product_id, position)
   select $1, $2, p.id, requested.position + (
     select coalesce(max(position), 0) from category_product where store_id = $1 and category_id = $2
   )
   from unnest($3::text[]) with ordinality as requested (id, position)
   join product p on p.store_id = $1 and p.id = requested.id
   on conflict do nothing`,
);
const count = prepare<{ count: number }>(
  'category-products-count',
  'select count(*) as count from category_product where store_id = $1 and category_id = $2',
);

/** Appends products that a category does not yet contain. Returns how many products it then contains. */
export async function addMembers(
  trx: Trx,
  storeId: string,
  id: string,
  productIds: readonly string[],
): Promise<number> {
  await trx.executeQuery(append([storeId, id, productIds]));
  return (await trx.executeQuery(count([storeId, id]))).rows[0]!.count;
}

/** Returns the sort order of a category's products. */
export const memberOrder = ({ by, dir }: CategorySort): Order =>
  by === 'manual'
    ? [
        { column: 'member_position', type: 'bigint', dir, nulls: 'last' },
        { column: 'id', type: 'text', dir },
      ]
    : [
        { ...sortKeys[by], dir },
        { column: 'id', type: 'text', dir },
      ];

/**
 * Returns a page of a category's products of any status.
 * @throws invalid_cursor
 */
export function listMembers(
  db: Db,
  storeId: string,
  { id, sort }: { id: string; sort: CategorySort },
  query: PageQuery,
): Promise<ListRead> {
  const page = parsePage('category-products', [storeId, id, sort.by, sort.dir], query, memberOrder(sort));
  return readItems<{ storeId: string; categoryId: string }>(db, listed, page, {
    kind: `category-${sort.by}-${sort.dir}`,
    values: { storeId, categoryId: id },
    before: ($) => `matches as materialized (
      select p.id, c.position as member_position, p.number, p.name_key, p.price_cents, p.created_at
      from category_product c join product p on p.store_id = c.store_id and p.id = c.product_id
      where c.store_id = ${$.storeId} and c.category_id = ${$.categoryId}
    ),`,
    rows: (_, { after, limits, page }) => `select * from matches
      where ${rangesAfter(page.order, after).join(' or ')} ${orderBy(page.order)} ${limits}`,
    total: () => '(select count(*) from matches)',
  });
}
