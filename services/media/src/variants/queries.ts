import { asyncCommitOn } from '@waybill/kernel';
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;
export type StoredVariant = Selectable<Tables['media_variant']>;
export type VariantId = Pick<StoredVariant, 'store_id' | 'sha256' | 'name'>;

/**
 * Rounded to the millisecond, as the driver reads it back, because this time tells a row from a later one in its place.
 */
const now = sql<Date>`date_trunc('milliseconds', statement_timestamp())`;
/** Making or removing a variant never takes this long. */
const abandonedBefore = sql<Date>`now() - interval '5 minutes'`;

/** Returns the state of a variant; null when nobody has asked for it yet. */
export async function findVariant(
  db: Db,
  { store_id, sha256, name }: VariantId,
): Promise<StoredVariant | null> {
  const row = await db
    .selectFrom('media_variant')
    .selectAll()
    .where('store_id', '=', store_id)
    .where('sha256', '=', sha256)
    .where('name', '=', name)
    .executeTakeFirst();
  return row ?? null;
}

/** Inserts a variant; returns null when it already exists. A variant without bytes is ready at once. */
export async function insertVariant(
  trx: Trx,
  id: VariantId,
  sizeBytes: number,
): Promise<StoredVariant | null> {
  const row = await trx
    .insertInto('media_variant')
    .values({
      ...id,
      size_bytes: sizeBytes,
      state: sizeBytes > 0 ? 'making' : 'ready',
      changed_at: now,
      used_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** Moves a variant from the state in which it was read to the next one; returns null when it has changed since. */
export async function changeState(
  db: Db,
  { store_id, sha256, name, state, changed_at }: StoredVariant,
  next: StoredVariant['state'],
): Promise<StoredVariant | null> {
  const row = await db
    .updateTable('media_variant')
    .set({ state: next, changed_at: now })
    .where('store_id', '=', store_id)
    .where('sha256', '=', sha256)
    .where('name', '=', name)
    .where('state', '=', state)
    .where('changed_at', '=', changed_at)
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** Deletes a variant in the state in which it was read. Returns whether it still existed like that. */
export async function deleteVariant(
  trx: Trx,
  { store_id, sha256, name, state, changed_at }: StoredVariant,
): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('media_variant')
    .where('store_id', '=', store_id)
    .where('sha256', '=', sha256)
    .where('name', '=', name)
    .where('state', '=', state)
    .where('changed_at', '=', changed_at)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Returns some of a store's variants, least recently used first. */
export function listLeastUsed(trx: Trx, storeId: string, limit: number): Promise<StoredVariant[]> {
  return trx
    .selectFrom('media_variant')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('state', '=', 'ready')
    .where('size_bytes', '>', 0)
    .orderBy('used_at')
    .limit(limit)
    .execute();
}

/** Returns some variants, of any store, whose process was killed while it made or removed them. */
export function listAbandoned(db: Db, limit: number): Promise<StoredVariant[]> {
  return db
    .selectFrom('media_variant')
    .selectAll()
    .where('state', '<>', 'ready')
    .where('changed_at', '<', abandonedBefore)
    .orderBy('changed_at')
    .limit(limit)
    .execute();
}

/** Records that these variants were used just now. */
export async function recordUses(db: Db, used: readonly VariantId[]): Promise<void> {
  const column = (name: keyof VariantId) => used.map((id) => id[name]);
  await sql`
    update media_variant v set used_at = now()
    from unnest(${column('store_id')}::text[], ${column('sha256')}::text[], ${column('name')}::text[])
      as used (store_id, sha256, name)
    where (v.store_id, v.sha256, v.name) = (used.store_id, used.sha256, used.name)
      and ${asyncCommitOn(db)}`.execute(db);
}

/** Returns all variants of some bytes, ready or not. */
export function listVariants(db: Db, storeId: string, sha256: string): Promise<StoredVariant[]> {
  return db
    .selectFrom('media_variant')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('sha256', '=', sha256)
    .execute();
}

/** Whether any asset has the bytes of a variant. */
export async function isVariantOfAsset(trx: Trx, { store_id, sha256 }: VariantId): Promise<boolean> {
  const row = await trx
    .selectFrom('media_asset')
    .select('id')
    .where('store_id', '=', store_id)
    .where('sha256', '=', sha256)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Takes the next assets for the search for unknown objects; others then skip them. Returns none while the search rests,
 * which it does for a day after reaching the end. Assets taken by a process that is killed are left to the next search.
 */
export async function claimAssetsForSearch(
  trx: Trx,
  limit: number,
): Promise<Pick<VariantId, 'store_id' | 'sha256'>[]> {
  const position = await trx
    .selectFrom('media_search')
    .select(['store_id', 'asset_id'])
    .where('next_at', '<=', sql<Date>`now()`)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  if (!position) return [];
  const assets = await trx
    .selectFrom('media_asset')
    .select(['store_id', 'id', 'sha256'])
    .where(sql<boolean>`(store_id, id) > (${position.store_id}, ${position.asset_id})`)
    .orderBy('store_id')
    .orderBy('id')
    .limit(limit)
    .execute();
  const last = assets.length === limit ? assets.at(-1) : undefined;
  await trx
    .updateTable('media_search')
    .set({
      store_id: last?.store_id ?? '',
      asset_id: last?.id ?? '',
      next_at: last ? sql<Date>`now()` : sql<Date>`now() + interval '1 day'`,
    })
    .execute();
  return assets;
}
