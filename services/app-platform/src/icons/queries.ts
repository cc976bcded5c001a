import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;

/** Records an icon that is about to be uploaded. It is swept after an hour, which no upload takes. */
export async function insertIcon(db: Db, id: string): Promise<void> {
  await db.insertInto('app_icon').values({ id, sweep_at: sql<Date>`now() + interval '1 hour'` }).execute();
}

/** Lets the next sweep delete an icon that no app will use any more. */
export async function releaseIcon(db: Db, id: string): Promise<void> {
  await db.updateTable('app_icon').set({ sweep_at: sql<Date>`now()` }).where('id', '=', id).execute();
}

/** Returns the icon of this public name that some app uses. */
export async function findIconId(db: Db, file: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('app')
    .select('icon_id')
    .where('icon_file', '=', file)
    .limit(1)
    .executeTakeFirst();
  return row?.icon_id ?? undefined;
}

/** Returns expired icons that no app uses; none of them can be used again. */
export async function listUnusedIcons(db: Db, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('app_icon')
    .select('id')
    .where('sweep_at', '<=', sql<Date>`now()`)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('app').select('app.id').whereRef('app.icon_id', '=', 'app_icon.id'))),
    )
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

export async function deleteIcons(db: Db, ids: readonly string[]): Promise<void> {
  await db.deleteFrom('app_icon').where('id', 'in', ids).execute();
}
