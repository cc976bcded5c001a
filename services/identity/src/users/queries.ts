import type { Kysely, Selectable } from 'kysely';
import type { Tables } from '../tables.ts';

// Users and their sessions belong to no store.
type Db = Kysely<Tables>;

export type UserRow = Selectable<Tables['user_account']>;

export function insertUser(
  db: Db,
  user: Pick<UserRow, 'id' | 'email' | 'name' | 'password_hash'>,
): Promise<UserRow> {
  return db.insertInto('user_account').values(user).returningAll().executeTakeFirstOrThrow();
}

export function findUser(db: Db, id: string): Promise<UserRow | undefined> {
  return db.selectFrom('user_account').selectAll().where('id', '=', id).executeTakeFirst();
}

/** `email` in lower case. */
export function findUserByEmail(db: Db, email: string): Promise<UserRow | undefined> {
  return db.selectFrom('user_account').selectAll().where('email', '=', email).executeTakeFirst();
}

export async function insertSession(db: Db, session: { id: string; user_id: string; expires_at: Date }) {
  await db.insertInto('session').values(session).execute();
}

export async function insertRefreshToken(
  db: Db,
  token: { hash: string; session_id: string; generation: number; expires_at: Date },
): Promise<void> {
  await db.insertInto('refresh_token').values(token).execute();
}

export function findRefreshToken(db: Db, hash: string) {
  return db.selectFrom('refresh_token').selectAll().where('hash', '=', hash).executeTakeFirst();
}

/** Locks the session: refreshes of one session go one after the other. */
export function findSessionForUpdate(db: Db, id: string) {
  return db.selectFrom('session').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

export async function updateSession(
  db: Db,
  id: string,
  change: { used_generation: number; expires_at: Date },
): Promise<void> {
  await db.updateTable('session').set(change).where('id', '=', id).execute();
}

export async function updateTokenAsUsed(db: Db, hash: string): Promise<void> {
  await db.updateTable('refresh_token').set({ used: true }).where('hash', '=', hash).execute();
}

/** Its tokens go with it. */
export async function deleteSession(db: Db, id: string): Promise<void> {
  await db.deleteFrom('session').where('id', '=', id).execute();
}

/** How many of the sessions and tokens that ran out were deleted: at most `limit` of each. */
export async function deleteExpired(db: Db, limit: number): Promise<number> {
  const now = new Date();
  const sessions = await db
    .deleteFrom('session')
    .where('id', 'in', (some) =>
      some.selectFrom('session').select('id').where('expires_at', '<', now).limit(limit),
    )
    .executeTakeFirst();
  const tokens = await db
    .deleteFrom('refresh_token')
    .where('hash', 'in', (some) =>
      some.selectFrom('refresh_token').select('hash').where('expires_at', '<', now).limit(limit),
    )
    .executeTakeFirst();
  return Number(sessions.numDeletedRows + tokens.numDeletedRows);
}
