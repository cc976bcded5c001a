import { type Kysely, sql, type Transaction } from 'kysely';
import type { BlogCategory as CategoryRow, Tables } from '../tables.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

/** Keeps every other writer of the store's articles and categories waiting until the transaction ends. */
export async function lockBlog(trx: Trx, storeId: string): Promise<void> {
  await sql`
    insert into blog (store_id) values (${storeId})
    on conflict (store_id) do update set categories = blog.categories`.execute(trx);
}

export async function findCategory(db: Db, storeId: string, id: string): Promise<CategoryRow | undefined> {
  return db
    .selectFrom('blog_category')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export async function listCategories(
  db: Db,
  storeId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: CategoryRow[]; total: number }> {
  const rows = await db
    .selectFrom('blog_category')
    .selectAll()
    .where('store_id', '=', storeId)
    .orderBy('parent_id', (order) => order.asc().nullsFirst())
    .orderBy('position')
    .limit(limit)
    .offset(offset)
    .execute();
  const count = await db
    .selectFrom('blog')
    .select('categories')
    .where('store_id', '=', storeId)
    .executeTakeFirst();
  return { rows, total: count?.categories ?? 0 };
}

/** Those of these ids that the store has, in the order given, each once. */
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

/** No `is not distinct from`: no index serves it. */
const underParent = (parentId: string | null) =>
  parentId === null ? sql<boolean>`parent_id is null` : sql<boolean>`parent_id = ${parentId}`;

export async function countChildren(trx: Trx, storeId: string, parentId: string | null): Promise<number> {
  const { children } = await trx
    .selectFrom('blog_category')
    .select((eb) => eb.fn.countAll<number>().as('children'))
    .where('store_id', '=', storeId)
    .where(underParent(parentId))
    .executeTakeFirstOrThrow();
  return children;
}

/** Whether `id` is `ancestorId` or stands somewhere below it. */
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

/** Moves the positions of a parent’s children, from `from` on, by `by`. */
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

export async function insertCategory(trx: Trx, row: CategoryRow): Promise<void> {
  await trx.insertInto('blog_category').values(row).execute();
  await countCategory(trx, row.store_id, 1);
}

export async function updateCategory(trx: Trx, row: CategoryRow): Promise<void> {
  const { store_id, id, ...values } = row;
  await trx
    .updateTable('blog_category')
    .set(values)
    .where('store_id', '=', store_id)
    .where('id', '=', id)
    .execute();
}

/** Puts the children of a category under another parent, the first of them at `position`. */
export async function moveChildren(
  trx: Trx,
  storeId: string,
  from: string,
  to: { parentId: string | null; position: number },
  now: Date,
): Promise<void> {
  await trx
    .updateTable('blog_category')
    .set((eb) => ({
      parent_id: to.parentId,
      position: eb('position', '+', to.position),
      updated_at: now,
    }))
    .where('store_id', '=', storeId)
    .where('parent_id', '=', from)
    .execute();
}

/** Deletes a category that has no children, and what lists articles in it. */
export async function deleteCategoryRow(trx: Trx, storeId: string, id: string): Promise<void> {
  for (const table of ['article_listing', 'article_total'] as const) {
    await trx.deleteFrom(table).where('store_id', '=', storeId).where('scope', '=', id).execute();
  }
  await trx.deleteFrom('blog_category').where('store_id', '=', storeId).where('id', '=', id).execute();
  await countCategory(trx, storeId, -1);
}

async function countCategory(trx: Trx, storeId: string, by: 1 | -1): Promise<void> {
  await trx
    .updateTable('blog')
    .set((eb) => ({ categories: eb('categories', '+', by) }))
    .where('store_id', '=', storeId)
    .execute();
}
