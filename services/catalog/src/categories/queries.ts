import type { CategorySort, CustomFieldValues } from '@waybill/contracts';
import { customFieldsJson, hasMedia, type RemovedMedia, withoutMedia } from '@waybill/custom-fields';
import {
  addInterval,
  changedAt,
  type PageQuery,
  parsePage,
  prepare,
  prepareFindExisting,
  rawSql,
  readList,
  withinStore,
} from '@waybill/kernel';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Category as CategoryRow, Tables } from '../tables.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

/** The stored fields of a category. */
export interface CategoryState
  extends Pick<CategoryRow, 'id' | 'name' | 'slug' | 'description' | 'position' | 'kind' | 'rule' | 'seo'> {
  parentId: string | null;
  imageMediaId: string | null;
  sort: CategorySort;
  /** Values by the ids of their definitions. */
  customFields: CustomFieldValues;
}

/** A category as read from the database, with computed fields. */
export interface CategoryRead extends CategoryState {
  productsCount: number;
  truncated: boolean;
  /** JSON of the custom-field values by their keys. */
  shownFields: string;
  createdAt: Date;
  updatedAt: Date;
}

/** Returns the column values of a category for writing. */
const toColumns = ({
  id,
  name,
  slug,
  description,
  position,
  kind,
  rule,
  seo,
  parentId,
  imageMediaId,
  sort,
  customFields,
}: CategoryState) => ({
  id,
  name,
  slug,
  description,
  position,
  kind,
  rule,
  seo,
  custom_fields: sql<CustomFieldValues>`${JSON.stringify(customFields)}::jsonb`,
  parent_id: parentId,
  image_media_id: imageMediaId,
  sort_by: sort.by,
  sort_dir: sort.dir,
});

const selected = (db: Db, storeId: string) =>
  db
    .selectFrom('category')
    .where('store_id', '=', storeId)
    .select([
      'id',
      'name',
      'slug',
      'description',
      'position',
      'kind',
      'rule',
      'seo',
      'parent_id as parentId',
      'image_media_id as imageMediaId',
      'sort_by',
      'sort_dir',
      'custom_fields as customFields',
      'truncated',
      'created_at as createdAt',
      'updated_at as updatedAt',
      sql<number>`(select count(*) from category_product cp where cp.store_id = ${storeId} and cp.category_id = category.id)`.as(
        'productsCount',
      ),
      rawSql<string, { storeId: string }>(($) => withinStore($.storeId, customFieldsJson('category')), {
        storeId,
      }).as('shownFields'),
    ]);

type Selected = Awaited<ReturnType<ReturnType<typeof selected>['execute']>>[number];

const toCategoryRead = ({ sort_by: by, sort_dir: dir, ...rest }: Selected): CategoryRead => ({
  ...rest,
  sort: { by, dir },
});

/** Finds a category by its id; null if the store has no such category. */
export async function findCategory(db: Db, storeId: string, id: string): Promise<CategoryRead | null> {
  const row = await selected(db, storeId).where('id', '=', id).executeTakeFirst();
  return row ? toCategoryRead(row) : null;
}

/** Finds categories by their ids, in no particular order. */
export async function findCategories(
  db: Db,
  storeId: string,
  ids: readonly string[],
): Promise<CategoryRead[]> {
  if (ids.length === 0) return [];
  return (await selected(db, storeId).where('id', 'in', ids).execute()).map(toCategoryRead);
}

/**
 * Returns a page of the store's categories: roots first, then by parent and position.
 * @throws invalid_cursor
 */
export async function listCategories(db: Db, storeId: string, query: PageQuery) {
  const page = parsePage('categories', [storeId], query, [
    { column: `coalesce(parent_id, '')`, type: 'text', dir: 'asc' },
    { column: 'position', type: 'bigint', dir: 'asc' },
    { column: 'id', type: 'text', dir: 'asc' },
  ]);
  const all = db.selectFrom('category').where('store_id', '=', storeId);
  const { rows, ...list } = await readList(selected(db, storeId), all, page);
  return { rows: rows.map(toCategoryRead), ...list };
}

/** Returns which of the given slugs the store's categories use. */
export const findExistingSlugs = prepareFindExisting('category', 'slug');

/** Locks the store's tree until the transaction ends. Returns the number of categories. */
export async function lockTree(trx: Trx, storeId: string, now: Date): Promise<number> {
  const lock = () =>
    trx
      .selectFrom('category_total')
      .select('categories')
      .where('store_id', '=', storeId)
      .forUpdate()
      .executeTakeFirst();
  const total = await lock();
  if (total) return total.categories;
  await trx
    .insertInto('category_total')
    .values({ store_id: storeId, checked_until: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return (await lock())!.categories;
}

/** Returns the number of a store's categories, from its counter. */
export async function countCategories(db: Db, storeId: string): Promise<number> {
  const total = await db
    .selectFrom('category_total')
    .select('categories')
    .where('store_id', '=', storeId)
    .executeTakeFirst();
  return total?.categories ?? 0;
}

/** A category's place in the tree. */
export interface TreeNode {
  id: string;
  parentId: string | null;
  position: number;
}

/** Reads the whole tree. The caller must hold its lock. */
export async function readTree(trx: Trx, storeId: string): Promise<TreeNode[]> {
  return trx
    .selectFrom('category')
    .select(['id', 'parent_id as parentId', 'position'])
    .where('store_id', '=', storeId)
    .orderBy('position')
    .execute();
}

const updatePositions = prepare(
  'category-place',
  `update category c set position = moved.position, parent_id = moved.parent_id,
     updated_at = case when c.parent_id is distinct from moved.parent_id
       then greatest($5::timestamptz, ${addInterval('c.updated_at', '1 millisecond')}) else c.updated_at end
   from unnest($2::text[], $3::text[], $4::int[]) as moved (id, parent_id, position)
   where c.store_id = $1 and c.id = moved.id`,
);

/**
 * Stores the places of categories. A category with a new parent counts as changed; one that was only shifted does not.
 */
export async function updateCategoryPositions(
  trx: Trx,
  storeId: string,
  nodes: readonly TreeNode[],
  now: Date,
): Promise<void> {
  if (nodes.length === 0) return;
  await trx.executeQuery(
    updatePositions([
      storeId,
      nodes.map(({ id }) => id),
      nodes.map(({ parentId }) => parentId),
      nodes.map(({ position }) => position),
      now,
    ]),
  );
}

/** Inserts a category and counts it. A rule is due for matching at once. */
export async function insertCategory(
  trx: Trx,
  storeId: string,
  category: CategoryState,
  now: Date,
): Promise<void> {
  await trx
    .insertInto('category')
    .values({
      store_id: storeId,
      ...toColumns(category),
      match_at: category.kind === 'rule' ? now : null,
      created_at: now,
      updated_at: now,
    })
    .execute();
  await countCategory(trx, storeId, category.kind, 1);
}

/** Updates the stored fields of a changed category. */
export async function updateCategory(
  trx: Trx,
  storeId: string,
  category: CategoryState,
  now: Date,
  isRuleChanged: boolean,
): Promise<void> {
  await trx
    .updateTable('category')
    .set({
      ...toColumns(category),
      ...(isRuleChanged && { match_at: now }),
      updated_at: changedAt(now),
    })
    .where('store_id', '=', storeId)
    .where('id', '=', category.id)
    .execute();
}

/** Deletes a category and its member rows. */
export async function deleteCategoryRow(
  trx: Trx,
  storeId: string,
  { id, kind }: Pick<CategoryState, 'id' | 'kind'>,
): Promise<void> {
  await trx.deleteFrom('category').where('store_id', '=', storeId).where('id', '=', id).execute();
  await countCategory(trx, storeId, kind, -1);
}

async function countCategory(trx: Trx, storeId: string, kind: CategoryState['kind'], by: 1 | -1) {
  await trx
    .updateTable('category_total')
    .set((eb) => ({
      categories: eb('categories', '+', by),
      ...(kind === 'rule' && { rules: eb('rules', '+', by) }),
    }))
    .where('store_id', '=', storeId)
    .execute();
}

/**
 * Returns the kinds of the given categories that the store has. Locks them until the transaction ends, so that a
 * concurrent change of their members waits and then finds the rule that names them.
 */
export async function lockCategoryKinds(
  db: Kysely<Tables>,
  storeId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, CategoryState['kind']>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('category')
    .select(['id', 'kind'])
    .where('store_id', '=', storeId)
    .where('id', 'in', ids)
    .orderBy('id')
    .forKeyShare()
    .execute();
  return new Map(rows.map(({ id, kind }) => [id, kind]));
}

/** Removes purged assets from categories. Returns the ids of the categories that lost some. */
export async function dropCategoryMedia(
  trx: Trx,
  storeId: string,
  removed: RemovedMedia,
  now: Date,
): Promise<string[]> {
  const { assetIds } = removed;
  const rows = await trx
    .updateTable('category')
    .set({
      image_media_id: sql`case when image_media_id = any(${assetIds}::text[]) then null else image_media_id end`,
      seo: sql`case when seo ->> 'imageMediaId' = any(${assetIds}::text[])
        then (seo::jsonb || '{"imageMediaId":null}')::json else seo end`,
      custom_fields: withoutMedia(removed),
      updated_at: changedAt(now),
    })
    .where('store_id', '=', storeId)
    .where(
      sql<boolean>`(
        image_media_id = any(${assetIds}::text[]) or seo ->> 'imageMediaId' = any(${assetIds}::text[])
        or ${hasMedia(removed)}
      )`,
    )
    .returning('id')
    .execute();
  return rows.map(({ id }) => id);
}
