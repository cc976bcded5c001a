import { deleteBatch } from '@waybill/kernel';
import { type Insertable, type Kysely, type Selectable, sql } from 'kysely';
import type { Tables } from '../tables.ts';

// Links belong to people, not to stores.
type Db = Kysely<Tables>;

export type OneTimeTokenRow = Selectable<Tables['one_time_token']>;

export async function insertToken(db: Db, token: Insertable<Tables['one_time_token']>): Promise<void> {
  await db.insertInto('one_time_token').values(token).execute();
}

/** Finds a token's grant. Returns undefined if the token is unknown, expired or of another purpose. */
export function findToken(
  db: Db,
  purpose: OneTimeTokenRow['purpose'],
  hash: string,
): Promise<OneTimeTokenRow | undefined> {
  return db
    .selectFrom('one_time_token')
    .selectAll()
    .where('hash', '=', hash)
    .where('purpose', '=', purpose)
    .where('expires_at', '>', new Date())
    .executeTakeFirst();
}

/** Deletes all tokens of a purpose and a subject. Returns those that were still valid. */
export async function deleteTokens(
  db: Db,
  purpose: OneTimeTokenRow['purpose'],
  subject: string,
): Promise<ReadonlySet<string>> {
  const rows = await db
    .deleteFrom('one_time_token')
    .where('purpose', '=', purpose)
    .where('subject', '=', subject)
    .returning(['hash', 'expires_at'])
    .execute();
  const now = new Date();
  return new Set(rows.filter(({ expires_at }) => expires_at > now).map(({ hash }) => hash));
}

/** Deletes up to `limit` expired tokens. Returns whether there may be more. */
export const deleteExpiredTokens = (db: Db, limit: number): Promise<boolean> =>
  deleteBatch(db, 'one_time_token', sql`expires_at < now()`, limit);
