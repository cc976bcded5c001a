import { newId } from '@waybill/contracts';
import { byTime, deleteBatch, type PageQuery, parsePage, readPage } from '@waybill/kernel';
import { type Kysely, type Selectable, sql } from 'kysely';
import type { Tables } from '../tables.ts';

// Sign-ins belong to people, not to stores.
type Db = Kysely<Tables>;

export type SignInRow = Selectable<Tables['sign_in']>;

/** The origin of a session, as the user sees it. */
export interface Device {
  ip: string;
  /** The name that the program gives itself; null if it gives none. */
  user_agent: string | null;
}

const retentionDays = 90;
/** Maximum number of sign-ins per user. Failures are limited to 10 in 15 minutes, so a flood over 90 days has more. */
const maxSignIns = 10_000;

/** Records a sign-in. A null user costs the same work, for an address that is not registered. `decisions.md 19.12`. */
export async function insertSignIn(
  db: Db,
  userId: string | null,
  outcome: SignInRow['outcome'],
  device: Device,
): Promise<void> {
  await db
    .insertInto('sign_in')
    .values({ id: newId('signIn'), user_id: userId, outcome, ...device })
    .execute();
}

/**
 * Returns a page of a person's sign-ins of the last 90 days, newest first.
 * @throws invalid_cursor
 */
export function listSignIns(db: Db, userId: string, query: PageQuery) {
  const ofUser = db
    .selectFrom('sign_in')
    .selectAll()
    .where('user_id', '=', userId)
    .where('created_at', '>', sql<Date>`now() - ${sql.lit(`${retentionDays} days`)}::interval`);
  return readPage(ofUser, parsePage('sign-ins', [userId], query, byTime('desc')));
}

/** Deletes a person's oldest sign-ins beyond the limit. */
export async function deleteExcessSignIns(db: Db, userId: string): Promise<void> {
  await sql`
    delete from sign_in where user_id = ${userId} and (created_at, id) <= (
      select created_at, id from sign_in where user_id = ${userId}
      order by created_at desc, id desc offset ${maxSignIns} limit 1
    )`.execute(db);
}

/**
 * Deletes up to `limit` sign-ins of each group: those that are too old, and those without a user. Returns whether there
 * may be more.
 */
export async function deleteOldSignIns(db: Db, limit: number): Promise<boolean> {
  const isExpired = sql`created_at < now() - ${sql.lit(`${retentionDays} days`)}::interval`;
  const areMore = [
    await deleteBatch(db, 'sign_in', isExpired, limit),
    await deleteBatch(db, 'sign_in', sql`user_id is null`, limit),
  ];
  return areMore.includes(true);
}
