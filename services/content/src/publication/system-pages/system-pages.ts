import { singleFlight } from '@waybill/kernel';
import { treeOf } from '@waybill/page';
import { LRUCache } from 'lru-cache';
import type { Context } from '../../config.ts';
import { readStoreBySlug } from '../../shared/stores/stores.ts';
import { recordProduct } from '../../translations/values/products.ts';
import { listValues } from '../../translations/values/queries.ts';
import type { Layouts } from '../layouts/layouts.ts';
import { type LiveDocument, toLiveDocument } from '../live/live.ts';
import { type Address, findSources, findVisitedStore, type VisitedStore } from '../live/queries.ts';
import { frontId } from '../owners/owner.ts';
import type { TemplateKind } from '../owners/template-kinds.ts';
import { documentHtml } from '../rendering/document-html.ts';
import type { Frame } from '../rendering/frame.ts';
import type { BrowseQuery } from '../rendering/gather.ts';
import { listTranslatables, localisation } from '../rendering/localise.ts';
import { comparesLowest } from '../rendering/price-comparison.ts';
import { type RenderedPage, renderPage, toPages } from '../rendering/render-page.ts';
import { blogSlug, categoriesSlug, productsSlug, showsProducts } from '../rendering/sources.ts';
import { frontDocument } from '../templates/defaults.ts';
import { findShownTemplate } from '../templates/shown-template.ts';
import { findStoreFiles } from '../theme/queries.ts';
import { type CachedPage, createPageCache } from './page-cache.ts';
import {
  articlePlan,
  blogPlan,
  buildArticleBreadcrumbs,
  buildHead,
  categoryPlan,
  findPlanSubject,
  findProduct,
  findShopCategory,
  gatherPlan,
  notFoundPlan,
  type Plan,
  productPlan,
  readArticleTexts,
  readCategoryFacts,
  renderPlan,
  searchPlan,
  type Visit,
  wordsOf,
} from './plans.ts';
import {
  type ArticleAddress,
  type CategoryAddress,
  findArticleAddress,
  findCategoryAddress,
  findLiveArticle,
  findProductAddress,
  findShopCategoryAddress,
  hasPages,
  type LiveArticle,
  type ProductAddress,
} from './queries.ts';

/** The parts of a visit that decide what an address shows. */
export interface PageRequest {
  /** A locale other than the store's default. */
  locale?: string | undefined;
  /** The page of paged lists: 1, 2, … */
  page: number;
  /** The search text. */
  q?: string | undefined;
  /** The visitor's choice among the products of a category or a search. */
  browse?: BrowseQuery | undefined;
  /** On a product's page, the variant that its address names. */
  variantId?: string | undefined;
  /** Allows making a page for the visitor; throws when too many were made for them. */
  admit?: (() => Promise<void>) | undefined;
}

/**
 * The pages of a store that no merchant makes one by one: `decisions.md 17.2`. Each is undefined when it does not
 * exist.
 */
export interface SystemPages {
  product(storeSlug: string, slug: string, request: PageRequest): Promise<LiveDocument | undefined>;
  category(storeSlug: string, slug: string, request: PageRequest): Promise<LiveDocument | undefined>;
  article(storeSlug: string, slug: string, request: PageRequest): Promise<LiveDocument | undefined>;
  /** Returns the list of articles, of a category if one is given. */
  blog(storeSlug: string, request: PageRequest, category?: string): Promise<LiveDocument | undefined>;
  search(storeSlug: string, request: PageRequest): Promise<LiveDocument | undefined>;
  /** Returns the page at the store's address until its merchant has made one. */
  front(storeSlug: string, request: PageRequest): Promise<LiveDocument | undefined>;
  /**
   * Returns the not-found page. `wayToPages` is the path from the visited address to the pages of a locale that the
   * store has.
   */
  notFound(
    storeSlug: string,
    request: PageRequest,
    wayToPages: (locale: string | undefined) => string,
  ): Promise<LiveDocument | undefined>;
  /** Returns a live page with a further page of its lists. */
  further(address: Address, request: PageRequest): Promise<LiveDocument | undefined>;
}

/** How long a slug without a product is remembered before catalog is asked again. */
const unknownForMs = 5_000;

/**
 * Creates pages when they are visited, and keeps them in memory while nothing that they show has changed. So a store
 * may have any number of products, and pages that nobody visits are never made. While a required service is
 * unavailable, the previous page is served.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: its functions share the state of one closure
export function createSystemPages(context: Context, frames: Layouts): SystemPages {
  const { db, config } = context;
  const keeping = createPageCache(frames, context);
  const unknownCategories = new LRUCache<string, true>({ max: 10_000, ttl: unknownForMs });
  const unknownProducts = new LRUCache<string, true>({ max: 10_000, ttl: unknownForMs });
  const shared = {
    product: singleFlight<ProductAddress | undefined>(),
    article: singleFlight<ArticleAddress | undefined>(),
  };

  /** Returns the store that `find` finds under a slug, even if its first event has not arrived yet. */
  async function visited<Store extends VisitedStore>(
    storeSlug: string,
    locale: string | undefined,
    find: () => Promise<Store | undefined>,
  ): Promise<Store | undefined> {
    let store = await find();
    if (!store && (await readStoreBySlug(context, storeSlug))) store = await find();
    return locale === undefined || store?.locales.includes(locale) ? store : undefined;
  }

  /** Resolves a product's address: from events, or from catalog if none has arrived yet. */
  async function productAddress(storeSlug: string, slug: string): Promise<ProductAddress | undefined> {
    const key = `${storeSlug}/${slug}`;
    const address = await shared.product(key, () => findProductAddress(db, storeSlug, slug));
    if (!address || address.productId !== null || unknownProducts.has(key)) return address;
    const product = await findProduct(context, address.id, slug);
    if (!product) {
      unknownProducts.set(key, true);
      return address;
    }
    await recordProduct(context, address.id, product);
    return findProductAddress(db, storeSlug, slug);
  }

  /** Makes the page of a plan; undefined beyond the last page of its lists. */
  async function compose(visit: Visit, plan: Plan, frame: Frame): Promise<CachedPage | undefined> {
    const gathered = await gatherPlan(context, visit, plan, 'live');
    if (!gathered) return undefined;
    return {
      showsProducts: showsProducts(gathered.tree),
      frame: frame.hash,
      document: toLiveDocument(renderPlan(context, visit, plan, gathered, frame)),
    };
  }

  /** Returns the shown template of a kind in the language of a visit. */
  const template = ({ store, locale }: Visit, kind: TemplateKind, title?: string) =>
    findShownTemplate(context, store.id, kind, {
      language: locale ?? store.defaultLocale,
      ...(title !== undefined && { title }),
    });

  /** Returns a builder article as published; in another locale it is rendered on each visit. */
  async function builderArticle(
    { store, locale }: Visit,
    { id, rendered, document, sources }: LiveArticle,
  ): Promise<RenderedPage | null> {
    if (!locale || !document || !sources) return rendered;
    const tree = treeOf(document, sources);
    const values = await listValues(db, store.id, locale, listTranslatables(id, tree, sources));
    return renderPage(id, tree, sources, { local: localisation(id, locale, values) });
  }

  return {
    async category(storeSlug, slug, { locale, page, browse, admit }) {
      const address = await visited(storeSlug, locale, () => findShopCategoryAddress(db, storeSlug, slug));
      if (!address || (address.categoryId === null && unknownCategories.has(`${storeSlug}/${slug}`)))
        return undefined;
      const { categoryId, stamp, ...store } = address;
      const path = pathOf(withQuery(`${categoriesSlug}/${slug}`, browse), page);
      const visit = { store, locale, path, admit };
      const compares = await comparesLowest(context, store.id);
      const document = await keeping(visit, '../', [categoryId, stamp, compares], async (frame) => {
        const category = await findShopCategory(context, store.id, slug);
        if (category?.slug !== slug) return undefined;
        const facts = await readCategoryFacts(context, visit, category);
        const pageRequest = { page, ...(browse && { browse }) };
        return compose(
          visit,
          categoryPlan(await template(visit, 'category'), visit, facts, pageRequest),
          frame,
        );
      });
      if (!document && categoryId === null) unknownCategories.set(`${storeSlug}/${slug}`, true);
      return document;
    },

    async product(storeSlug, slug, { locale, page, variantId, admit }) {
      const address = await visited(storeSlug, locale, () => productAddress(storeSlug, slug));
      if (address?.productId == null || address.status !== 'active') return undefined;
      const { productId, status: _status, stamp, ...store } = address;
      const named = `${productsSlug}/${slug}${variantId === undefined ? '' : `?variant=${variantId}`}`;
      const visit = { store, locale, path: pathOf(named, page), admit };
      const compares = await comparesLowest(context, store.id);
      return keeping(visit, '../', [productId, stamp, compares], async (frame) => {
        const product = await findProduct(context, store.id, slug);
        if (!product) return undefined;
        const shown = await template(visit, 'product');
        return compose(visit, productPlan(shown, visit, product, page, variantId), frame);
      });
    },

    async article(storeSlug, slug, { locale, page, admit }) {
      const address = await visited(storeSlug, locale, () =>
        shared.article(`${storeSlug}/${slug}`, () => findArticleAddress(db, storeSlug, slug)),
      );
      if (!address?.articleId) return undefined;
      const { articleId, stamp, ...store } = address;
      const visit = { store, locale, path: pathOf(`${blogSlug}/${slug}`, page), admit };
      return keeping(visit, '../', stamp, async (frame) => {
        const article = await findLiveArticle(db, store.id, articleId, { inOriginal: !locale });
        if (!article) return undefined;
        const texts = await readArticleTexts(context, visit, article);
        const own = await builderArticle(visit, article);
        if (own) {
          const { name, excerpt } = texts;
          const subject = findPlanSubject(visit, article);
          const head = buildHead(visit, { name, settings: { description: excerpt }, subject });
          const trail = buildArticleBreadcrumbs(visit, name);
          const document = toLiveDocument(documentHtml(config, { ...head, trail }, own, frame));
          return { showsProducts: false, frame: frame.hash, document };
        }
        return compose(
          visit,
          articlePlan(await template(visit, 'article'), visit, article, texts, page),
          frame,
        );
      });
    },

    async blog(storeSlug, { locale, page, admit }, category) {
      const find = () =>
        category === undefined
          ? findVisitedStore(db, storeSlug)
          : findCategoryAddress(db, storeSlug, category);
      const found: (VisitedStore & Partial<CategoryAddress>) | undefined = await visited(
        storeSlug,
        locale,
        find,
      );
      if (!found || (category !== undefined && !found.categoryId)) return undefined;
      const { categoryId, categoryName, ...store } = found;
      const below = category === undefined ? `${blogSlug}/` : `${blogSlug}/category/${category}`;
      const toPages = category === undefined ? '../' : '../../';
      const visit = { store, locale, path: pathOf(below, page), admit };
      return keeping(visit, toPages, [categoryName], async (frame) => {
        if (!categoryId || !categoryName) {
          const title = wordsOf(visit).blog;
          return compose(
            visit,
            blogPlan(await template(visit, 'blog', title), visit, undefined, page),
            frame,
          );
        }
        const refs = [{ entityType: 'blogCategory' as const, entityId: categoryId }];
        const values = locale ? await listValues(db, store.id, locale, refs) : [];
        const name = values.find(({ field }) => field === 'name')?.value ?? categoryName;
        return compose(
          visit,
          blogPlan(await template(visit, 'blog', name), visit, { id: categoryId, name }, page),
          frame,
        );
      });
    },

    async front(storeSlug, { locale, page, admit }) {
      const store = await visited(storeSlug, locale, () => findVisitedStore(db, storeSlug));
      if (!store || (await hasPages(db, store.id))) return undefined;
      const visit = { store, locale, path: '', admit };
      return keeping(visit, './', [], async (frame) => {
        const { hasArticles } = await findStoreFiles(db, store.id);
        const facts = { storeName: store.name, hasArticles, language: locale ?? store.defaultLocale };
        const describe: Plan['describe'] = ({ lists = {} }) => ({
          name: store.name,
          slug: '',
          isHomepage: true,
          settings: { title: store.name },
          noIndex: !Object.values(lists).some(({ ids }) => ids.length > 0),
        });
        const plan = { document: frontDocument(facts), ownerId: frontId, toPages: './', visited: { page } };
        return compose(visit, { ...plan, describe }, frame);
      });
    },

    async search(storeSlug, { locale, page, q = '', browse, admit }) {
      const store = await visited(storeSlug, locale, () => findVisitedStore(db, storeSlug));
      if (!store) return undefined;
      const path = pathOf(withQuery(`search?q=${encodeURIComponent(q)}`, browse), page);
      const visit = { store, locale, path, admit };
      return keeping(visit, './', [], async (frame) =>
        compose(visit, searchPlan(await template(visit, 'search'), visit, q, page, browse), frame),
      );
    },

    async notFound(storeSlug, { locale: requestedLocale, admit }, wayToPages) {
      const store = await visited(storeSlug, undefined, () => findVisitedStore(db, storeSlug));
      if (!store) return undefined;
      const locale = requestedLocale && store.locales.includes(requestedLocale) ? requestedLocale : undefined;
      const toPages = wayToPages(locale);
      const visit = { store, locale, path: `not-found ${toPages}`, admit };
      return keeping(visit, toPages, [], async (frame) =>
        compose(visit, notFoundPlan(await template(visit, 'notFound'), visit, toPages), frame),
      );
    },

    async further(address, { locale, page, admit }) {
      const { storeId, pageId, isHomepage, stamp } = address;
      const found = await visited(address.storeSlug, locale, () => findVisitedStore(db, address.storeSlug));
      if (!found) return undefined;
      const visit = { store: found, locale, path: `${pageId}?page=${page}`, admit };
      return keeping(visit, toPages(pageId), stamp, async (frame) => {
        const content = await findSources(db, storeId, pageId);
        if (!content) return undefined;
        const { document, sources, name, slug, settings } = content;
        return compose(
          visit,
          {
            document,
            apps: sources.apps,
            ownerId: pageId,
            toPages: toPages(pageId),
            visited: { page },
            describe: () => ({ name, settings, isHomepage, slug: `${slug}?page=${page}` }),
          },
          frame,
        );
      });
    },
  };
}

/** Adds the visitor's choice to an address. */
function withQuery(path: string, browse: BrowseQuery | undefined): string {
  if (!browse || browse.pairs.length === 0) return path;
  const query = new URLSearchParams(browse.pairs.map(([name, value]): [string, string] => [name, value]));
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

/** Adds the page of a list to an address, which makes it a different address. */
const pathOf = (path: string, page: number) =>
  page > 1 ? `${path}${path.includes('?') ? '&' : '?'}page=${page}` : path;
