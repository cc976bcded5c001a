import { isSlug } from '@waybill/contracts';
import { prepare } from '@waybill/kernel';
import type { PageDocument } from '@waybill/page';
import { CompiledQuery, type Kysely } from 'kysely';
import { storeWith, type VisitedStore } from '../live/queries.ts';
import type { MadePage } from '../rendering/make.ts';
import type { PageSources } from '../rendering/sources.ts';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;

/** What visitors see of an article in a list. */
export interface ListedArticle
  extends Pick<Tables['article'], 'id' | 'title' | 'slug' | 'excerpt' | 'cover_media_id'> {
  published_at: NonNullable<Tables['article']['published_at']>;
}

const listed = 'a.id, a.title, a.slug, a.excerpt, a.cover_media_id, a.published_at';

export const articlesAPage = 20;

/** Limit and offset stand in the text: a planner that does not know them reads far too much. */
const pageOf = (offset: number) => `
  select ${listed}, (
    select published from article_total where store_id = $1 and scope = ''
  ) as total
  from (
    select article_id, published_at from article_listing
    where store_id = $1 and scope = '' and status = 'published'
    order by published_at desc, article_id desc limit ${articlesAPage} offset ${offset}
  ) page
  join article a on a.store_id = $1 and a.id = page.article_id
  order by page.published_at desc, page.article_id desc`;
const firstPage = prepare<ListedArticle & { total: number }>('live-articles', pageOf(0));

/** A page of a store's published articles, newest first, and how many there are if it has any. */
export async function listPublished(
  db: Db,
  storeId: string,
  offset: number,
): Promise<{ articles: ListedArticle[]; total: number }> {
  const statement = offset === 0 ? firstPage([storeId]) : CompiledQuery.raw(pageOf(offset), [storeId]);
  const rows = (await db.executeQuery(statement)).rows as (ListedArticle & { total: number })[];
  return { articles: rows, total: rows[0]?.total ?? 0 };
}

/** A store as one of its articles is visited. */
export interface ArticleAddress extends VisitedStore {
  /** Null: the store has no such article, or it is not published. */
  articleId: Tables['article']['id'] | null;
  /** Another whenever the article or its live page is. */
  stamp: string;
}

const live = 'left join live_page l on l.store_id = a.store_id and l.page_id = a.id and l.version > 0';

const address = prepare<ArticleAddress>(
  'live-article-address',
  storeWith(
    `, a.id as "articleId", concat_ws('/', a.updated_at, l.version) as stamp`,
    `left join article a on a.store_id = s.store_id and a.slug = $2 and a.status = 'published' ${live}`,
  ),
);

/** Where the address of an article leads; undefined when no event has told of the store. */
export async function findArticleAddress(
  db: Db,
  storeSlug: string,
  slug: string,
): Promise<ArticleAddress | undefined> {
  if (!isSlug(storeSlug) || !isSlug(slug)) return undefined;
  const { rows } = await db.executeQuery(address([storeSlug, slug]));
  return rows[0];
}

/** A published article and its live page; of one that has none, `content` is what is shown. */
export interface LiveArticle extends ListedArticle, Pick<Tables['article'], 'content'> {
  /** The page in the language that it was written in, if that was asked for. */
  rendered: MadePage | null;
  /** Otherwise what it was made of, to make it in another locale. */
  document: PageDocument | null;
  sources: PageSources | null;
}

const published = prepare<LiveArticle>(
  'live-article',
  `select ${listed}, a.content, case when $3::boolean then l.rendered end as rendered,
     case when not $3 then l.document end as document, case when not $3 then l.sources end as sources
   from article a ${live} where a.store_id = $1 and a.id = $2 and a.status = 'published'`,
);

/** Undefined when it is not published any more. */
export async function findLiveArticle(
  db: Db,
  storeId: string,
  id: string,
  { inOriginal }: { inOriginal: boolean },
): Promise<LiveArticle | undefined> {
  const { rows } = await db.executeQuery(published([storeId, id, inOriginal]));
  return rows[0];
}
