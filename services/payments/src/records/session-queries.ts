import { changedAt } from '@waybill/kernel';
import {
  type Insertable,
  type Kysely,
  type Selectable,
  sql,
  type Transaction,
  type UpdateObject,
} from 'kysely';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

export type MethodRow = Selectable<Tables['payment_method']>;
export type SessionRow = Selectable<Tables['payment_session']>;

/** A session with the method that began it, which may be deleted by now. */
export interface OpenedSession {
  session: SessionRow;
  method: MethodRow;
}

const selectSessions = (db: Db, storeId: string) =>
  db.selectFrom('payment_session').where('store_id', '=', storeId);

/** Inserts the session of a payment. Returns undefined if the payment already has one. */
export async function insertSession(
  db: Db,
  storeId: string,
  session: Omit<Insertable<Tables['payment_session']>, 'store_id'>,
): Promise<SessionRow | undefined> {
  return db
    .insertInto('payment_session')
    .values({ store_id: storeId, ...session })
    .onConflict((conflict) => conflict.columns(['store_id', 'payment_id']).doNothing())
    .returningAll()
    .executeTakeFirst();
}

export function findSession(db: Db, storeId: string, paymentId: string): Promise<SessionRow | undefined> {
  return selectSessions(db, storeId).selectAll().where('payment_id', '=', paymentId).executeTakeFirst();
}

export function findSessionById(db: Db, storeId: string, id: string): Promise<SessionRow | undefined> {
  return selectSessions(db, storeId).selectAll().where('id', '=', id).executeTakeFirst();
}

/** Finds the payment with this intent at its provider. */
export async function findPaymentOfIntent(db: Db, storeId: string, intent: string): Promise<string | null> {
  const row = await selectSessions(db, storeId)
    .select('payment_id')
    .where('intent', '=', intent)
    .executeTakeFirst();
  return row?.payment_id ?? null;
}

/** Finds the session of a payment with the method that began it. The method may be deleted, but keeps its key. */
export async function findSessionWithMethod(
  db: Db,
  storeId: string,
  paymentId: string,
): Promise<OpenedSession | undefined> {
  const session = await findSession(db, storeId, paymentId);
  const method = session && (await findAnyMethod(db, storeId, session.method_id));
  return session && method && { session, method };
}

/** Finds a method, deleted or not. */
export function findAnyMethod(db: Db, storeId: string, id: string): Promise<MethodRow | undefined> {
  return db
    .selectFrom('payment_method')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Updates a session. Once it is created or ended, drops the token at the end of its `return_url`. */
export async function updateSession(
  db: Db,
  storeId: string,
  paymentId: string,
  change: UpdateObject<Tables, 'payment_session'>,
): Promise<void> {
  const isReturnTokenUsed = change.reference != null || change.state === 'ended';
  await db
    .updateTable('payment_session')
    .set({
      ...change,
      ...(isReturnTokenUsed && { return_url: sql<string>`regexp_replace(return_url, '[^/]+$', '')` }),
      updated_at: changedAt(new Date()),
    })
    .where('store_id', '=', storeId)
    .where('payment_id', '=', paymentId)
    .execute();
}

/** Finds a session and locks it until the transaction ends. */
export async function lockSession(
  trx: Trx,
  storeId: string,
  paymentId: string,
): Promise<SessionRow | undefined> {
  return selectSessions(trx, storeId)
    .selectAll()
    .where('payment_id', '=', paymentId)
    .forUpdate()
    .executeTakeFirst();
}

/** Makes a look-up of a payment due now, unless one ran after `skipIfLookedUpSince`. */
export async function scheduleLookUp(
  db: Db,
  storeId: string,
  paymentId: string,
  now: Date,
  skipIfLookedUpSince: Date | null = null,
): Promise<void> {
  await db
    .updateTable('payment_session')
    .set({ next_lookup_at: now })
    .where('store_id', '=', storeId)
    .where('payment_id', '=', paymentId)
    .where((eb) =>
      skipIfLookedUpSince === null
        ? eb.lit(true)
        : eb.or([eb('looked_up_at', 'is', null), eb('looked_up_at', '<', skipIfLookedUpSince)]),
    )
    .execute();
}

export type DueSession = Pick<SessionRow, 'store_id' | 'payment_id'> & { next_lookup_at: Date };

/** Lists sessions whose look-up is due, oldest first, across all stores by design. */
export async function listDueSessions(db: Db, limit: number): Promise<DueSession[]> {
  const rows = await db
    .selectFrom('payment_session')
    .select(['store_id', 'payment_id', 'next_lookup_at'])
    .where('next_lookup_at', '<=', sql<Date>`now()`)
    .orderBy('next_lookup_at')
    .limit(limit)
    .execute();
  return rows as DueSession[];
}

/** Returns when the oldest undecided session began, across all stores by design; null: no session is undecided. */
export async function findOldestUndecided(db: Db): Promise<Date | null> {
  const row = await db
    .selectFrom('payment_session')
    .select('started_at')
    .where('next_lookup_at', 'is not', null)
    .orderBy('started_at')
    .limit(1)
    .executeTakeFirst();
  return row?.started_at ?? null;
}

/** Claims a due session for one look-up until `until`. Returns undefined if it is no longer due. */
export function claimDueSession(
  db: Db,
  { store_id: storeId, payment_id: paymentId, next_lookup_at: dueAt }: DueSession,
  until: Date,
): Promise<SessionRow | undefined> {
  return db
    .updateTable('payment_session')
    .set({ next_lookup_at: until })
    .where('store_id', '=', storeId)
    .where('payment_id', '=', paymentId)
    .where('next_lookup_at', '=', dueAt)
    .returningAll()
    .executeTakeFirst();
}

/** Sets when a session is looked up next, unless another look-up was requested in the meantime. */
export async function setNextLookUp(
  db: Db,
  storeId: string,
  paymentId: string,
  previousLookUpAt: Date,
  next: Date | null,
): Promise<void> {
  await db
    .updateTable('payment_session')
    .set({ next_lookup_at: next })
    .where('store_id', '=', storeId)
    .where('payment_id', '=', paymentId)
    .where('next_lookup_at', '=', previousLookUpAt)
    .execute();
}

/** Returns the next look-up for a change of a session, unless another one was requested since the one
 * at `previousLookUpAt`. */
export const nextLookUpUnlessRescheduled = (previousLookUpAt: Date, next: Date | null) =>
  sql<Date | null>`case when next_lookup_at = ${previousLookUpAt} then ${next}::timestamptz else next_lookup_at end`;
