import type { Kysely } from 'kysely';
import type { MethodRow, SessionRow } from '../records/session-queries.ts';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;

export function findReconciliation(db: Db, storeId: string) {
  return db.selectFrom('reconciliation').selectAll().where('store_id', '=', storeId).executeTakeFirst();
}

export async function replaceReconciliation(
  db: Db,
  storeId: string,
  differences: readonly object[],
  checkedAt: Date,
): Promise<void> {
  const compared = { differences: JSON.stringify(differences), checked_at: checkedAt };
  await db
    .insertInto('reconciliation')
    .values({ store_id: storeId, ...compared })
    .onConflict((conflict) => conflict.column('store_id').doUpdateSet(compared))
    .execute();
}

/** A store's methods at a provider with a list of its own; deleted ones as well. */
export function listComparable(db: Db, storeId: string): Promise<MethodRow[]> {
  return db
    .selectFrom('payment_method')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('provider', '=', 'stripe')
    .execute();
}

/** The sessions of a method since then that a payment came of. */
export function listPaidSessions(
  db: Db,
  storeId: string,
  methodId: string,
  since: Date,
): Promise<Pick<SessionRow, 'payment_id' | 'intent'>[]> {
  return db
    .selectFrom('payment_session')
    .select(['payment_id', 'intent'])
    .where('store_id', '=', storeId)
    .where('method_id', '=', methodId)
    .where('created_at', '>=', since)
    .where('intent', 'is not', null)
    .execute();
}
