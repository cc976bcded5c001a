import type { Insertable, Kysely, Selectable } from 'kysely';
import type { Tables } from '../tables.ts';

// Links are people's, of no store.
type Db = Kysely<Tables>;

export type OneTimeTokenRow = Selectable<Tables['one_time_token']>;

export async function insertToken(db: Db, token: Insertable<Tables['one_time_token']>): Promise<void> {
  await db.insertInto('one_time_token').values(token).execute();
}

/** What the token is good for; undefined when it is unknown, of another purpose, or too old. */
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

/** Deletes all that there are of a purpose and a subject; gives those that were good until then. */
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

/** How many that ran out were deleted, at most `limit`. */
export async function deleteExpiredTokens(db: Db, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('one_time_token')
    .where('hash', 'in', (some) =>
      some.selectFrom('one_time_token').select('hash').where('expires_at', '<', new Date()).limit(limit),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
