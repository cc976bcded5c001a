import { prepare } from '@waybill/kernel';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../tables.ts';

type Db = Kysely<Tables>;

/** An address that search engines may show. */
export interface Entry {
  /** Relative to the store. */
  path: string;
  /** Null for the built-in front page, whose lists change with every product and article. */
  updatedAt: Date | null;
}

/** SQL for the same rule as `seoOf`. */
const isShown = `case when jsonb_typeof(p.settings::jsonb #> '{seo,noindex}') = 'boolean'
  then p.settings::jsonb #> '{seo,noindex}' else p.settings::jsonb -> 'noindex' end is distinct from 'true'`;

/**
 * SQL for the built-in front page, which a store without pages shows; search engines may list it once the page lists a
 * product or an article.
 */
const frontEntry = `
  select 0 as kind, '' as id, '' as path, null::timestamptz as updated_at
  where not exists (select from page where store_id = $1) and (
    exists (select from known_product
      where store_id = $1 and status = 'active' and slug is not null and not is_deleted)
    or exists (select from article_total where store_id = $1 and scope = '' and published > 0)
  )`;

/** SQL for all addresses: each kind with the directory of its addresses, in a fixed order. */
const entries = `${frontEntry}
  union all
  select 1 as kind, p.id, case when p.is_homepage then '' else p.slug end as path, p.updated_at
  from page p join live_page l on l.store_id = p.store_id and l.page_id = p.id
  where p.store_id = $1 and ${isShown}
  union all
  select 2, id, 'products/' || slug, updated_at from known_product
  where store_id = $1 and status = 'active' and slug is not null and not is_deleted
  union all
  select 3, '', 'blog/', (
    select published_at from article_listing where store_id = $1 and scope = '' and status = 'published'
    order by published_at desc limit 1
  ) from article_total where store_id = $1 and scope = '' and published > 0 and not exists (
    select from page p join live_page l on l.store_id = p.store_id and l.page_id = p.id
    where p.store_id = $1 and p.slug = 'blog'
  )
  union all
  select 4, c.id, 'blog/category/' || c.slug, c.updated_at from blog_category c
  join article_total t on t.store_id = c.store_id and t.scope = c.id and t.published > 0 where c.store_id = $1
  union all
  select 6, id, 'categories/' || slug, updated_at from known_category
  where store_id = $1 and slug is not null and not is_deleted
  union all
  select 5, id, 'blog/' || slug, updated_at from article where store_id = $1 and status = 'published'`;

const count = prepare<{ count: number }>(
  'sitemap-count',
  `select count(*)::int as count from (${entries}) all_of_it`,
);

/** Returns the number of a store's addresses in one language. */
export async function countEntries(db: Db, storeId: string): Promise<number> {
  return (await db.executeQuery(count([storeId]))).rows[0]!.count;
}

const some = prepare<Entry>(
  'sitemap-entries',
  `select path, updated_at as "updatedAt" from (${entries}) all_of_it order by kind, id limit $2 offset $3`,
);

/** Returns some of these addresses, always in the same order. */
export async function listEntries(db: Db, storeId: string, limit: number, offset: number): Promise<Entry[]> {
  return (await db.executeQuery(some([storeId, limit, offset]))).rows;
}

/** An article in a feed. */
export interface FeedArticle {
  id: string;
  title: string;
  slug: string;
  excerpt: string;
  /** HTML; empty when there was no room for it. */
  content: string;
  publishedAt: Date;
  updatedAt: Date;
}

const newest = prepare<FeedArticle>(
  'feed-articles',
  `select a.id, a.title, a.slug, a.excerpt, a.published_at as "publishedAt", a.updated_at as "updatedAt",
     case when sum(length(a.content)) over (order by a.published_at desc, a.id desc) <= $3 then a.content else '' end as content
   from (
     select article_id from article_listing where store_id = $1 and scope = '' and status = 'published'
     order by published_at desc, article_id desc limit $2
   ) l join article a on a.store_id = $1 and a.id = l.article_id
   order by a.published_at desc, a.id desc`,
);

/** Returns the last published articles, with at most `mostContent` characters of content in all. */
export async function listNewest(
  db: Db,
  storeId: string,
  limit: number,
  maxContent: number,
): Promise<FeedArticle[]> {
  return (await db.executeQuery(newest([storeId, limit, maxContent]))).rows;
}

/** Returns the primary colour of the live theme as CSS; null when it has none of its own. */
export async function findColor(db: Db, storeId: string): Promise<string | null> {
  const { rows } = await sql<{ color: string | null }>`
    select live #>> '{colors,primary}' as color from theme where store_id = ${storeId}`.execute(db);
  return rows[0]?.color ?? null;
}
