import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;
export type Folder = Selectable<Tables['media_folder']>;

/** All folders of a store, by name. */
export function listFolders(db: Db, storeId: string): Promise<Folder[]> {
  return db
    .selectFrom('media_folder')
    .selectAll()
    .where('store_id', '=', storeId)
    .orderBy('name')
    .orderBy('id')
    .execute();
}

/** A folder, null when the store has none of that id. */
export async function findFolder(db: Db, storeId: string, id: string): Promise<Folder | null> {
  const row = await db
    .selectFrom('media_folder')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row ?? null;
}

/** How many folders the store has; nobody else can add one until the transaction ends. */
export async function lockFolderCount(trx: Trx, storeId: string): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${storeId}, 1))`.execute(trx);
  const { total } = await trx
    .selectFrom('media_folder')
    .where('store_id', '=', storeId)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

/** How deep a folder is, 1 at the root; 0 when the store has none of that id. */
export async function findDepth(trx: Trx, storeId: string, id: string): Promise<number> {
  const { rows } = await sql<{ depth: number }>`
    with recursive way (parent_id) as (
      select parent_id from media_folder where store_id = ${storeId} and id = ${id}
      union all
      select folder.parent_id from way
      join media_folder folder on folder.store_id = ${storeId} and folder.id = way.parent_id
    )
    select count(*)::int as depth from way`.execute(trx);
  return rows[0]!.depth;
}

/** @throws a violation of `media_folder_name_key` when the name is taken there */
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
