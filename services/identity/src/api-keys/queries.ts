import type { Role } from '@waybill/contracts';
import { byTime, type PageQuery, parsePage, readList } from '@waybill/kernel';
import { type Kysely, type Selectable, sql } from 'kysely';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;

export type ApiKeyRow = Selectable<Tables['api_key']>;

export function insertApiKey(
  db: Db,
  storeId: string,
  key: Pick<ApiKeyRow, 'id' | 'name' | 'prefix' | 'hash' | 'scopes' | 'created_by'>,
): Promise<ApiKeyRow> {
  return db
    .insertInto('api_key')
    .values({ store_id: storeId, ...key })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Counts the keys of a store that are not revoked. */
export async function countKeysInUse(db: Db, storeId: string): Promise<number> {
  const { count } = await db
    .selectFrom('api_key')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('store_id', '=', storeId)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow();
  return count;
}

/** Deletes a store's revoked keys except the newest ones. */
export async function deleteOldRevoked(db: Db, storeId: string, limit: number): Promise<void> {
  await sql`
    delete from api_key where store_id = ${storeId} and revoked_at is not null and id <= (
      select id from api_key where store_id = ${storeId} and revoked_at is not null
      order by id desc offset ${limit} limit 1
    )`.execute(db);
}

/**
 * Lists a store's keys, newest first.
 * @throws invalid_cursor
 */
export function listApiKeys(db: Db, storeId: string, query: PageQuery) {
  const ofStore = db.selectFrom('api_key').where('store_id', '=', storeId);
  return readList(ofStore.selectAll(), ofStore, parsePage('api-keys', [storeId], query, byTime('desc')));
}

export function findKey(db: Db, storeId: string, id: string): Promise<ApiKeyRow | undefined> {
  return db
    .selectFrom('api_key')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Finds a key and locks it until the transaction ends. */
export function lockKey(db: Db, storeId: string, id: string): Promise<ApiKeyRow | undefined> {
  return db
    .selectFrom('api_key')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

export async function markKeyRevoked(db: Db, storeId: string, id: string): Promise<void> {
  await db
    .updateTable('api_key')
    .set({ revoked_at: sql<Date>`now()` })
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .execute();
}

/** Returns the names of the given keys that the store has. */
export async function listKeyNames(
  db: Db,
  storeId: string,
  ids: readonly string[],
): Promise<{ id: string; name: string }[]> {
  if (ids.length === 0) return [];
  return db
    .selectFrom('api_key')
    .select(['id', 'name'])
    .where('store_id', '=', storeId)
    .where('id', 'in', ids)
    .execute();
}

/** Finds the store of the key with this hash. This is the only query without a store. */
export async function findStoreByKeyHash(db: Db, hash: string): Promise<string | undefined> {
  const row = await db.selectFrom('api_key').select('store_id').where('hash', '=', hash).executeTakeFirst();
  return row?.store_id;
}

/** Finds a key with its creator's current role, which is null for a removed member. */
export function findKeyByHash(
  db: Db,
  storeId: string,
  hash: string,
): Promise<(ApiKeyRow & { creator_role: Role | null }) | undefined> {
  return db
    .selectFrom('api_key')
    .leftJoin('member', (join) =>
      join
        .onRef('member.store_id', '=', 'api_key.store_id')
        .onRef('member.user_id', '=', 'api_key.created_by'),
    )
    .selectAll('api_key')
    .select('member.role as creator_role')
    .where('api_key.store_id', '=', storeId)
    .where('api_key.hash', '=', hash)
    .executeTakeFirst();
}

/** Records a use, unless one was recorded within the last minute. */
export async function updateLastUse(db: Db, storeId: string, id: string): Promise<void> {
  await db
    .updateTable('api_key')
    .set({ last_used_at: sql`now()` })
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .where((eb) =>
      eb.or([
        eb('last_used_at', 'is', null),
        eb('last_used_at', '<', sql<Date>`now() - interval '60 seconds'`),
      ]),
    )
    .execute();
}
