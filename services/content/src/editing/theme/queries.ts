import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import type { Tables } from '../../tables.ts';
import type { Theme } from './routes.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

export interface ThemeRow extends Pick<Selectable<Tables['theme']>, 'hash' | 'published_at'> {
  draft: Theme | null;
  live: Theme | null;
}

/** Returns the store's theme; undefined when none was ever saved. */
export async function findTheme(db: Db, storeId: string): Promise<ThemeRow | undefined> {
  const { rows } = await sql<ThemeRow>`
    select draft, live, hash, published_at from theme where store_id = ${storeId}`.execute(db);
  return rows[0];
}

/** Returns the store's theme and keeps others from saving one until the transaction ends. */
export async function lockTheme(trx: Trx, storeId: string): Promise<ThemeRow | undefined> {
  const { rows } = await sql<ThemeRow>`
    select draft, live, hash, published_at from theme where store_id = ${storeId} for no key update`.execute(
    trx,
  );
  return rows[0];
}

/** Writes the draft of the theme, replacing any previous one. */
export async function upsertThemeDraft(trx: Trx, storeId: string, theme: Theme): Promise<void> {
  await sql`
    insert into theme (store_id, draft) values (${storeId}, ${JSON.stringify(theme)})
    on conflict (store_id) do update set draft = excluded.draft`.execute(trx);
}

/** Makes the draft live. The previous style sheet stays for pages that are still open in browsers. */
export async function consumeThemeDraft(
  trx: Trx,
  storeId: string,
  { sheet, hash }: { sheet: string; hash: string },
  now: Date,
): Promise<void> {
  await sql`
    update theme set live = draft, draft = null, published_at = ${now},
      former_sheet = case when hash = ${hash} then former_sheet else sheet end,
      former_hash = case when hash = ${hash} then former_hash else hash end,
      sheet = ${sheet}, hash = ${hash}
    where store_id = ${storeId}`.execute(trx);
}
