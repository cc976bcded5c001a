import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;

/** A check whose process was killed counts as over after this time. */
const longestSeconds = 30;

/** Marks that a check of an endpoint runs; false: one does already. */
export async function beginCheck(db: Db, storeId: string, id: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('webhook_endpoint')
    .set({ check_until: sql`now() + make_interval(secs => ${longestSeconds})` })
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .where(sql<boolean>`coalesce(check_until <= now(), true)`)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function endCheck(db: Db, storeId: string, id: string): Promise<void> {
  await db
    .updateTable('webhook_endpoint')
    .set({ check_until: null })
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .execute();
}
