import { changedAt } from '@waybill/kernel';
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;
export type Folder = Selectable<Tables['media_folder']>;

/** Returns all folders of a store, ordered by name. */
export function listFolders(db: Db, storeId: string): Promise<Folder[]> {
  return db
    .selectFrom('media_folder')
    .selectAll()
    .where('store_id', '=', storeId)
    .orderBy('name')
    .orderBy('id')
    .execute();
}

/** Returns a folder, or null when the store has none with that id. */
export async function findFolder(db: Db, storeId: string, id: string): Promise<Folder | null> {
  const row = await db
    .selectFrom('media_folder')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Keeps a folder from being deleted until the transaction ends. Returns false when it does not exist; null, the root,
 * always exists.
 */
export async function lockFolder(trx: Trx, storeId: string, id: string | null): Promise<boolean> {
  if (id === null) return true;
  const { rows } = await sql`
    select from media_folder where store_id = ${storeId} and id = ${id} for key share`.execute(trx);
  return rows.length > 0;
}

/**
 * Returns the number of folders of a store, and keeps others from adding, moving or deleting one until the transaction
 * ends.
 */
export async function lockFolderCount(trx: Trx, storeId: string): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${storeId}, 1))`.execute(trx);
  return countFolders(trx, storeId);
}

export async function countFolders(db: Db, storeId: string): Promise<number> {
  const { total } = await db
    .selectFrom('media_folder')
    .where('store_id', '=', storeId)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

/** Returns the ids of a folder and of all folders above it, itself first; none when the store has no such folder. */
export async function listAncestors(trx: Trx, storeId: string, id: string): Promise<string[]> {
  const { rows } = await sql<Pick<Tables['media_folder'], 'id'>>`
    with recursive ancestors (id, parent_id, level) as (
      select id, parent_id, 1 from media_folder where store_id = ${storeId} and id = ${id}
      union all
      select folder.id, folder.parent_id, ancestors.level + 1 from ancestors
      join media_folder folder on folder.store_id = ${storeId} and folder.id = ancestors.parent_id
    )
    select id from ancestors order by level`.execute(trx);
  return rows.map((row) => row.id);
}

/** Returns the number of levels that a folder and its subfolders take; 1 for a folder without any. */
export async function findHeight(trx: Trx, storeId: string, id: string): Promise<number> {
  const { rows } = await sql<{ height: number }>`
    with recursive below (id, level) as (
      select ${id}::text, 1
      union all
      select folder.id, below.level + 1 from below
      join media_folder folder on folder.store_id = ${storeId} and folder.parent_id = below.id
    )
    select max(level) as height from below`.execute(trx);
  return rows[0]!.height;
}

/**
 * Inserts a folder.
 * @throws a violation of `media_folder_name_key` when the parent already has a folder of that name
 */
export function insertFolder(
  trx: Trx,
  storeId: string,
  folder: { id: string; name: string; parentId: string | null },
  now: Date,
): Promise<Folder> {
  const { id, name, parentId } = folder;
  return trx
    .insertInto('media_folder')
    .values({ store_id: storeId, id, name, parent_id: parentId, created_at: now, updated_at: now })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/**
 * Renames and moves a folder.
 * @throws a violation of `media_folder_name_key` when the parent already has a folder of that name
 */
export async function updateFolder(
  trx: Trx,
  storeId: string,
  id: string,
  { name, parentId }: { name: string; parentId: string | null },
): Promise<void> {
  await trx
    .updateTable('media_folder')
    .set({ name, parent_id: parentId, updated_at: changedAt(new Date()) })
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .execute();
}

/**
 * Locks a folder, waiting for transactions that put something into it, and tells whether it is empty, full or missing.
 */
export async function lockEmptyFolder(
  trx: Trx,
  storeId: string,
  id: string,
): Promise<'empty' | 'full' | 'missing'> {
  const { rows } = await sql`
    select from media_folder where store_id = ${storeId} and id = ${id} for update`.execute(trx);
  if (rows.length === 0) return 'missing';
  const contents = await sql<{ isFull: boolean }>`
    select exists (select from media_folder where store_id = ${storeId} and parent_id = ${id})
      or exists (select from media_asset where store_id = ${storeId} and folder_id = ${id}) as "isFull"`.execute(
    trx,
  );
  return contents.rows[0]!.isFull ? 'full' : 'empty';
}

export async function deleteFolderRow(trx: Trx, storeId: string, id: string): Promise<void> {
  await trx.deleteFrom('media_folder').where('store_id', '=', storeId).where('id', '=', id).execute();
}
