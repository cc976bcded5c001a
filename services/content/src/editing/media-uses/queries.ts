import type { MediaUse, MediaUsesQuery } from '@waybill/contracts';
import { holdsMedia } from '@waybill/custom-fields';
import { compileUnprepared } from '@waybill/kernel';
import type { Kysely } from 'kysely';
import { templateOwners } from '../../publication/templates/queries.ts';
import type { Tables } from '../../tables.ts';

/**
 * SQL that checks whether a text holds the id of the asset `m`, in the form of the indexes of
 * `0033_media_uses.online.sql`.
 */
const holds = (text: string) => `(${text} like '%mda_%' and media_ids_in(${text}) @> array[m.id])`;

/**
 * SQL for users of a kind; `live` tells whether visitors see them. Each branch stops at the limit, so its cost is
 * bounded.
 */
const users = (type: string, name: string, from: string, live: string, where: string) =>
  `(select '${type}' as type, t.id, t.${name} as name, ${live} as live from ${from}
    where t.store_id = $1 and ${where} and (not $3 or ${live}) limit $4)`;

/** Joins rows `d` of a table with their page or article `t`. */
const of = (table: string, key: string, kind: string) =>
  `${table} d join ${kind} t on t.store_id = d.store_id and t.id = d.${key}`;
const document = holds('d.document::text');
/** Matches what live pages show, also through products, sections and blocks. */
const isShown = `d.kind = 'media' and d.ref = m.id`;
const isHeld = `exists (
  select from live_page_dependency d where d.store_id = $1 and d.kind = 'section' and d.ref = t.id
)`;
const isLive = 't.published_at is not null';
const isPublished = `t.status = 'published'`;
const inFields = holdsMedia('t', 'm.id');

/** The theme, which is shown on many pages at once. */
const themes = `(select store_id, 'theme' as id, 'theme' as name, draft, live from theme)`;
/** The favicon, which represents the store wherever its pages are. */
const icons = `(select store_id, 'favicon' as id, 'favicon' as name, favicon_media_id from store_fact)`;
const ofTemplate = (table: string) =>
  `${table} d join ${templateOwners} t on t.store_id = d.store_id and t.id = d.page_id`;

const uses = compileUnprepared<MediaUse>(
  `select m.id as "assetId", used.type, used.id, used.name, bool_or(used.live) as live
   from unnest($2::text[]) as m (id) cross join lateral (
     ${[
       users('page', 'name', of('live_page_dependency', 'page_id', 'page'), 'true', isShown),
       users('page', 'name', of('live_page', 'page_id', 'page'), 'true', document),
       users('page', 'name', of('page_draft', 'page_id', 'page'), 'false', document),
       users('page', 'name', 'page t', isLive, holds('t.settings::text')),
       users('page', 'name', 'page t', isLive, inFields),
       users('template', 'name', ofTemplate('live_page_dependency'), 'true', isShown),
       users('template', 'name', ofTemplate('live_page'), 'true', document),
       users('template', 'name', `${templateOwners} t`, 'false', holds('t.draft::text')),
       users('theme', 'name', `${themes} t`, 'true', holds('t.live::text')),
       users('theme', 'name', `${themes} t`, 'false', holds('t.draft::text')),
       users('theme', 'name', `${icons} t`, 'true', 't.favicon_media_id = m.id'),
       users('section', 'name', 'section t', isHeld, holds('coalesce(t.live_document, t.document)::text')),
       users('section', 'name', 'section t', 'false', holds('t.document::text')),
       users('article', 'title', of('live_page_dependency', 'page_id', 'article'), isPublished, isShown),
       users('article', 'title', of('live_page', 'page_id', 'article'), isPublished, document),
       users('article', 'title', of('article_document', 'article_id', 'article'), 'false', document),
       users('article', 'title', 'article t', isPublished, 't.cover_media_id = m.id'),
       users('article', 'title', 'article t', isPublished, holds('t.content')),
       users('article', 'title', 'article t', isPublished, inFields),
     ].join(' union all ')}
   ) used
   group by m.id, used.type, used.id, used.name`,
);

/**
 * Returns the pages, articles, sections, templates and the theme that use these assets, drafts included, at most
 * `limit` for each way of use.
 */
export async function listMediaUses(
  db: Kysely<Tables>,
  { storeId, assetIds, liveOnly, limit }: MediaUsesQuery,
): Promise<MediaUse[]> {
  return (await db.executeQuery(uses([storeId, assetIds, liveOnly, limit]))).rows;
}
