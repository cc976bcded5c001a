import { type Kysely, sql } from 'kysely';
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

/** Lists a store's methods with a listing provider that began a payment since an instant, including deleted ones. */
export function listComparable(db: Db, storeId: string, since: Date): Promise<MethodRow[]> {
  return db
    .selectFrom('payment_method as m')
    .selectAll('m')
    .where('m.store_id', '=', storeId)
    .where('m.provider', '=', 'stripe')
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('payment_session as s')
          .select('s.payment_id')
          .where('s.store_id', '=', storeId)
          .whereRef('s.method_id', '=', 'm.id')
          .where('s.created_at', '>=', since),
      ),
    )
    .execute();
}

/** Returns the given payments that a method began. */
export async function listPaymentsOfMethod(
  db: Db,
  storeId: string,
  methodId: string,
  paymentIds: readonly string[],
): Promise<string[]> {
  const rows = await db
    .selectFrom('payment_session')
    .select('payment_id')
    .where('store_id', '=', storeId)
    .where('method_id', '=', methodId)
    .where(sql<boolean>`payment_id = any(${paymentIds})`)
    .execute();
  return rows.map(({ payment_id }) => payment_id);
}

/** Lists the sessions of a method since an instant that led to a payment. */
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
