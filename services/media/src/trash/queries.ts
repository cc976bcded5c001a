import type { Columns } from '@waybill/kernel';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Asset } from '../assets/queries.ts';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

/** Returns the bytes that count against a store's quota, and how many of them are in the trash. */
export async function readUsage(db: Db, storeId: string): Promise<{ used: number; trashed: number }> {
  const { rows } = await sql<{ used: number; trashed: number }>`
    select
      coalesce((select used_bytes from media_usage where store_id = ${storeId}), 0) as used,
      coalesce((
        select sum(size_bytes) from media_asset where store_id = ${storeId} and trashed_at is not null
      ), 0)::bigint as trashed`.execute(db);
  return rows[0]!;
}

/** The fields of an asset that a purge needs. */
export type PurgedAsset = Pick<Asset, 'id' | 'name' | 'sha256' | 'size_bytes' | 'trashed_at'>;

const purgedColumns = ['id', 'name', 'sha256', 'size_bytes', 'trashed_at'] as const;

const selectAssets = (db: Db, storeId: string, ids: readonly string[]) =>
  db
    .selectFrom('media_asset')
    .select(purgedColumns)
    .where('store_id', '=', storeId)
    .where('id', '=', sql<string>`any(${ids}::text[])`)
    .orderBy('id');

/** Returns those of these assets that the store has. */
export function listAssetsById(db: Db, storeId: string, ids: readonly string[]): Promise<PurgedAsset[]> {
  return selectAssets(db, storeId, ids).execute();
}

/** Returns the same assets, locked until the transaction ends. */
export function lockAssets(trx: Trx, storeId: string, ids: readonly string[]): Promise<PurgedAsset[]> {
  return selectAssets(trx, storeId, ids).forUpdate().execute();
}

export async function deleteAssets(trx: Trx, storeId: string, ids: readonly string[]): Promise<void> {
  await trx
    .deleteFrom('media_asset')
    .where('store_id', '=', storeId)
    .where('id', '=', sql<string>`any(${ids}::text[])`)
    .execute();
}

/**
 * Marks the bytes of just deleted assets as being removed, unless another asset or a reservation has them. The sweep of
 * reservations removes them, and retries until it succeeds.
 */
export async function markBytesForRemoval(
  trx: Trx,
  storeId: string,
  assets: readonly PurgedAsset[],
): Promise<void> {
  await sql`
    insert into media_reservation (store_id, id, sha256, size_bytes, expires_at, removing)
    select ${storeId}, min(deleted.id), deleted.sha256, 0, now(), true
    from unnest(${assets.map(({ id }) => id)}::text[], ${assets.map(({ sha256 }) => sha256)}::text[])
      as deleted (id, sha256)
    where not exists (select from media_asset a where a.store_id = ${storeId} and a.sha256 = deleted.sha256)
      and not exists (
        select from media_reservation r
        where r.store_id = ${storeId} and r.sha256 = deleted.sha256 and not r.removing
      )
    group by deleted.sha256`.execute(trx);
}

/** An asset that has been in the trash for a long time. */
export type OldTrash = Columns<Tables['media_asset'], { storeId: 'store_id'; id: 'id' }>;

/**
 * Takes the next assets, of any store, that have been in the trash for `days` days; others then skip them. Returns none
 * while the search rests, which it does for an hour after reaching the end.
 */
export async function claimOldTrash(trx: Trx, days: number, limit: number): Promise<OldTrash[]> {
  const position = await trx
    .selectFrom('media_trash_sweep')
    .select(['store_id', 'asset_id', sql<string>`trashed_at::text`.as('trashedAt')])
    .where('next_at', '<=', sql<Date>`now()`)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  if (!position) return [];
  const { rows } = await sql<OldTrash & { trashedAt: string }>`
    select store_id as "storeId", id, trashed_at::text as "trashedAt" from media_asset
    where trashed_at < now() - make_interval(days => ${days})
      and (trashed_at, store_id, id) > (${position.trashedAt}::timestamptz, ${position.store_id}, ${position.asset_id})
    order by trashed_at, store_id, id limit ${limit}`.execute(trx);
  const last = rows.length === limit ? rows.at(-1) : undefined;
  await sql`
    update media_trash_sweep set trashed_at = ${last?.trashedAt ?? '-infinity'}::timestamptz,
      store_id = ${last?.storeId ?? ''}, asset_id = ${last?.id ?? ''},
      next_at = now() + make_interval(hours => ${last ? 0 : 1})`.execute(trx);
  return rows;
}
