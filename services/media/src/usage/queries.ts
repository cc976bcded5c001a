import { type Kysely, sql, type Transaction } from 'kysely';
import type { Tables } from '../tables.ts';

type Trx = Transaction<Tables>;

export interface Usage {
  usedBytes: number;
  variantBytes: number;
}

/** Returns the store's usage and locks it until the transaction ends. */
export async function lockUsage(trx: Trx, storeId: string): Promise<Usage> {
  await trx
    .insertInto('media_usage')
    .values({ store_id: storeId, used_bytes: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return trx
    .selectFrom('media_usage')
    .select(['used_bytes as usedBytes', 'variant_bytes as variantBytes'])
    .where('store_id', '=', storeId)
    .forUpdate()
    .executeTakeFirstOrThrow();
}

export async function changeUsage(trx: Trx, storeId: string, by: number): Promise<void> {
  await trx
    .updateTable('media_usage')
    .set((eb) => ({ used_bytes: eb('used_bytes', '+', by) }))
    .where('store_id', '=', storeId)
    .execute();
}

export async function changeVariantUsage(trx: Trx, storeId: string, by: number): Promise<void> {
  await trx
    .updateTable('media_usage')
    .set((eb) => ({ variant_bytes: eb('variant_bytes', '+', by) }))
    .where('store_id', '=', storeId)
    .execute();
}

export interface StoredBytes {
  assets: number;
  variants: number;
  /** Number of stores that have used at least nine tenths of their quota. */
  nearQuota: number;
}

/** Adds up the stored bytes of all stores, reading one row of each. */
export async function sumUsage(db: Kysely<Tables>, quotaBytes: number): Promise<StoredBytes> {
  const { rows } = await sql<StoredBytes>`
    select coalesce(sum(used_bytes), 0)::bigint as assets, coalesce(sum(variant_bytes), 0)::bigint as variants,
      count(*) filter (where used_bytes >= ${quotaBytes}::bigint * 0.9) as "nearQuota"
    from media_usage`.execute(db);
  return rows[0]!;
}

/** Returns how many bytes of a store's quota are used, including trashed assets and reservations. */
export async function readUsedBytes(db: Kysely<Tables>, storeId: string): Promise<number> {
  const usage = await db
    .selectFrom('media_usage')
    .select('used_bytes')
    .where('store_id', '=', storeId)
    .executeTakeFirst();
  return usage?.used_bytes ?? 0;
}
