import type { CustomFieldValues } from '@waybill/contracts';
import { customFieldsJson, hasMedia, type RemovedMedia, withoutMedia } from '@waybill/custom-fields';
import {
  changedAt,
  defineSearch,
  type ListItem,
  type ListRead,
  maxLabelLength,
  type Order,
  type Placeholders,
  parsePage,
  prepare,
  prepareFindExisting,
  readItems,
  timestamp,
  withinStore,
} from '@waybill/kernel';
import { type Kysely, type Selectable, type SqlBool, sql, type Transaction } from 'kysely';
import type { Config } from '../../config.ts';
import { ensureRanks, rankAt, rankColumn } from '../../shared/ranks/queries.ts';
import type { Tables } from '../../tables.ts';
import type { ListQuery } from './routes.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

/** A page as it is written. */
export interface PageState {
  id: string;
  name: string;
  slug: string;
  position: number;
  isHomepage: boolean;
  /** As JSON. */
  settings: string;
  /** By the ids of their definitions. */
  customFields: CustomFieldValues;
}

/**
 * SQL for the public form of a row `p` of page, which PostgreSQL builds and which is sent unchanged; `urls` is
 * `siteUrls`. The store of a live page is always known, because publishing has asked for it.
 */
const pageJson = ({ urls }: Placeholders<{ urls: string[] }>) => `json_build_object(
  'id', p.id, 'name', p.name, 'slug', p.slug, 'position', p.position, 'isHomepage', p.is_homepage,
  'settings', p.settings,
  'customFields', (${customFieldsJson('p')})::json,
  'live', p.published_at is not null,
  'hasDraft', exists (select from page_draft d where d.store_id = p.store_id and d.page_id = p.id),
  'hasChanges', exists (
    select from page_draft d where d.store_id = p.store_id and d.page_id = p.id
      and (p.published_at is null or d.unchanged_revision is distinct from d.revision)
  ),
  'publishedAt', ${timestamp('p.published_at')},
  'url', case when p.published_at is not null then (
    select replace((${urls}::text[])[
        case when length(s.slug) > ${maxLabelLength} or s.slug = (${urls}::text[])[3] then 2 else 1 end
      ], '*', s.slug) || case when p.is_homepage then '' else p.slug end
    from store_fact s where s.store_id = p.store_id
  ) end,
  'createdAt', ${timestamp('p.created_at')}, 'updatedAt', ${timestamp('p.updated_at')}
)`;

/**
 * Returns, with a star in place of the slug: a store's address, the address of a store that cannot have an origin of
 * its own, and the pattern of such slugs (`Sites`). With `localhost` no store has its own origin here, because not
 * every client would resolve it (`decisions.md 17.7`).
 */
const siteUrls = ({ publicBaseUrl, sites }: Config): string[] => {
  const inPlace = `${publicBaseUrl}/s/*/`;
  const ownOrigin = sites.domain === 'localhost' ? null : sites.findOrigin('*');
  return [ownOrigin ? `${ownOrigin}/` : inPlace, inPlace, sites.reserved];
};

const findEnvelope = prepare<{ json: string }, { storeId: string; id: string; urls: string[] }>(
  'page-find',
  ($) =>
    withinStore(
      $.storeId,
      `select json_build_object('page', ${pageJson($)})::text as json
   from page p where p.store_id = ${$.storeId} and p.id = ${$.id}`,
    ),
);

/** Returns the `{ page }` envelope as JSON; null when the store has no such page. */
export async function findPageEnvelope(
  db: Db,
  storeId: string,
  id: string,
  config: Config,
): Promise<string | null> {
  const { rows } = await db.executeQuery(findEnvelope({ storeId, id, urls: siteUrls(config) }));
  return rows[0]?.json ?? null;
}

const order: Order = [
  { column: rankColumn, type: 'numeric', dir: 'asc' },
  { column: 'id', type: 'text', dir: 'asc' },
];

const listed: ListItem<{ storeId: string; urls: string[] }> = {
  name: 'page',
  table: 'page',
  alias: 'p',
  json: pageJson,
};

/**
 * Returns some of a store's pages by position, and their total number.
 * @throws invalid_cursor
 */
export async function listPages(
  db: Db,
  storeId: string,
  query: ListQuery,
  config: Config,
): Promise<ListRead> {
  const page = parsePage('pages', [storeId], query, order);
  return readItems(db, listed, page, {
    kind: 'all',
    values: { storeId, urls: siteUrls(config) },
    columns: 'id, rank, position',
    total: ($) => `coalesce((select pages from page_list where store_id = ${$.storeId}), 0)`,
  });
}

export type PageRow = Selectable<Tables['page']>;

/** Returns a page's row. A caller that changes it must hold the lock of the list. */
export function findPage(db: Db, storeId: string, id: string): Promise<PageRow | undefined> {
  return db
    .selectFrom('page')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Returns those of some slugs that the store's pages use. */
export const findExistingSlugs = prepareFindExisting('page', 'slug');

const ofStore = (storeId: string) => sql<SqlBool>`store_id = ${storeId}`;

/** Stores the ranks of pages. Must be called before a page is inserted or moved, or others are shifted. */
export const ensurePageRanks = (trx: Trx, storeId: string): Promise<void> =>
  ensureRanks(trx, 'page', ofStore(storeId));

const jsonb = (values: CustomFieldValues) => sql<CustomFieldValues>`${JSON.stringify(values)}::jsonb`;

/** Inserts a page at a free position, and counts it. */
export async function insertPage(
  trx: Trx,
  storeId: string,
  { id, name, slug, position, isHomepage, settings, customFields }: PageState,
  now: Date,
): Promise<void> {
  await trx
    .insertInto('page')
    .values({
      store_id: storeId,
      id,
      name,
      slug,
      position,
      rank: await rankAt(trx, 'page', ofStore(storeId), position),
      is_homepage: isHomepage,
      settings,
      custom_fields: jsonb(customFields),
      created_at: now,
      updated_at: now,
    })
    .execute();
  await countPages(trx, storeId, 1);
}

/** Writes everything of a page except its position. */
export async function updatePage(
  trx: Trx,
  storeId: string,
  { id, name, slug, isHomepage, settings, customFields }: Omit<PageState, 'position'>,
  now: Date,
): Promise<void> {
  await trx
    .updateTable('page')
    .set((eb) => ({
      name,
      slug,
      is_homepage: isHomepage,
      settings,
      custom_fields: jsonb(customFields),
      revision: eb('revision', '+', 1),
      updated_at: changedAt(now),
    }))
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .execute();
}

/** Removes assets from the custom fields of pages. The caller must hold the lock of the list. */
export async function dropPageMedia(
  trx: Trx,
  storeId: string,
  removed: RemovedMedia,
  now: Date,
): Promise<void> {
  await trx
    .updateTable('page')
    .set((eb) => ({
      custom_fields: withoutMedia(removed),
      revision: eb('revision', '+', 1),
      updated_at: changedAt(now),
    }))
    .where('store_id', '=', storeId)
    .where(hasMedia(removed))
    .execute();
}

/** Sets or clears a page's homepage mark, and returns its id. */
async function markHomepage(
  trx: Trx,
  storeId: string,
  which: 'current' | 'first',
  now: Date,
): Promise<string | null> {
  const isHomepage = which === 'first';
  const { rows } = await sql<Pick<PageRow, 'id'>>`
    update page set is_homepage = ${isHomepage}, revision = revision + 1, updated_at = ${changedAt(now)}
    where store_id = ${storeId} and ${isHomepage ? sql`position = 0` : sql`is_homepage`} returning id`.execute(
    trx,
  );
  return rows[0]?.id ?? null;
}

/** Clears the mark of the homepage and returns its id; null when there is none. */
export const demoteHomepage = (trx: Trx, storeId: string, now: Date) =>
  markHomepage(trx, storeId, 'current', now);

/** Makes the page with the lowest position the homepage and returns its id; null without pages. */
export const promoteFirst = (trx: Trx, storeId: string, now: Date) =>
  markHomepage(trx, storeId, 'first', now);

/** Shifts the pages from a position on by one: up to make room, down to close a gap. */
export async function shiftPages(trx: Trx, storeId: string, from: number, by: 1 | -1): Promise<void> {
  await trx
    .updateTable('page')
    .set((eb) => ({ position: eb('position', '+', by) }))
    .where('store_id', '=', storeId)
    .where('position', '>=', from)
    .execute();
}

/** Moves the page at one position to another; those in between shift. */
export async function movePage(trx: Trx, storeId: string, from: number, to: number): Promise<void> {
  await sql`
    update page set position = case when position = ${from} then ${to} else position + ${from < to ? -1 : 1} end
    where store_id = ${storeId} and position between ${Math.min(from, to)} and ${Math.max(from, to)}`.execute(
    trx,
  );
  await trx
    .updateTable('page')
    .set({ rank: await rankAt(trx, 'page', ofStore(storeId), to) })
    .where('store_id', '=', storeId)
    .where('position', '=', to)
    .execute();
}

/** Updates the time of a page when something outside its row has changed. */
export async function touchPage(trx: Trx, storeId: string, id: string, now: Date): Promise<void> {
  await trx
    .updateTable('page')
    .set({ updated_at: changedAt(now) })
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .execute();
}

/** Deletes a page with its draft, and adjusts the count; undefined when the store has no such page. */
export async function deletePageRow(
  trx: Trx,
  storeId: string,
  id: string,
): Promise<Pick<PageRow, 'name' | 'position' | 'is_homepage'> | undefined> {
  const row = await trx
    .deleteFrom('page')
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .returning(['name', 'position', 'is_homepage'])
    .executeTakeFirst();
  if (row) await countPages(trx, storeId, -1);
  return row;
}

async function countPages(trx: Trx, storeId: string, by: 1 | -1): Promise<void> {
  await trx
    .updateTable('page_list')
    .set((eb) => ({ pages: eb('pages', '+', by) }))
    .where('store_id', '=', storeId)
    .execute();
}

/** Makes pages available to the global search. The text expression must match the index. */
export const searchPages = defineSearch({
  type: 'page',
  table: 'page',
  text: "folded(t.name || E'\\n' || t.slug)",
  title: 't.name',
  subtitle: 't.slug',
});

/** Returns a store's stored number of pages. */
export async function readPageCount(db: Db, storeId: string): Promise<number> {
  const list = await db
    .selectFrom('page_list')
    .select('pages')
    .where('store_id', '=', storeId)
    .executeTakeFirst();
  return list?.pages ?? 0;
}
