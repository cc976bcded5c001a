import { isSlug } from '@waybill/contracts';
import { prepare, withinStore } from '@waybill/kernel';
import type { PageDocument } from '@waybill/page';
import type { Kysely } from 'kysely';
import type { Tables } from '../../tables.ts';
import { type ListedArticle, listedArticleColumns } from '../rendering/queries.ts';
import type { RenderedPage } from '../rendering/render-page.ts';
import type { PageSources } from '../rendering/sources.ts';
import { prepareStoreWith, type VisitedStore } from '../served-documents/queries.ts';

type Db = Kysely<Tables>;

/** A store, with the article that is visited. */
export interface ArticleAddress extends VisitedStore {
  /** Null when the store has no such article, or it is not published. */
  articleId: Tables['article']['id'] | null;
  /** Changes with the article or its live page. */
  stamp: string;
}

const live = 'left join live_page l on l.store_id = a.store_id and l.page_id = a.id and l.version > 0';

const address = prepareStoreWith<ArticleAddress>(
  'live-article-address',
  `, a.id as "articleId", concat_ws('/', a.updated_at, l.version) as stamp`,
  `left join article a on a.store_id = s.store_id and a.slug = $2 and a.status = 'published' ${live}`,
);

/** Resolves the address of an article; undefined when no event about the store has arrived. */
export async function findArticleAddress(
  db: Db,
  storeSlug: string,
  slug: string,
): Promise<ArticleAddress | undefined> {
  if (!isSlug(storeSlug) || !isSlug(slug)) return undefined;
  return (await address(db, storeSlug, slug))[0];
}

/** A published article and its live page; without one, `content` is shown. */
export interface LiveArticle extends ListedArticle, Pick<Tables['article'], 'content'> {
  /** The rendered page in its original language, if that was requested. */
  rendered: RenderedPage | null;
  /** Otherwise the document and sources, for rendering it in another locale. */
  document: PageDocument | null;
  sources: PageSources | null;
}

const published = prepare<LiveArticle>(
  'live-article',
  withinStore(
    '$1',
    `select ${listedArticleColumns}, a.content, case when $3::boolean then l.rendered end as rendered,
     case when not $3 then l.document end as document, case when not $3 then l.sources end as sources
   from article a ${live} where a.store_id = $1 and a.id = $2 and a.status = 'published'`,
  ),
);

/** Returns a published article; undefined when it is no longer published. */
export async function findLiveArticle(
  db: Db,
  storeId: string,
  id: string,
  { inOriginal }: { inOriginal: boolean },
): Promise<LiveArticle | undefined> {
  const { rows } = await db.executeQuery(published([storeId, id, inOriginal]));
  return rows[0];
}

/** A store, with the blog category that is visited. */
export interface CategoryAddress extends VisitedStore {
  /** Null when the store has no such category. */
  categoryId: Tables['blog_category']['id'] | null;
  categoryName: Tables['blog_category']['name'] | null;
}

const category = prepareStoreWith<CategoryAddress>(
  'live-category-address',
  ', b.id as "categoryId", b.name as "categoryName"',
  'left join blog_category b on b.store_id = s.store_id and b.slug = $2',
);

/** Resolves the address of a blog category; undefined when no event about the store has arrived. */
export async function findCategoryAddress(
  db: Db,
  storeSlug: string,
  slug: string,
): Promise<CategoryAddress | undefined> {
  if (!isSlug(storeSlug) || !isSlug(slug)) return undefined;
  return (await category(db, storeSlug, slug))[0];
}

/** A store, with the product that is visited. */
export interface ProductAddress extends VisitedStore {
  /** Null when no event about such a product has arrived. */
  productId: Tables['known_product']['id'] | null;
  status: Tables['known_product']['status'];
  /** Changes with the product. */
  stamp: Date | null;
}

const product = prepareStoreWith<ProductAddress>(
  'live-product-address',
  ', k.id as "productId", k.status, k.updated_at as stamp',
  `left join lateral (
     select id, status, updated_at from known_product
     where store_id = s.store_id and slug = $2 and slug is not null and not is_deleted
     order by updated_at desc limit 1
   ) k on true`,
);

/** Resolves the address of a product as far as events have arrived; undefined when none about the store has. */
export async function findProductAddress(
  db: Db,
  storeSlug: string,
  slug: string,
): Promise<ProductAddress | undefined> {
  if (!isSlug(storeSlug) || !isSlug(slug)) return undefined;
  return (await product(db, storeSlug, slug))[0];
}

/** A store, with the product category that is visited. */
export interface ShopCategoryAddress extends VisitedStore {
  /** Null when no event about such a category has arrived. */
  categoryId: Tables['known_category']['id'] | null;
  /** Changes with the category. */
  stamp: Date | null;
}

const shopCategory = prepareStoreWith<ShopCategoryAddress>(
  'live-shop-category-address',
  ', k.id as "categoryId", k.updated_at as stamp',
  `left join lateral (
     select id, updated_at from known_category
     where store_id = s.store_id and slug = $2 and slug is not null and not is_deleted
     order by updated_at desc limit 1
   ) k on true`,
);

/** Resolves the address of a product category; undefined when no event about the store has arrived. */
export async function findShopCategoryAddress(
  db: Db,
  storeSlug: string,
  slug: string,
): Promise<ShopCategoryAddress | undefined> {
  if (!isSlug(storeSlug) || !isSlug(slug)) return undefined;
  return (await shopCategory(db, storeSlug, slug))[0];
}

/** Whether a store has a page, live or not. */
export async function hasPages(db: Db, storeId: string): Promise<boolean> {
  const row = await db
    .selectFrom('page')
    .select('id')
    .where('store_id', '=', storeId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
