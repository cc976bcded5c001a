import { withoutWaitingOn } from '@waybill/kernel';
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;
export type KeptVariant = Selectable<Tables['media_variant']>;
export type VariantId = Pick<KeptVariant, 'store_id' | 'sha256' | 'name'>;

/** To the millisecond, as the driver reads it back: a row is told by it from what later has its place. */
const now = sql<Date>`date_trunc('milliseconds', statement_timestamp())`;
/** No making and no removing lasts as long. */
const abandoned = sql<Date>`now() - interval '5 minutes'`;

/** What is known of a variant; null: nobody has asked for it yet. */
export async function findVariant(
  db: Db,
  { store_id, sha256, name }: VariantId,
): Promise<KeptVariant | null> {
  const row = await db
    .selectFrom('media_variant')
    .selectAll()
    .where('store_id', '=', store_id)
    .where('sha256', '=', sha256)
    .where('name', '=', name)
    .executeTakeFirst();
  return row ?? null;
}

/** Null when it is there already. Without bytes it is ready at once. */
export async function insertVariant(trx: Trx, id: VariantId, sizeBytes: number): Promise<KeptVariant | null> {
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

/** Takes a variant from the state in which it was seen into the next one; null when it is no longer in that. */
export async function changeState(
  db: Db,
  { store_id, sha256, name, state, changed_at }: KeptVariant,
  next: KeptVariant['state'],
): Promise<KeptVariant | null> {
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

/** Whether it was still there, as seen. */
export async function deleteVariant(
  trx: Trx,
  { store_id, sha256, name, state, changed_at }: KeptVariant,
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

/** Some of a store's variants, those first that were used the longest ago. */
export function listLeastUsed(trx: Trx, storeId: string, limit: number): Promise<KeptVariant[]> {
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

/** Some variants that were being made or removed when their process was killed, of any store. */
export function listAbandoned(db: Db, limit: number): Promise<KeptVariant[]> {
  return db
    .selectFrom('media_variant')
    .selectAll()
    .where('state', '<>', 'ready')
    .where('changed_at', '<', abandoned)
    .orderBy('changed_at')
    .limit(limit)
    .execute();
}

/** Notes that these were used just now. */
export async function noteUse(db: Db, used: readonly VariantId[]): Promise<void> {
  const column = (name: keyof VariantId) => used.map((id) => id[name]);
  await sql`
    update media_variant v set used_at = now()
    from unnest(${column('store_id')}::text[], ${column('sha256')}::text[], ${column('name')}::text[])
      as used (store_id, sha256, name)
    where (v.store_id, v.sha256, v.name) = (used.store_id, used.sha256, used.name)
      and ${withoutWaitingOn(db)}`.execute(db);
}

/** All variants of some bytes, ready or not. */
export function listVariants(db: Db, storeId: string, sha256: string): Promise<KeptVariant[]> {
  return db
    .selectFrom('media_variant')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('sha256', '=', sha256)
    .execute();
}

/** Whether some asset has the bytes of a variant. */
export async function hasAsset(trx: Trx, { store_id, sha256 }: VariantId): Promise<boolean> {
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
 * The next few assets of the search for objects that nothing knows, which others then leave out; none while it
 * rests, for a day after the last. A process that is killed with them leaves them to the next search.
 */
export async function takeForSearch(
  trx: Trx,
  limit: number,
): Promise<Pick<VariantId, 'store_id' | 'sha256'>[]> {
  const at = await trx
    .selectFrom('media_search')
    .select(['store_id', 'asset_id'])
    .where('next_at', '<=', sql<Date>`now()`)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  if (!at) return [];
  const assets = await trx
    .selectFrom('media_asset')
    .select(['store_id', 'id', 'sha256'])
    .where(sql<boolean>`(store_id, id) > (${at.store_id}, ${at.asset_id})`)
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
