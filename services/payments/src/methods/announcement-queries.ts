import { type Kysely, sql, type Transaction } from 'kysely';
import type { Tables } from '../tables.ts';

/** Returns the next revision of a store's announcement, and locks the counter until the transaction ends. */
export async function claimRevision(trx: Transaction<Tables>, storeId: string): Promise<number> {
  const { revision } = await trx
    .insertInto('method_announcement')
    .values({ store_id: storeId, revision: 1 })
    .onConflict((conflict) =>
      conflict.column('store_id').doUpdateSet({ revision: sql`method_announcement.revision + 1` }),
    )
    .returning('revision')
    .executeTakeFirstOrThrow();
  return revision;
}

/** Lists some stores whose methods were never announced, across all stores by design. */
export async function listUnannounced(db: Kysely<Tables>, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('payment_method as m')
    .select('m.store_id')
    .distinct()
    .where('m.is_enabled', '=', true)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('method_announcement as a')
            .select('a.store_id')
            .whereRef('a.store_id', '=', 'm.store_id'),
        ),
      ),
    )
    .limit(limit)
    .execute();
  return rows.map(({ store_id }) => store_id);
}
