import {
  changedAt,
  claimByStore,
  type Order,
  ofStore,
  type PageQuery,
  parsePage,
  readPage,
} from '@waybill/kernel';
import { type Kysely, type Selectable, type SqlBool, sql, type Transaction } from 'kysely';
import { ensureRanks, rankAt, rankColumn } from '../../shared/ranks/queries.ts';
import type { BlogCategory as CategoryRow, Tables } from '../../tables.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

/** A category as it is written; its rank follows from its position. */
export type CategoryState = Omit<CategoryRow, 'rank'>;

const columns = [
  'store_id',
  'id',
  'name',
  'slug',
  'parent_id',
  'position',
  'created_at',
  'updated_at',
] as const;

/**
 * Locks the blog, so that other writes of the store's articles and categories wait until the transaction ends. Returns
 * the number of categories.
 */
export async function lockBlog(trx: Trx, storeId: string): Promise<number> {
  const { rows } = await sql<Pick<Selectable<Tables['blog']>, 'categories'>>`
    insert into blog (store_id) values (${storeId})
    on conflict (store_id) do update set categories = blog.categories returning categories`.execute(trx);
  return rows[0]!.categories;
}

/** Finds a blog category by its id. */
export async function findCategory(db: Db, storeId: string, id: string): Promise<CategoryState | undefined> {
  return db
    .selectFrom('blog_category')
    .select(columns)
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .executeTakeFirst();
}

const order: Order = [
  { column: 'parent_id', type: 'text', dir: 'asc', nulls: 'first' },
  { column: rankColumn, type: 'numeric', dir: 'asc' },
  { column: 'id', type: 'text', dir: 'asc' },
];

/**
 * Returns a page of the store's categories by position: the top ones, then those of each parent.
 * @throws invalid_cursor
 */
export async function listCategories(db: Db, storeId: string, query: PageQuery) {
  const ofStore = db.selectFrom('blog_category').select(columns).where('store_id', '=', storeId);
  const list = await readPage(ofStore, parsePage('blog-categories', [storeId], query, order));
  return { ...list, total: await countCategories(db, storeId) };
}

/** Returns a store's stored number of categories. */
export async function countCategories(db: Db, storeId: string): Promise<number> {
  const count = await db
    .selectFrom('blog')
    .select('categories')
    .where('store_id', '=', storeId)
    .executeTakeFirst();
  return count?.categories ?? 0;
}

/** Returns those of these ids that the store has, in their order and without duplicates. */
export async function knownCategories(db: Db, storeId: string, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('blog_category')
    .select('id')
    .where('store_id', '=', storeId)
    .where('id', 'in', ids)
    .execute();
  const known = new Set(rows.map(({ id }) => id));
  return ids.filter((id) => known.delete(id));
}

/** Avoids `is not distinct from`, which no index supports. */
const underParent = (parentId: string | null) =>
  parentId === null ? sql<boolean>`parent_id is null` : sql<boolean>`parent_id = ${parentId}`;

/** Counts the categories directly below a parent; null stands for the root. */
export async function countChildren(trx: Trx, storeId: string, parentId: string | null): Promise<number> {
  const { children } = await trx
    .selectFrom('blog_category')
    .select((eb) => eb.fn.countAll<number>().as('children'))
    .where('store_id', '=', storeId)
    .where(underParent(parentId))
    .executeTakeFirstOrThrow();
  return children;
}

/** Whether `id` is `ancestorId` or one of its descendants. */
export async function isWithin(trx: Trx, storeId: string, id: string, ancestorId: string): Promise<boolean> {
  const { rows } = await sql<{ within: boolean }>`
    with recursive path as (
      select id, parent_id from blog_category where store_id = ${storeId} and id = ${id}
      union
      select c.id, c.parent_id from blog_category c join path on c.store_id = ${storeId} and c.id = path.parent_id
    )
    select exists (select from path where id = ${ancestorId}) as within`.execute(trx);
  return rows[0]!.within;
}

const isChildOf = (storeId: string, parentId: string | null) =>
  sql<SqlBool>`store_id = ${storeId} and ${underParent(parentId)}`;

/**
 * Stores the ranks of a parent's children. Must be called before a category is inserted or moved there, or others are
 * shifted.
 */
export const ensureChildRanks = (trx: Trx, storeId: string, parentId: string | null): Promise<void> =>
  ensureRanks(trx, 'blog_category', isChildOf(storeId, parentId));

/** Shifts the positions of a parent’s children, from `from` on, by `by`. */
export async function shiftChildren(
  trx: Trx,
  storeId: string,
  parentId: string | null,
  { from, by }: { from: number; by: number },
): Promise<void> {
  if (by === 0) return;
  await sql`
    update blog_category set position = position + ${by}
    where store_id = ${storeId} and ${underParent(parentId)} and position >= ${from}`.execute(trx);
}

/** Inserts a blog category, and counts it. */
export async function insertCategory(trx: Trx, row: CategoryState): Promise<void> {
  await trx
    .insertInto('blog_category')
    .values({ ...row, rank: await findRank(trx, row) })
    .execute();
  await countCategory(trx, row.store_id, 1);
}

/** Writes a category and returns it as it is stored. `isMoved`: its neighbours have changed. */
export async function updateCategory(trx: Trx, row: CategoryState, isMoved: boolean): Promise<CategoryState> {
  const { store_id, id, updated_at, ...values } = row;
  const stored = trx.updateTable('blog_category').where('store_id', '=', store_id).where('id', '=', id);
  const changed = await stored
    .set({ ...values, updated_at: changedAt(updated_at) })
    .returning('updated_at')
    .executeTakeFirstOrThrow();
  if (isMoved) await stored.set({ rank: await findRank(trx, row) }).execute();
  return { ...row, ...changed };
}

const findRank = (trx: Trx, { store_id, parent_id, position }: CategoryState) =>
  rankAt(trx, 'blog_category', isChildOf(store_id, parent_id), position);

/** Puts the `count` children of a category in its place under its parent. Later siblings must have made room. */
export async function moveChildren(
  trx: Trx,
  storeId: string,
  from: string,
  to: { parentId: string | null; position: number; count: number },
  now: Date,
): Promise<void> {
  // Ranks divide the gap behind it into tenths, hundredths, …: enough steps, each a finite decimal.
  const step = 1 / 10 ** String(to.count).length;
  await sql`
    update blog_category c set parent_id = ${to.parentId}, position = c.position + ${to.position},
      rank = gap.before + (coalesce(gap.behind, gap.before + 1) - gap.before) * (c.position + 1) * ${step}::numeric,
      updated_at = ${now}
    from (
      select own.rank as before, (
        select rank from blog_category
        where ${isChildOf(storeId, to.parentId)} and position = ${to.position + to.count}
      ) as behind
      from blog_category own where store_id = ${storeId} and id = ${from}
    ) gap
    where c.store_id = ${storeId} and c.parent_id = ${from}`.execute(trx);
}

/** Deletes a category without children. Its article listings are removed later, through `claimDeletedCategory`. */
export async function deleteCategoryRow(trx: Trx, storeId: string, id: string): Promise<void> {
  await trx.insertInto('gone_category').values({ store_id: storeId, id }).execute();
  await trx.deleteFrom('article_total').where('store_id', '=', storeId).where('scope', '=', id).execute();
  await trx.deleteFrom('blog_category').where('store_id', '=', storeId).where('id', '=', id).execute();
  await countCategory(trx, storeId, -1);
}

type GoneCategory = Tables['gone_category'];

/** Claims a deleted category that articles may still be listed in, until the transaction ends. */
export async function claimDeletedCategory(trx: Trx): Promise<GoneCategory | undefined> {
  const [removed] = await claimByStore<GoneCategory>(trx, {
    limit: 1,
    stores: () => sql`select store_id as "storeId" from gone_category limit 20`,
    claim: (storeId) =>
      trx
        .selectFrom('gone_category')
        .selectAll()
        .where(ofStore(storeId))
        .limit(1)
        .forUpdate()
        .skipLocked()
        .execute(),
  });
  return removed;
}

/**
 * Removes some articles from a category's list, except those being written at this moment. Returns whether it removed
 * any.
 */
export async function deleteListings(trx: Trx, storeId: string, id: string, limit: number): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from article_listing where store_id = ${storeId} and scope = ${id} and article_id = any(array(
      select article_id from article_listing where store_id = ${storeId} and scope = ${id}
      limit ${limit} for update skip locked
    ))`.execute(trx);
  return numAffectedRows > 0n;
}

/** Deletes the record of a deleted category once no article is listed in it. Returns whether it did. */
export async function deleteDeletedCategory(trx: Trx, storeId: string, id: string): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from gone_category where store_id = ${storeId} and id = ${id} and not exists (
      select from article_listing where store_id = ${storeId} and scope = ${id}
    )`.execute(trx);
  return numAffectedRows > 0n;
}

async function countCategory(trx: Trx, storeId: string, by: 1 | -1): Promise<void> {
  await trx
    .updateTable('blog')
    .set((eb) => ({ categories: eb('categories', '+', by) }))
    .where('store_id', '=', storeId)
    .execute();
}
