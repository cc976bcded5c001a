import { type CustomFieldValues, foldText, mediaPath } from '@waybill/contracts';
import { customFieldsJson, hasMedia, type RemovedMedia, withoutMedia } from '@waybill/custom-fields';
import {
  bare,
  changedAt,
  encoded,
  encodedOrNull,
  jsonArray,
  jsonObject,
  type Placeholders,
  prepare,
  prepareFindExisting,
  quoted,
  searchText,
  timestamp,
  withinStore,
} from '@waybill/kernel';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Article as ArticleRow, Tables } from '../../tables.ts';
import { lockBlog } from '../categories/queries.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

export interface ArticleState {
  id: string;
  title: string;
  slug: string;
  excerpt: string;
  /** For a builder article, the content that visitors see until the document is published. */
  content: string;
  bodyType: ArticleRow['body_type'];
  status: ArticleRow['status'];
  categoryIds: string[];
  coverMediaId: string | null;
  tags: string[];
  /** By the ids of their definitions. */
  customFields: CustomFieldValues;
  /** Time of the first publication. */
  publishedAt: Date | null;
}

/** SQL for whether a document waits to be published: that of a draft, or one `d` that meets a condition. */
const isWaiting = (condition: string) =>
  `case when a.body_type = 'page' and (a.status = 'draft' or exists (
    select from article_document d where d.store_id = a.store_id and d.article_id = a.id
      and ${condition})) then 'true' else 'false' end`;

/**
 * SQL for the public form of a row `a` of article, which PostgreSQL builds and which is sent unchanged. `mediaUrl` is
 * the prefix of media URLs.
 */
export const articleJson = ({ mediaUrl }: Placeholders<{ mediaUrl: string }>) =>
  jsonObject({
    id: quoted('a.id'),
    title: encoded('a.title'),
    slug: quoted('a.slug'),
    excerpt: encoded('a.excerpt'),
    content: encoded("case when a.body_type = 'html' then a.content else '' end"),
    bodyType: quoted('a.body_type'),
    status: quoted('a.status'),
    hasDraft: bare(isWaiting('d.published_revision is distinct from d.revision')),
    hasChanges: bare(
      isWaiting(
        'd.published_revision is distinct from d.revision and d.unchanged_revision is distinct from d.revision',
      ),
    ),
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
    customFields: bare(customFieldsJson('a')),
    publishedAt: encodedOrNull(`case when a.status = 'published' then ${timestamp('a.published_at')} end`),
    createdAt: quoted(timestamp('a.created_at')),
    updatedAt: quoted(timestamp('a.updated_at')),
  });

/** Returns the values that `articleJson` needs for articles of this store. */
export const createValues = (storeId: string, baseUrl: string) => ({
  storeId,
  mediaUrl: baseUrl + mediaPath(storeId, ''),
});
export type Values = ReturnType<typeof createValues>;

const findEnvelope = prepare<{ json: string }, Values & { id: string }>('article-find', ($) =>
  withinStore(
    $.storeId,
    `select ${jsonObject({ article: bare(articleJson($)) })} as json
   from article a where a.store_id = ${$.storeId} and a.id = ${$.id}`,
  ),
);

/** Returns the `{ article }` envelope as JSON; null when the store has no such article. */
export async function findArticleEnvelope(
  db: Db,
  storeId: string,
  id: string,
  baseUrl: string,
): Promise<string | null> {
  const { rows } = await db.executeQuery(findEnvelope({ ...createValues(storeId, baseUrl), id }));
  return rows[0]?.json ?? null;
}

/** Returns those of some slugs that the store's articles use. */
export const takenSlugs = prepareFindExisting('article', 'slug');

/** Whether the article exists and its body is a builder document. */
export async function isBuilderArticle(db: Db, storeId: string, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('article')
    .select('body_type')
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.body_type === 'page';
}

/** Finds an article with its categories; null if the store has no such article. */
export async function findArticle(trx: Trx, storeId: string, id: string): Promise<ArticleState | null> {
  const row = await trx
    .selectFrom('article')
    .select(['id', 'title', 'slug', 'excerpt', 'content', 'body_type as bodyType', 'status', 'tags'])
    .select(['cover_media_id as coverMediaId', 'published_at as publishedAt'])
    .select('custom_fields as customFields')
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

function toArticleColumns({
  title,
  slug,
  excerpt,
  content,
  bodyType,
  status,
  coverMediaId,
  tags,
  customFields,
  publishedAt,
}: ArticleState) {
  return {
    title,
    slug,
    excerpt,
    content,
    status,
    tags,
    body_type: bodyType,
    cover_media_id: coverMediaId,
    custom_fields: sql<CustomFieldValues>`${JSON.stringify(customFields)}::jsonb`,
    published_at: publishedAt,
    search: searchText(title, slug, ...tags),
  };
}

/**
 * Removes assets from the covers and the custom fields of articles. Locks the blog, because a concurrent write has read
 * the article with them.
 */
export async function dropArticleMedia(trx: Trx, storeId: string, removed: RemovedMedia): Promise<void> {
  const { assetIds } = removed;
  await lockBlog(trx, storeId);
  await trx
    .with('bare', (bare) =>
      bare
        .updateTable('article')
        .set({
          cover_media_id: sql`case when cover_media_id = any(${assetIds}::text[]) then null else cover_media_id end`,
          custom_fields: withoutMedia(removed),
          updated_at: changedAt(new Date()),
        })
        .where('store_id', '=', storeId)
        .where(sql<boolean>`(cover_media_id = any(${assetIds}::text[]) or ${hasMedia(removed)})`)
        .returning(['id', 'updated_at']),
    )
    .updateTable('article_listing as l')
    .from('bare')
    .set((eb) => ({ updated_at: eb.ref('bare.updated_at') }))
    .where('l.store_id', '=', storeId)
    .whereRef('l.article_id', '=', 'bare.id')
    .execute();
}

/** Returns a store's stored number of articles. */
export async function countArticles(trx: Db, storeId: string): Promise<number> {
  const total = await trx
    .selectFrom('article_total')
    .select(['draft', 'published'])
    .where('store_id', '=', storeId)
    .where('scope', '=', '')
    .executeTakeFirst();
  return total ? total.draft + total.published : 0;
}

/** Inserts an article with its listings and counts. */
export async function insertArticle(
  trx: Trx,
  storeId: string,
  article: ArticleState,
  now: Date,
): Promise<void> {
  await trx
    .insertInto('article')
    .values({
      store_id: storeId,
      id: article.id,
      ...toArticleColumns(article),
      created_at: now,
      updated_at: now,
    })
    .execute();
  await list(trx, storeId, article, now);
  await count(trx, storeId, null, article);
}

/** Updates an article with its listings and counts. */
export async function updateArticle(
  trx: Trx,
  storeId: string,
  before: ArticleState,
  article: ArticleState,
  now: Date,
): Promise<void> {
  const { updated_at } = await trx
    .updateTable('article')
    .set({ ...toArticleColumns(article), updated_at: changedAt(now) })
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

/** Deletes an article with its listings and counts. */
export async function deleteArticleRow(trx: Trx, storeId: string, article: ArticleState): Promise<void> {
  await trx.deleteFrom('article').where('store_id', '=', storeId).where('id', '=', article.id).execute();
  await count(trx, storeId, article, null);
}

const listScopes = ({ categoryIds }: ArticleState) => ['', ...categoryIds];

async function list(trx: Trx, storeId: string, article: ArticleState, updatedAt: Date): Promise<void> {
  const { id, title, status, publishedAt } = article;
  const title_key = foldText(title);
  const published_at = status === 'published' ? publishedAt : null;
  await trx
    .insertInto('article_listing')
    .values(
      listScopes(article).map((scope, place) => ({
        store_id: storeId,
        article_id: id,
        scope,
        place,
        status,
        title_key,
        published_at,
        updated_at: updatedAt,
      })),
    )
    .execute();
}

/** Adjusts the counts of every list that an article enters, leaves, or changes its status in. */
async function count(
  trx: Trx,
  storeId: string,
  before: ArticleState | null,
  after: ArticleState | null,
): Promise<void> {
  const changes = new Map<string, Record<ArticleState['status'], number>>();
  for (const [article, by] of [
    [before, -1],
    [after, 1],
  ] as const) {
    for (const scope of article ? listScopes(article) : []) {
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
