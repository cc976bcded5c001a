import { changedAt } from '@waybill/kernel';
import type { PageDocument } from '@waybill/page';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Tables } from '../../tables.ts';
import type { SectionSnapshot } from '../rendering/queries.ts';
import type { RenderedPage } from '../rendering/render-page.ts';
import type { Dependency, PageSources } from '../rendering/sources.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

/**
 * Returns the ids of those sections whose saved state is not live yet; null when one was saved again, or deleted, since
 * it was read.
 */
export async function listUnpublished(
  trx: Trx,
  storeId: string,
  sections: readonly SectionSnapshot[],
): Promise<string[] | null> {
  if (sections.length === 0) return [];
  const rows = await trx
    .selectFrom('section')
    .select(['id', 'revision', 'live_revision'])
    .where('store_id', '=', storeId)
    .where(
      'id',
      'in',
      sections.map(({ id }) => id),
    )
    .orderBy('id')
    .execute();
  const current = new Map(rows.map(({ id, revision }) => [id, revision]));
  if (sections.some(({ id, revision }) => current.get(id) !== revision)) return null;
  return rows.filter(({ revision, live_revision }) => revision !== live_revision).map(({ id }) => id);
}

/** Makes the saved state of these sections live. */
export async function publishSections(
  trx: Trx,
  storeId: string,
  ids: readonly string[],
): Promise<{ id: string; name: string }[]> {
  if (ids.length === 0) return [];
  return trx
    .updateTable('section')
    .set((eb) => ({ live_document: eb.ref('document'), live_revision: eb.ref('revision') }))
    .where('store_id', '=', storeId)
    .where('id', 'in', ids)
    .returning(['id', 'name'])
    .execute();
}

/** Returns the ids of the apps whose blocks are on live pages of the store, available or not. */
export async function listAppsInUse(db: Db, storeId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('live_page_dependency')
    .select('ref')
    .distinct()
    .where('store_id', '=', storeId)
    .where('kind', '=', 'app')
    .execute();
  return rows.map(({ ref }) => ref);
}

/** A live page as it is stored. */
export interface LivePage {
  document: PageDocument;
  sources: PageSources;
  version: number;
  /** The name of a page; null for the homepage and for documents that are not pages. */
  name: string | null;
}

/** Finds a live page with the sources that it was rendered from. */
export async function findLivePage(db: Db, storeId: string, pageId: string): Promise<LivePage | undefined> {
  const { rows } = await sql<LivePage>`
    select l.document, l.sources, l.version, case when not p.is_homepage then p.name end as name
    from live_page l left join page p on p.store_id = l.store_id and p.id = l.page_id
    where l.store_id = ${storeId} and l.page_id = ${pageId}`.execute(db);
  return rows[0];
}

/** The sources of a page, and the result of rendering them. */
export interface LiveRendering {
  sources: PageSources;
  rendered: RenderedPage;
  renderer: string;
}

/** Writes a live page, replacing any previous one. An article's is stored under the article's id. */
export async function upsertLivePage(
  trx: Trx,
  storeId: string,
  pageId: string,
  document: string,
  { sources, rendered, renderer }: LiveRendering,
): Promise<void> {
  const values = { document, sources: JSON.stringify(sources), rendered: JSON.stringify(rendered), renderer };
  await trx
    .insertInto('live_page')
    .values({ store_id: storeId, page_id: pageId, ...values })
    .onConflict((conflict) =>
      conflict
        .columns(['store_id', 'page_id'])
        .doUpdateSet((eb) => ({ ...values, version: eb('live_page.version', '+', 1) })),
    )
    .execute();
}

/**
 * Replaces a live page by its new rendering. Returns false when the version that it was made from is no longer current.
 */
export async function replaceLivePage(
  trx: Trx,
  storeId: string,
  pageId: string,
  version: number,
  { sources, rendered, renderer }: LiveRendering,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('live_page')
    .set({
      sources: JSON.stringify(sources),
      rendered: JSON.stringify(rendered),
      renderer,
      version: version + 1,
    })
    .where('store_id', '=', storeId)
    .where('page_id', '=', pageId)
    .where('version', '=', version)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Deletes the live page of a page or an article, with its dependencies. */
export async function deleteLivePage(trx: Trx, storeId: string, pageId: string): Promise<void> {
  await trx.deleteFrom('live_page').where('store_id', '=', storeId).where('page_id', '=', pageId).execute();
}

/** Records when a page went live. Returns whether it was not live before. */
export async function markPublished(trx: Trx, storeId: string, pageId: string, now: Date): Promise<boolean> {
  const { rows } = await sql<{ isNew: boolean }>`
    update page p set published_at = ${now}, updated_at = ${changedAt(now)}
    from (select published_at from page where store_id = ${storeId} and id = ${pageId}) before
    where store_id = ${storeId} and id = ${pageId}
    returning before.published_at is null as "isNew"`.execute(trx);
  return rows[0]?.isNew === true;
}

/** Records that a page is no longer live. */
export async function markUnpublished(trx: Trx, storeId: string, pageId: string, now: Date): Promise<void> {
  await trx
    .updateTable('page')
    .set({ published_at: null, updated_at: changedAt(now) })
    .where('store_id', '=', storeId)
    .where('id', '=', pageId)
    .execute();
}

const column = <Key extends keyof Dependency>(dependencies: readonly Dependency[], key: Key) =>
  dependencies.map((dependency) => dependency[key]);

/** Records the dependencies of a live page, replacing the previous ones. */
export async function replaceDependencies(
  trx: Trx,
  storeId: string,
  pageId: string,
  dependencies: readonly Dependency[],
): Promise<void> {
  await sql`
    with wanted as (
      select * from unnest(
        ${column(dependencies, 'kind')}::text[], ${column(dependencies, 'ref')}::text[],
        ${column(dependencies, 'version')}::text[]
      ) as w (kind, ref, version)
    ), gone as (
      delete from live_page_dependency d
      where d.store_id = ${storeId} and d.page_id = ${pageId}
        and not exists (select from wanted w where w.kind = d.kind and w.ref = d.ref)
    )
    insert into live_page_dependency as d (store_id, page_id, kind, ref, version)
    select ${storeId}, ${pageId}, kind, ref, version from wanted
    on conflict (store_id, kind, ref, page_id) do update set version = excluded.version
      where d.version is distinct from excluded.version`.execute(trx);
}
