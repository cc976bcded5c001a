import type { PageDocument } from '@waybill/page';
import { type Kysely, type Selectable, sql } from 'kysely';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;

/** A section as somebody read it. */
export interface SectionSnapshot extends Pick<Selectable<Tables['section']>, 'id' | 'revision'> {
  document: PageDocument;
}

/** The sections among these that the store has: as they were saved last, or as live pages show them. */
export async function listSectionSnapshots(
  db: Db,
  storeId: string,
  ids: readonly string[],
  state: 'saved' | 'live',
): Promise<SectionSnapshot[]> {
  // One that no publish has taken yet shows as it is saved.
  const columns =
    state === 'saved'
      ? sql`document, revision`
      : sql`coalesce(live_document, document) as document, coalesce(live_revision, revision) as revision`;
  const { rows } = await sql<SectionSnapshot>`
    select id, ${columns} from section where store_id = ${storeId} and id = any(${ids}::text[])`.execute(db);
  return rows;
}

/** The slug of each of these pages that is live, by id; the homepage's is empty. */
export async function listLiveSlugs(
  db: Db,
  storeId: string,
  ids: readonly string[],
): Promise<Record<string, string>> {
  if (ids.length === 0) return {};
  const rows = await db
    .selectFrom('page')
    .select(['id', 'slug', 'is_homepage'])
    .where('store_id', '=', storeId)
    .where('id', 'in', ids)
    .where('published_at', 'is not', null)
    .execute();
  return Object.fromEntries(rows.map(({ id, slug, is_homepage }) => [id, is_homepage ? '' : slug]));
}
