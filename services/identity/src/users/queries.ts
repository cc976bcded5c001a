import { withAsciiDomain, withUnicodeDomain } from '@waybill/contracts';
import { changedAt, deleteBatch } from '@waybill/kernel';
import { type Kysely, type Selectable, sql } from 'kysely';
import type { Tables } from '../tables.ts';

// Users and their sessions belong to no store.
type Db = Kysely<Tables>;

export type UserRow = Selectable<Tables['user_account']>;

export function insertUser(
  db: Db,
  user: Pick<UserRow, 'id' | 'email' | 'name' | 'password_hash'> &
    Partial<Pick<UserRow, 'email_verified_at' | 'is_reviewer' | 'locale'>>,
): Promise<UserRow> {
  return db.insertInto('user_account').values(user).returningAll().executeTakeFirstOrThrow();
}

export function findUser(db: Db, id: string): Promise<UserRow | undefined> {
  return db.selectFrom('user_account').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Finds a user and locks it, so that its changes and sign-ins run one after the other. */
export function findUserForUpdate(db: Db, id: string): Promise<UserRow | undefined> {
  return db.selectFrom('user_account').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst();
}

/** Locks a user even against new references, so that no membership is created in the meantime. */
export async function lockUserForDelete(db: Db, id: string): Promise<void> {
  await db.selectFrom('user_account').select('id').where('id', '=', id).forUpdate().execute();
}

/** Deletes a user together with its sessions, memberships, mails and recovery codes. */
export async function deleteUser(db: Db, id: string): Promise<void> {
  await db.deleteFrom('user_account').where('id', '=', id).execute();
}

/** Finds a user by address; `email` in lower case. */
export async function findUserByEmail(db: Db, email: string): Promise<UserRow | undefined> {
  const ascii = withAsciiDomain(email);
  // Older accounts store the domain as it was typed.
  const spellings = [...new Set([email, ascii, withUnicodeDomain(ascii)])];
  const found = await db.selectFrom('user_account').selectAll().where('email', 'in', spellings).execute();
  return found.find((user) => user.email === email) ?? found[0];
}

/** Returns the names of the given users who exist. */
export async function listUserNames(db: Db, ids: readonly string[]): Promise<{ id: string; name: string }[]> {
  if (ids.length === 0) return [];
  return db.selectFrom('user_account').select(['id', 'name']).where('id', 'in', ids).execute();
}

export type SessionRow = Selectable<Tables['session']>;

export async function insertSession(
  db: Db,
  session: Pick<SessionRow, 'id' | 'user_id' | 'expires_at' | 'parent_id' | 'ip' | 'user_agent'>,
): Promise<void> {
  await db.insertInto('session').values(session).execute();
}

/** Lists the sessions that have not ended, the most recently used one first. */
export function listSessions(db: Db, userId: string): Promise<SessionRow[]> {
  return db
    .selectFrom('session')
    .selectAll()
    .where('user_id', '=', userId)
    .where('expires_at', '>', new Date())
    .orderBy('last_used_at', 'desc')
    .orderBy('id')
    .execute();
}

/** Deletes a user's sessions except the `limit` most recently used ones. Returns how many it deleted. */
export async function deleteOldSessions(db: Db, userId: string, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('session')
    .where('id', 'in', (old) =>
      old
        .selectFrom('session')
        .select('id')
        .where('user_id', '=', userId)
        .orderBy('last_used_at', 'desc')
        .orderBy('created_at', 'desc')
        .offset(limit),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

export async function insertRefreshToken(
  db: Db,
  token: { hash: string; session_id: string; generation: number; expires_at: Date },
): Promise<void> {
  await db.insertInto('refresh_token').values(token).execute();
}

/** Deletes a session's tokens except the `limit` newest ones. */
export async function deleteOldTokens(db: Db, sessionId: string, limit: number): Promise<void> {
  await db
    .deleteFrom('refresh_token')
    .where('hash', 'in', (old) =>
      old
        .selectFrom('refresh_token')
        .select('hash')
        .where('session_id', '=', sessionId)
        .orderBy('generation', 'desc')
        .orderBy('expires_at', 'desc')
        .offset(limit),
    )
    .execute();
}

export type RefreshTokenRow = Selectable<Tables['refresh_token']>;

export function findRefreshToken(db: Db, hash: string): Promise<RefreshTokenRow | undefined> {
  return db.selectFrom('refresh_token').selectAll().where('hash', '=', hash).executeTakeFirst();
}

/** Finds a session and locks it, so that its refreshes run one after the other. */
export function findSessionForUpdate(db: Db, id: string) {
  return db.selectFrom('session').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

/** Records that a session was used now. */
export async function updateSession(
  db: Db,
  id: string,
  change: Pick<SessionRow, 'used_generation' | 'expires_at' | 'ip' | 'user_agent'>,
): Promise<void> {
  await db
    .updateTable('session')
    .set({ ...change, last_used_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute();
}

/** Records the first use of a token. */
export async function updateTokenAsUsed(db: Db, hash: string): Promise<void> {
  await db
    .updateTable('refresh_token')
    .set({ used: true, used_at: new Date() })
    .where('hash', '=', hash)
    .execute();
}

/** Deletes a session and its tokens. Returns the id of its user. */
export async function deleteSession(db: Db, id: string): Promise<string | undefined> {
  const row = await db.deleteFrom('session').where('id', '=', id).returning('user_id').executeTakeFirst();
  return row?.user_id;
}

/** Deletes a session of a user. Returns whether the user had it. */
export async function deleteSessionOfUser(db: Db, userId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('session')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return numDeletedRows === 1n;
}

/** Deletes all sessions of a user, except the one with the id `exceptId`. */
export async function deleteSessionsOfUser(db: Db, userId: string, exceptId = ''): Promise<void> {
  await db.deleteFrom('session').where('user_id', '=', userId).where('id', '<>', exceptId).execute();
}

/** Finds the user of a session that belongs to them and has not ended. */
export function findUserOfSession(db: Db, sessionId: string, userId: string): Promise<UserRow | undefined> {
  return db
    .selectFrom('session')
    .innerJoin('user_account', 'user_account.id', 'session.user_id')
    .selectAll('user_account')
    .where('session.id', '=', sessionId)
    .where('session.user_id', '=', userId)
    .executeTakeFirst();
}

/**
 * Finds the user of a session that has not ended. Locks the session, so that it cannot end before a session that is
 * made from it exists.
 */
export function findUserBySession(db: Db, sessionId: string): Promise<UserRow | undefined> {
  return db
    .selectFrom('session')
    .innerJoin('user_account', 'user_account.id', 'session.user_id')
    .selectAll('user_account')
    .where('session.id', '=', sessionId)
    .where('session.expires_at', '>', new Date())
    .forKeyShare('session')
    .executeTakeFirst();
}

/**
 * Returns when a session ends, which is no later than the sessions that it was made from. Returns undefined if it has
 * ended.
 */
export async function findSessionEnd(db: Db, sessionId: string): Promise<Date | undefined> {
  const { rows } = await sql<{ ends_at: Date | null }>`
    with recursive chain as (
      select id, parent_id, expires_at from session where id = ${sessionId}
      union
      select parent.id, parent.parent_id, parent.expires_at
      from session parent join chain on parent.id = chain.parent_id
    )
    select min(expires_at) as ends_at from chain`.execute(db);
  return rows[0]?.ends_at ?? undefined;
}

/** Makes a session independent of the one that it was made from. */
export async function clearSessionParent(db: Db, id: string): Promise<void> {
  await db.updateTable('session').set({ parent_id: null }).where('id', '=', id).execute();
}

/** Updates the given columns. */
export function updateUser(
  db: Db,
  id: string,
  change: Partial<Pick<UserRow, 'password_hash' | 'email_verified_at' | 'is_reviewer' | 'name' | 'locale'>>,
): Promise<UserRow | undefined> {
  return db
    .updateTable('user_account')
    .set({ ...change, updated_at: changedAt(new Date()) })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** Deletes up to `limit` expired sessions and as many expired refresh tokens. Returns whether there may be more. */
export async function deleteExpired(db: Db, limit: number): Promise<boolean> {
  const isExpired = sql`expires_at < now()`;
  const areMore = [
    await deleteBatch(db, 'session', isExpired, limit),
    await deleteBatch(db, 'refresh_token', isExpired, limit),
  ];
  return areMore.includes(true);
}
