import { prepare } from '@waybill/kernel';
import { CompiledQuery, type Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;

/** What visitors see of an article in a list. */
export interface ListedArticle {
  id: string;
  title: string;
  slug: string;
  excerpt: string;
  cover_media_id: string | null;
  published_at: Date;
}

/** A published article with its body: HTML, or a builder document. */
export interface LiveArticle extends ListedArticle {
  content: string;
  document: string | null;
  updated_at: Date;
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

const bySlug = prepare<LiveArticle>(
  'live-article',
  `select ${listed}, a.content, a.updated_at, d.document::text as document
   from article a left join article_document d on d.store_id = a.store_id and d.article_id = a.id
   where a.store_id = $1 and a.slug = $2 and a.status = 'published'`,
);

export async function findPublished(db: Db, storeId: string, slug: string): Promise<LiveArticle | undefined> {
  const { rows } = await db.executeQuery(bySlug([storeId, slug]));
  return rows[0];
}
