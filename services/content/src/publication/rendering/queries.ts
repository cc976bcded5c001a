import { typedFieldsJson } from '@waybill/custom-fields';
import { compileUnprepared, withinStore } from '@waybill/kernel';
import type { ArticleListQuery, FieldsFacts, PageDocument } from '@waybill/page';
import { CompiledQuery, type Kysely, type Selectable, sql } from 'kysely';
import type { Tables } from '../../tables.ts';

type Db = Kysely<Tables>;

/** A section as it was read. */
export interface SectionSnapshot extends Pick<Selectable<Tables['section']>, 'id' | 'revision'> {
  document: PageDocument;
}

/**
 * Returns those of these sections that the store has, as last saved or as live pages show them. Stops when their JSON
 * would exceed `room` bytes.
 */
export async function listSectionSnapshots(
  db: Db,
  storeId: string,
  ids: readonly string[],
  state: 'saved' | 'live',
  maxBytes: number,
): Promise<(SectionSnapshot & { bytes: number })[]> {
  // A section that was never published is shown as saved.
  const columns =
    state === 'saved'
      ? sql`document, revision`
      : sql`coalesce(live_document, document) as document, coalesce(live_revision, revision) as revision`;
  const { rows } = await sql<SectionSnapshot & { bytes: number }>`
    select id, document, revision, bytes from (
      select wanted.id, ordinal, section.*, sum(bytes) over (order by ordinal) as so_far
      from unnest(${ids}::text[]) with ordinality as wanted (id, ordinal)
      join lateral (
        select document, revision, octet_length(document::text) as bytes
        from (select ${columns} from section where store_id = ${storeId} and id = wanted.id) stored
      ) section on true
    ) held where so_far <= ${maxBytes} order by ordinal`.execute(db);
  return rows;
}

/** Returns the slugs of the live ones among these pages, by id; empty for the homepage. */
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

/** The parts of an article that visitors see in a list. */
export interface ListedArticle
  extends Pick<Tables['article'], 'id' | 'title' | 'slug' | 'excerpt' | 'cover_media_id'> {
  published_at: NonNullable<Tables['article']['published_at']>;
  /** HTML; null when it was not requested, or when a list had no room for it. */
  body?: string | null;
  /** Public values of its custom fields. */
  fields?: FieldsFacts;
}

/** SQL for the parts of an article `a` that pages show. */
export const listedArticleColumns = `a.id, a.title, a.slug, a.excerpt, a.cover_media_id, a.published_at,
  (${typedFieldsJson('a')})::json as fields`;

/** Maximum number of characters of HTML that the articles of one list contain. */
const maxBodiesLength = 1_000_000;
const body = `case when sum(length(a.content)) over (order by page.row) <= ${maxBodiesLength} then a.content end`;

/** The order of each index of `article_listing`; ids sort by time. */
const orders: Readonly<Record<ArticleListQuery['sort'], (dir: string) => string>> = {
  published: (dir) => `published_at ${dir}, article_id ${dir}`,
  title: (dir) => `title_key ${dir}, article_id ${dir}`,
  created: (dir) => `article_id ${dir}`,
};

/**
 * SQL, evaluated once per statement: whether a list of articles is the store's ('') or that of an existing category.
 * The listings of a deleted category may not be deleted yet.
 */
export const scopeExists = (storeId: string, scope: string): string =>
  `(${scope} = '' or exists (select from blog_category where store_id = ${storeId} and id = ${scope}))`;

/**
 * Returns a page of the published articles in a list, and their total number. Limit and offset are part of the text,
 * because a planner that does not know them reads far too much.
 */
export async function listShownArticles(
  db: Db,
  storeId: string,
  { categoryId, sort, dir, limit }: ArticleListQuery,
  offset: number,
  { withBodies = false }: { withBodies?: boolean } = {},
): Promise<{ articles: ListedArticle[]; total: number }> {
  const order = orders[sort](dir === 'asc' ? 'asc' : 'desc');
  const text = withinStore(
    '$1',
    `
    select ${listedArticleColumns}, coalesce((
      select published from article_total where store_id = $1 and scope = $2
    ), 0)::int as total${withBodies ? `, ${body} as body` : ''}
    from (
      select article_id, row_number() over (order by ${order}) as row from (
        select * from article_listing where store_id = $1 and scope = $2 and status = 'published'
          and ${scopeExists('$1', '$2')}
        order by ${order} limit ${Number(limit)} offset ${Number(offset)}
      ) page
    ) page
    join article a on a.store_id = $1 and a.id = page.article_id order by page.row`,
  );
  const { rows } = await db.executeQuery(
    CompiledQuery.raw(text, [storeId, categoryId ?? '']) as CompiledQuery<ListedArticle & { total: number }>,
  );
  return { articles: rows, total: rows[0]?.total ?? 0 };
}

const shownArticles = compileUnprepared<ListedArticle>(
  withinStore(
    '$1',
    `select ${listedArticleColumns} from article a
     where a.store_id = $1 and a.id = any($2::text[]) and a.status = 'published'`,
  ),
);

/** Returns the published ones among these articles. */
export async function findShownArticles(
  db: Db,
  storeId: string,
  ids: readonly string[],
): Promise<ListedArticle[]> {
  if (ids.length === 0) return [];
  return (await db.executeQuery(shownArticles([storeId, ids]))).rows;
}

const articleFields = compileUnprepared<{ fields: FieldsFacts }>(
  withinStore(
    '$1',
    `select (${typedFieldsJson('a')})::json as fields from article a where a.store_id = $1 and a.id = $2`,
  ),
);

/** Returns the public values of an article's custom fields, whatever its state. */
export async function findArticleFields(db: Db, storeId: string, id: string): Promise<FieldsFacts> {
  return (await db.executeQuery(articleFields([storeId, id]))).rows[0]?.fields ?? {};
}
