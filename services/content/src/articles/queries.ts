import { mediaPath } from '@waybill/contracts';
import {
  bare,
  type Columns,
  changedAt,
  defineParts,
  defineSearch,
  encoded,
  encodedOrNull,
  jsonArray,
  jsonObject,
  type ListItem,
  type ListRead,
  type ListStatement,
  mergedRows,
  type OfStore,
  type Order,
  orderBy,
  type Places,
  type Position,
  pageOf,
  prepare,
  quoted,
  rangesAfter,
  readItems,
  readMatches,
  type SortKey,
  timestamp,
  wordsOf,
} from '@waybill/kernel';
import type { PageDocument } from '@waybill/page';
import { type Kysely, sql, type Transaction } from 'kysely';
import { lockBlog } from '../categories/queries.ts';
import type { SavedDocument } from '../documents/envelope.ts';
import { scopeExists } from '../rendering/queries.ts';
import type { Article as ArticleRow, Tables } from '../tables.ts';
import type { ListQuery } from './routes.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

export interface ArticleState {
  id: string;
  title: string;
  slug: string;
  excerpt: string;
  /** Beside a document: what visitors see until that is published. */
  content: string;
  bodyType: ArticleRow['body_type'];
  status: ArticleRow['status'];
  categoryIds: string[];
  coverMediaId: string | null;
  tags: string[];
  /** When it was published first. */
  publishedAt: Date | null;
}

/** The public shape of a row `a` of article, made by PostgreSQL and sent as it comes; `mediaUrl` begins a media URL. */
const articleJson = ({ mediaUrl }: Places<{ mediaUrl: string }>) =>
  jsonObject({
    ...{
      id: quoted('a.id'),
      title: encoded('a.title'),
      slug: quoted('a.slug'),
      excerpt: encoded('a.excerpt'),
    },
    content: encoded("case when a.body_type = 'html' then a.content else '' end"),
    ...{ bodyType: quoted('a.body_type'), status: quoted('a.status') },
    categoryIds: bare(
      jsonArray(
        'to_json(l.scope)::text',
        `(select scope from article_listing l
          join blog_category c on c.store_id = l.store_id and c.id = l.scope
          where l.store_id = a.store_id and l.article_id = a.id order by l.place) l`,
      ),
    ),
    coverMediaId: encodedOrNull('a.cover_media_id'),
    coverMedia: bare(
      `case when a.cover_media_id is null then 'null' else ${jsonObject({
        id: quoted('a.cover_media_id'),
        url: encoded(`${mediaUrl}::text || a.cover_media_id`),
      })} end`,
    ),
    tags: encoded('a.tags'),
    publishedAt: encodedOrNull(`case when a.status = 'published' then ${timestamp('a.published_at')} end`),
    ...{ createdAt: quoted(timestamp('a.created_at')), updatedAt: quoted(timestamp('a.updated_at')) },
  });

/** What `articleJson` is made with, for articles of this store. */
const valuesOf = (storeId: string, baseUrl: string) => ({
  storeId,
  mediaUrl: baseUrl + mediaPath(storeId, ''),
});
type Values = ReturnType<typeof valuesOf>;

const findEnvelope = prepare<{ json: string }, Values & { id: string }>(
  'article-find',
  ($) => `select ${jsonObject({ article: bare(articleJson($)) })} as json
   from article a where a.store_id = ${$.storeId} and a.id = ${$.id}`,
);

/** The `{ article }` envelope as JSON, null when the store has no such article. */
export async function findArticleEnvelope(
  db: Db,
  storeId: string,
  id: string,
  baseUrl: string,
): Promise<string | null> {
  const { rows } = await db.executeQuery(findEnvelope({ ...valuesOf(storeId, baseUrl), id }));
  return rows[0]?.json ?? null;
}

const statuses = ['draft', 'published'] as const;
type Status = (typeof statuses)[number];

/** What lists sort by. Ids hold the time of creation, and break the ties of everything else. */
const sortKeys: Readonly<Record<ListQuery['sort'], Omit<SortKey, 'dir'> | null>> = {
  created: null,
  updated: { column: 'updated_at', type: 'timestamptz' },
  published: { column: 'published_at', type: 'timestamptz', nulls: 'last' },
  title: { column: 'title_key', type: 'text' },
};

const orderOf = ({ sort, dir }: Pick<ListQuery, 'sort' | 'dir'>): Order => {
  const key = sortKeys[sort];
  return [...(key ? [{ ...key, dir }] : []), { column: 'article_id', type: 'text', dir }];
};

/** The same order among articles of one status, as its index has it: no draft has been published, all others have. */
function orderWithin(status: Status, order: Order): Order {
  if (!order[0]!.nulls) return order;
  return status === 'draft' ? order.slice(1) : order.map(({ nulls: _, ...key }) => key);
}

/** What of one status comes after a position, by its places, in the order of all; null where nothing does. */
function rangeWithin(status: Status, order: Order, after: Position | null): string | null {
  const isPlaceOfDraft = after !== null && after[0] === null;
  if (!order[0]!.nulls || after === null || (status === 'published' && !isPlaceOfDraft)) {
    return rangesAfter(orderWithin(status, order), after)[0]!;
  }
  if (!isPlaceOfDraft) return 'true';
  return status === 'draft' ? rangesAfter(order.slice(1), after.slice(1))[0]! : null;
}

/** A page of it comes in parts, as its articles may have much content. */
const listed: ListItem<Values> = {
  name: 'article',
  table: 'article',
  alias: 'a',
  json: articleJson,
  bytes: 'octet_length(a.content)',
};

/**
 * A page of the articles of a store or a category, and how many there are.
 * @throws invalid_cursor
 */
export async function listArticles(
  db: Db,
  storeId: string,
  query: ListQuery,
  baseUrl: string,
): Promise<ListRead> {
  const { sort, dir, status } = query;
  const order = status ? orderWithin(status, orderOf(query)) : orderOf(query);
  const page = pageOf('articles', [storeId], query, order);
  const of = {
    kind: `${sort}-${dir}-${status ?? 'all'}`,
    values: { ...valuesOf(storeId, baseUrl), scope: query.categoryId ?? '' },
  };
  const words = wordsOf(query.q);
  if (words.length > 0) {
    return readMatches(db, listed, page, {
      ...of,
      words,
      columns: columnsOfOrder(order),
      joined: ($) =>
        `join article_listing l on l.store_id = ${$.storeId} and l.article_id = a.id and l.scope = ${$.scope}
           and ${scopeExists($.storeId, $.scope)}`,
      filter: () => (status ? `and a.status = '${status}'` : ''),
    });
  }
  const wanted = status ? [status] : statuses;
  return readItems(db, listed, page, {
    ...of,
    rows: rowsOf(wanted),
    total: ($) => `coalesce((
      select ${wanted.join(' + ')} from article_total where store_id = ${$.storeId} and scope = ${$.scope}
    ), 0)`,
  });
}

/** The articles of a page that are still to come, in that order. */
export const readArticles = (db: Db, storeId: string, ids: string[], baseUrl: string) =>
  readParts(db, { ...valuesOf(storeId, baseUrl), ids });
const readParts = defineParts(listed);

const columnsOfOrder = (order: Order) =>
  ['l.article_id as id', ...order.map(({ column }) => `l.${column}`)].join(', ');

/**
 * The rows of a list without search, of the store or of a category: the beginning of one index, or from a position on, or
 * those of the two statuses merged.
 */
const rowsOf =
  (wanted: readonly Status[]): NonNullable<ListStatement<OfStore & { scope: string }>['rows']> =>
  ($, { page, after, limits }) => {
    const lists = wanted.flatMap((status) => {
      const range = rangeWithin(status, page.order, after);
      return range === null
        ? []
        : (limits: string) => `
            select ${columnsOfOrder(page.order)} from article_listing l
            where store_id = ${$.storeId} and scope = ${$.scope} and status = '${status}' and ${range}
              and ${scopeExists($.storeId, $.scope)}
            ${orderBy(orderWithin(status, page.order))} ${limits}`;
    });
    return mergedRows(page, limits, lists);
  };

/** Articles for the search over everything. */
export const searchArticles = defineSearch({
  type: 'article',
  table: 'article',
  text: 't.search',
  title: 't.title',
  subtitle: 't.slug',
});

/** Which of some slugs other articles of the store use. */
export async function takenSlugs(
  trx: Trx,
  storeId: string,
  articleId: string,
  candidates: string[],
): Promise<ReadonlySet<string>> {
  const rows = await trx
    .selectFrom('article')
    .select('slug')
    .where('store_id', '=', storeId)
    .where('slug', 'in', candidates)
    .where('id', '<>', articleId)
    .execute();
  return new Set(rows.map(({ slug }) => slug));
}

/** Whether there is such an article and its body is a builder document. */
export async function isBuilderArticle(db: Db, storeId: string, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('article')
    .select('body_type')
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.body_type === 'page';
}

export async function findArticle(trx: Trx, storeId: string, id: string): Promise<ArticleState | null> {
  const row = await trx
    .selectFrom('article')
    .select(['id', 'title', 'slug', 'excerpt', 'content', 'body_type as bodyType', 'status', 'tags'])
    .select(['cover_media_id as coverMediaId', 'published_at as publishedAt'])
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) return null;
  const listings = await trx
    .selectFrom('article_listing as l')
    .innerJoin('blog_category as c', (join) =>
      join.onRef('c.store_id', '=', 'l.store_id').onRef('c.id', '=', 'l.scope'),
    )
    .select('scope')
    .where('l.store_id', '=', storeId)
    .where('l.article_id', '=', id)
    .orderBy('place')
    .execute();
  return { ...row, categoryIds: listings.map(({ scope }) => scope) };
}

function columnsOf({
  title,
  slug,
  excerpt,
  content,
  bodyType,
  status,
  coverMediaId,
  tags,
  publishedAt,
}: ArticleState) {
  return {
    ...{ title, slug, excerpt, content, status, tags },
    body_type: bodyType,
    cover_media_id: coverMediaId,
    published_at: publishedAt,
    search: [title, slug, ...tags].join('\n').toLowerCase(),
  };
}

/** Takes these assets off the articles that they are covers of. Who writes one meanwhile has read it with its cover. */
export async function dropCovers(trx: Trx, storeId: string, assetIds: readonly string[]): Promise<void> {
  await lockBlog(trx, storeId);
  await trx
    .with('bare', (bare) =>
      bare
        .updateTable('article')
        .set({ cover_media_id: null, updated_at: changedAt(new Date()) })
        .where('store_id', '=', storeId)
        .where('cover_media_id', 'in', assetIds)
        .returning(['id', 'updated_at']),
    )
    .updateTable('article_listing as l')
    .from('bare')
    .set((eb) => ({ updated_at: eb.ref('bare.updated_at') }))
    .where('l.store_id', '=', storeId)
    .whereRef('l.article_id', '=', 'bare.id')
    .execute();
}

/** How many articles a store has, as they were counted. */
export async function countArticles(trx: Trx, storeId: string): Promise<number> {
  const total = await trx
    .selectFrom('article_total')
    .select(['draft', 'published'])
    .where('store_id', '=', storeId)
    .where('scope', '=', '')
    .executeTakeFirst();
  return total ? total.draft + total.published : 0;
}

/** Inserts an article, listed and counted. */
export async function insertArticle(
  trx: Trx,
  storeId: string,
  article: ArticleState,
  now: Date,
): Promise<void> {
  await trx
    .insertInto('article')
    .values({ store_id: storeId, id: article.id, ...columnsOf(article), created_at: now, updated_at: now })
    .execute();
  await list(trx, storeId, article, now);
  await count(trx, storeId, null, article);
}

/** Writes an article, listed and counted as it is now. */
export async function updateArticle(
  trx: Trx,
  storeId: string,
  before: ArticleState,
  article: ArticleState,
  now: Date,
): Promise<void> {
  const { updated_at } = await trx
    .updateTable('article')
    .set({ ...columnsOf(article), updated_at: changedAt(now) })
    .where('store_id', '=', storeId)
    .where('id', '=', article.id)
    .returning('updated_at')
    .executeTakeFirstOrThrow();
  await trx
    .deleteFrom('article_listing')
    .where('store_id', '=', storeId)
    .where('article_id', '=', article.id)
    .execute();
  await list(trx, storeId, article, updated_at);
  await count(trx, storeId, before, article);
}

/** Deletes an article with all that lists it. */
export async function deleteArticleRow(trx: Trx, storeId: string, article: ArticleState): Promise<void> {
  await trx.deleteFrom('article').where('store_id', '=', storeId).where('id', '=', article.id).execute();
  await count(trx, storeId, article, null);
}

const scopesOf = ({ categoryIds }: ArticleState) => ['', ...categoryIds];

async function list(trx: Trx, storeId: string, article: ArticleState, updatedAt: Date): Promise<void> {
  const { id, title, status, publishedAt } = article;
  const title_key = title
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
  const published_at = status === 'published' ? publishedAt : null;
  await trx
    .insertInto('article_listing')
    .values(
      scopesOf(article).map((scope, place) => ({
        ...{ store_id: storeId, article_id: id, scope, place },
        ...{ status, title_key, published_at, updated_at: updatedAt },
      })),
    )
    .execute();
}

/** Moves the counters of every list that an article enters, leaves, or changes its status in. */
async function count(
  trx: Trx,
  storeId: string,
  before: ArticleState | null,
  after: ArticleState | null,
): Promise<void> {
  const changes = new Map<string, Record<Status, number>>();
  for (const [article, by] of [
    [before, -1],
    [after, 1],
  ] as const) {
    for (const scope of article ? scopesOf(article) : []) {
      const change = changes.get(scope) ?? { draft: 0, published: 0 };
      change[article!.status] += by;
      changes.set(scope, change);
    }
  }
  const values = [...changes]
    .filter(([, { draft, published }]) => draft !== 0 || published !== 0)
    .map(([scope, change]) => ({ store_id: storeId, scope, ...change }));
  if (values.length === 0) return;
  await trx
    .insertInto('article_total')
    .values(values)
    .onConflict((conflict) =>
      conflict.columns(['store_id', 'scope']).doUpdateSet((eb) => ({
        draft: eb('article_total.draft', '+', eb.ref('excluded.draft')),
        published: eb('article_total.published', '+', eb.ref('excluded.published')),
      })),
    )
    .execute();
}

type Draft = Columns<
  Tables['article_document'],
  { revision: 'revision'; savedAt: 'saved_at'; savedBy: 'saved_by' }
>;

/** The builder document of an article; undefined when its body is none. */
export async function findArticleDocument(
  db: Db,
  storeId: string,
  id: string,
): Promise<SavedDocument | undefined> {
  const { rows } = await sql<SavedDocument & Draft>`
    select d.document::text as document, d.revision, d.saved_at as "savedAt", d.saved_by as "savedBy"
    from article_document d join article a on a.store_id = d.store_id and a.id = d.article_id
    where d.store_id = ${storeId} and d.article_id = ${id} and a.body_type = 'page'`.execute(db);
  return rows[0];
}

/** What is saved of an article's document. */
export interface ArticleDraft {
  /** JSON; null when the article's body is none. */
  document: string | null;
  /** Which save it is. */
  revision: number;
  /** Whether there is something to publish: it is not what visitors see. */
  isWaiting: boolean;
}

/** Undefined when there is no such article. */
export function findArticleDraft(db: Db, storeId: string, id: string): Promise<ArticleDraft | undefined> {
  return db
    .selectFrom('article as a')
    .leftJoin('article_document as d', (join) =>
      join
        .onRef('d.store_id', '=', 'a.store_id')
        .onRef('d.article_id', '=', 'a.id')
        .on('a.body_type', '=', 'page'),
    )
    .select([
      sql<string | null>`d.document::text`.as('document'),
      sql<number>`d.revision`.as('revision'),
      sql<boolean>`a.status = 'draft' or d.published_revision is distinct from d.revision`.as('isWaiting'),
    ])
    .where('a.store_id', '=', storeId)
    .where('a.id', '=', id)
    .executeTakeFirst();
}

/** All that an article's body may be made of. */
export interface ArticleBody {
  /** HTML that was written, or that visitors see until the document is published. */
  content: ArticleRow['content'];
  /** Null: nothing was saved, or visitors see the content. */
  document: PageDocument | null;
  /** HTML of the live page; null when there is none. */
  live: string | null;
  /** Another whenever any of it is. */
  stamp: string;
}

/** Undefined when there is no such article. */
export async function findArticleBody(db: Db, storeId: string, id: string): Promise<ArticleBody | undefined> {
  const { rows } = await sql<ArticleBody>`
    select a.content, case when p.version > 0 then p.rendered->>'html' end as live,
      -- One that has not been made yet is made of what was published.
      case when a.body_type = 'page' and (a.status = 'draft' or a.content = '')
        then coalesce(p.document, d.document) end as document,
      concat_ws('/', a.updated_at, d.revision, p.version) as stamp
    from article a
    left join article_document d on d.store_id = a.store_id and d.article_id = a.id
    left join live_page p on p.store_id = a.store_id and p.page_id = a.id
    where a.store_id = ${storeId} and a.id = ${id}`.execute(db);
  return rows[0];
}

/** Empties the document of an article whose body is none any more; its saves go on being counted. */
export async function clearArticleDocument(trx: Trx, storeId: string, id: string): Promise<void> {
  await trx
    .updateTable('article_document')
    .set((eb) => ({ document: 'null', revision: eb('revision', '+', 1), published_revision: null }))
    .where('store_id', '=', storeId)
    .where('article_id', '=', id)
    .execute();
}

/** Notes that what is saved is what visitors see. */
export async function markDocumentPublished(trx: Trx, storeId: string, id: string): Promise<void> {
  await trx
    .updateTable('article_document')
    .set((eb) => ({ published_revision: eb.ref('revision') }))
    .where('store_id', '=', storeId)
    .where('article_id', '=', id)
    .execute();
}

export async function upsertArticleDocument(
  trx: Trx,
  storeId: string,
  id: string,
  document: string,
  userId: string,
  now: Date,
): Promise<void> {
  const save = { document, saved_at: now, saved_by: userId };
  await trx
    .insertInto('article_document')
    .values({ store_id: storeId, article_id: id, ...save })
    .onConflict((conflict) =>
      conflict
        .columns(['store_id', 'article_id'])
        .doUpdateSet((eb) => ({ ...save, revision: eb('article_document.revision', '+', 1) })),
    )
    .execute();
}
