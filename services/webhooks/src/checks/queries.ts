import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;

/** How long a check may run; after that its process is assumed to be killed. */
const maxCheckSeconds = 30;

/** Marks that a check of an endpoint runs. Returns false when one already does. */
export async function beginCheck(db: Db, storeId: string, id: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('webhook_endpoint')
    .set({ check_until: sql`now() + make_interval(secs => ${maxCheckSeconds})` })
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .where(sql<boolean>`(check_until is null or check_until <= now())`)
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
