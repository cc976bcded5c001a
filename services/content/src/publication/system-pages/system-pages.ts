import { singleFlight } from '@waybill/kernel';
import { materialiseDocument } from '@waybill/page';
import { LRUCache } from 'lru-cache';
import type { Context } from '../../config.ts';
import { readStoreBySlug } from '../../shared/stores/stores.ts';
import { recordProduct } from '../../translations/values/products.ts';
import { listValues } from '../../translations/values/queries.ts';
import { frontId } from '../owners/owner.ts';
import type { TemplateKind } from '../owners/template-kinds.ts';
import { documentHtml } from '../rendering/document-html.ts';
import type { BrowseQuery } from '../rendering/gather.ts';
import type { Layout } from '../rendering/layout.ts';
import { listTranslatables, localisation } from '../rendering/localise.ts';
import { comparesLowest } from '../rendering/price-comparison.ts';
import { type RenderedPage, renderPage, toPages } from '../rendering/render-page.ts';
import { blogSlug, categoriesSlug, productsSlug, showsProducts } from '../rendering/sources.ts';
import {
  type Address,
  findSources,
  findVisitedStore,
  type VisitedStore,
} from '../served-documents/queries.ts';
import { type LiveDocument, toLiveDocument } from '../served-documents/served-documents.ts';
import { frontDocument } from '../templates/defaults.ts';
import { findShownTemplate } from '../templates/shown-template.ts';
import { findStoreFiles } from '../theme/queries.ts';
import { type CachedPage, createPageCache, type PageCache } from './page-cache.ts';
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
  getVisitWords,
  notFoundPlan,
  type Plan,
  productPlan,
  readArticleTexts,
  readCategoryFacts,
  renderPlan,
  searchPlan,
  type Visit,
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

/** How long a slug without a product is remembered before catalog is asked again. */
const unknownForMs = 5_000;

/**
 * The pages of a store that no merchant makes one by one: `decisions.md 17.2`. Each is undefined when it does not
 * exist.
 *
 * They are made when they are visited, and kept in memory while nothing that they show has changed. So a store may have
 * any number of products, and pages that nobody visits are never made. While a required service is unavailable, the
 * previous page is served.
 */
export class SystemPages {
  readonly #context: Context;
  readonly #keep: PageCache;
  readonly #unknownCategories = new LRUCache<string, true>({ max: 10_000, ttl: unknownForMs });
  readonly #unknownProducts = new LRUCache<string, true>({ max: 10_000, ttl: unknownForMs });
  readonly #productLookUps = singleFlight<ProductAddress | undefined>();
  readonly #articleLookUps = singleFlight<ArticleAddress | undefined>();

  constructor(context: Context) {
    this.#context = context;
    this.#keep = createPageCache(context);
  }

  async category(
    storeSlug: string,
    slug: string,
    { locale, page, browse, admit }: PageRequest,
  ): Promise<LiveDocument | undefined> {
    const address = await this.#findVisited(storeSlug, locale, () =>
      findShopCategoryAddress(this.#context.db, storeSlug, slug),
    );
    if (!address || (address.categoryId === null && this.#unknownCategories.has(`${storeSlug}/${slug}`)))
      return undefined;
    const { categoryId, stamp, ...store } = address;
    const path = createPagePath(withQuery(`${categoriesSlug}/${slug}`, browse), page);
    const visit = { store, locale, path, admit };
    const compares = await comparesLowest(this.#context, store.id);
    const document = await this.#keep(visit, '../', [categoryId, stamp, compares], async (layout) => {
      const category = await findShopCategory(this.#context, store.id, slug);
      if (category?.slug !== slug) return undefined;
      const facts = await readCategoryFacts(this.#context, visit, category);
      const pageRequest = { page, ...(browse && { browse }) };
      return this.#compose(
        visit,
        categoryPlan(await this.#findTemplate(visit, 'category'), visit, facts, pageRequest),
        layout,
      );
    });
    if (!document && categoryId === null) this.#unknownCategories.set(`${storeSlug}/${slug}`, true);
    return document;
  }

  async product(
    storeSlug: string,
    slug: string,
    { locale, page, variantId, admit }: PageRequest,
  ): Promise<LiveDocument | undefined> {
    const address = await this.#findVisited(storeSlug, locale, () =>
      this.#findProductAddress(storeSlug, slug),
    );
    if (address?.productId == null || address.status !== 'active') return undefined;
    const { productId, status: _status, stamp, ...store } = address;
    const named = `${productsSlug}/${slug}${variantId === undefined ? '' : `?variant=${variantId}`}`;
    const visit = { store, locale, path: createPagePath(named, page), admit };
    const compares = await comparesLowest(this.#context, store.id);
    return this.#keep(visit, '../', [productId, stamp, compares], async (layout) => {
      const product = await findProduct(this.#context, store.id, slug);
      if (!product) return undefined;
      const shown = await this.#findTemplate(visit, 'product');
      return this.#compose(visit, productPlan(shown, visit, product, page, variantId), layout);
    });
  }

  async article(
    storeSlug: string,
    slug: string,
    { locale, page, admit }: PageRequest,
  ): Promise<LiveDocument | undefined> {
    const address = await this.#findVisited(storeSlug, locale, () =>
      this.#articleLookUps(`${storeSlug}/${slug}`, () =>
        findArticleAddress(this.#context.db, storeSlug, slug),
      ),
    );
    if (!address?.articleId) return undefined;
    const { articleId, stamp, ...store } = address;
    const visit = { store, locale, path: createPagePath(`${blogSlug}/${slug}`, page), admit };
    return this.#keep(visit, '../', stamp, async (layout) => {
      const article = await findLiveArticle(this.#context.db, store.id, articleId, { inOriginal: !locale });
      if (!article) return undefined;
      const texts = await readArticleTexts(this.#context, visit, article);
      const own = await this.#renderBuilderArticle(visit, article);
      if (own) {
        const { name, excerpt } = texts;
        const subject = findPlanSubject(visit, article);
        const head = buildHead(visit, { name, settings: { description: excerpt }, subject });
        const trail = buildArticleBreadcrumbs(visit, name);
        const document = toLiveDocument(documentHtml(this.#context.config, { ...head, trail }, own, layout));
        return { showsProducts: false, layout: layout.hash, document };
      }
      return this.#compose(
        visit,
        articlePlan(await this.#findTemplate(visit, 'article'), visit, article, texts, page),
        layout,
      );
    });
  }

  /** Returns the list of articles, of a category if one is given. */
  async blog(
    storeSlug: string,
    { locale, page, admit }: PageRequest,
    category?: string,
  ): Promise<LiveDocument | undefined> {
    const find = () =>
      category === undefined
        ? findVisitedStore(this.#context.db, storeSlug)
        : findCategoryAddress(this.#context.db, storeSlug, category);
    const found: (VisitedStore & Partial<CategoryAddress>) | undefined = await this.#findVisited(
      storeSlug,
      locale,
      find,
    );
    if (!found || (category !== undefined && !found.categoryId)) return undefined;
    const { categoryId, categoryName, ...store } = found;
    const below = category === undefined ? `${blogSlug}/` : `${blogSlug}/category/${category}`;
    const toPages = category === undefined ? '../' : '../../';
    const visit = { store, locale, path: createPagePath(below, page), admit };
    return this.#keep(visit, toPages, [categoryName], async (layout) => {
      if (!categoryId || !categoryName) {
        const title = getVisitWords(visit).blog;
        return this.#compose(
          visit,
          blogPlan(await this.#findTemplate(visit, 'blog', title), visit, undefined, page),
          layout,
        );
      }
      const refs = [{ entityType: 'blogCategory' as const, entityId: categoryId }];
      const values = locale ? await listValues(this.#context.db, store.id, locale, refs) : [];
      const name = values.find(({ field }) => field === 'name')?.value ?? categoryName;
      return this.#compose(
        visit,
        blogPlan(await this.#findTemplate(visit, 'blog', name), visit, { id: categoryId, name }, page),
        layout,
      );
    });
  }

  /** Returns the page at the store's address until its merchant has made one. */
  async front(storeSlug: string, { locale, page, admit }: PageRequest): Promise<LiveDocument | undefined> {
    const store = await this.#findVisited(storeSlug, locale, () =>
      findVisitedStore(this.#context.db, storeSlug),
    );
    if (!store || (await hasPages(this.#context.db, store.id))) return undefined;
    const visit = { store, locale, path: '', admit };
    return this.#keep(visit, './', [], async (layout) => {
      const { hasArticles } = await findStoreFiles(this.#context.db, store.id);
      const facts = { storeName: store.name, hasArticles, language: locale ?? store.defaultLocale };
      const describe: Plan['describe'] = ({ lists = {} }) => ({
        name: store.name,
        slug: '',
        isHomepage: true,
        settings: { title: store.name },
        noIndex: !Object.values(lists).some(({ ids }) => ids.length > 0),
      });
      const plan = { document: frontDocument(facts), ownerId: frontId, toPages: './', visited: { page } };
      return this.#compose(visit, { ...plan, describe }, layout);
    });
  }

  async search(
    storeSlug: string,
    { locale, page, q = '', browse, admit }: PageRequest,
  ): Promise<LiveDocument | undefined> {
    const store = await this.#findVisited(storeSlug, locale, () =>
      findVisitedStore(this.#context.db, storeSlug),
    );
    if (!store) return undefined;
    const path = createPagePath(
      withQuery(q === '' ? 'search' : `search?q=${encodeURIComponent(q)}`, browse),
      page,
    );
    const visit = { store, locale, path, admit };
    return this.#keep(visit, './', [], async (layout) =>
      this.#compose(
        visit,
        searchPlan(await this.#findTemplate(visit, 'search'), visit, q, page, browse),
        layout,
      ),
    );
  }

  /**
   * Returns the not-found page. `wayToPages` is the path from the visited address to the pages of a locale that the
   * store has.
   */
  async notFound(
    storeSlug: string,
    { locale: requestedLocale, admit }: PageRequest,
    wayToPages: (locale: string | undefined) => string,
  ): Promise<LiveDocument | undefined> {
    const store = await this.#findVisited(storeSlug, undefined, () =>
      findVisitedStore(this.#context.db, storeSlug),
    );
    if (!store) return undefined;
    const locale = requestedLocale && store.locales.includes(requestedLocale) ? requestedLocale : undefined;
    const toPages = wayToPages(locale);
    const visit = { store, locale, path: `not-found ${toPages}`, admit };
    return this.#keep(visit, toPages, [], async (layout) =>
      this.#compose(visit, notFoundPlan(await this.#findTemplate(visit, 'notFound'), visit, toPages), layout),
    );
  }

  /** Returns a live page with a further page of its lists. */
  async further(address: Address, { locale, page, admit }: PageRequest): Promise<LiveDocument | undefined> {
    const { storeId, pageId, isHomepage, stamp } = address;
    const found = await this.#findVisited(address.storeSlug, locale, () =>
      findVisitedStore(this.#context.db, address.storeSlug),
    );
    if (!found) return undefined;
    const visit = { store: found, locale, path: `${pageId}?page=${page}`, admit };
    return this.#keep(visit, toPages(pageId), stamp, async (layout) => {
      const content = await findSources(this.#context.db, storeId, pageId);
      if (!content) return undefined;
      const { document, sources, name, slug, settings } = content;
      return this.#compose(
        visit,
        {
          document,
          apps: sources.apps,
          ownerId: pageId,
          toPages: toPages(pageId),
          visited: { page },
          describe: () => ({ name, settings, isHomepage, slug: `${slug}?page=${page}` }),
        },
        layout,
      );
    });
  }

  /** Returns the store that `find` finds under a slug, even if its first event has not arrived yet. */
  async #findVisited<Store extends VisitedStore>(
    storeSlug: string,
    locale: string | undefined,
    find: () => Promise<Store | undefined>,
  ): Promise<Store | undefined> {
    let store = await find();
    if (!store && (await readStoreBySlug(this.#context, storeSlug))) store = await find();
    return locale === undefined || store?.locales.includes(locale) ? store : undefined;
  }

  /** Resolves a product's address: from events, or from catalog if none has arrived yet. */
  async #findProductAddress(storeSlug: string, slug: string): Promise<ProductAddress | undefined> {
    const key = `${storeSlug}/${slug}`;
    const address = await this.#productLookUps(key, () =>
      findProductAddress(this.#context.db, storeSlug, slug),
    );
    if (!address || address.productId !== null || this.#unknownProducts.has(key)) return address;
    const product = await findProduct(this.#context, address.id, slug);
    if (!product) {
      this.#unknownProducts.set(key, true);
      return address;
    }
    await recordProduct(this.#context, address.id, product);
    return findProductAddress(this.#context.db, storeSlug, slug);
  }

  /** Makes the page of a plan; undefined beyond the last page of its lists. */
  async #compose(visit: Visit, plan: Plan, layout: Layout): Promise<CachedPage | undefined> {
    const gathered = await gatherPlan(this.#context, visit, plan, 'live');
    if (!gathered) return undefined;
    return {
      showsProducts: showsProducts(gathered.tree),
      layout: layout.hash,
      document: toLiveDocument(renderPlan(this.#context, visit, plan, gathered, layout)),
    };
  }

  /** Returns the shown template of a kind in the language of a visit. */
  #findTemplate({ store, locale }: Visit, kind: TemplateKind, title?: string) {
    return findShownTemplate(this.#context, store.id, kind, {
      language: locale ?? store.defaultLocale,
      ...(title !== undefined && { title }),
    });
  }

  /** Returns a builder article as published; in another locale it is rendered on each visit. */
  async #renderBuilderArticle(
    { store, locale }: Visit,
    { id, rendered, document, sources }: LiveArticle,
  ): Promise<RenderedPage | null> {
    if (!locale || !document || !sources) return rendered;
    const tree = materialiseDocument(document, sources);
    const values = await listValues(this.#context.db, store.id, locale, listTranslatables(id, tree, sources));
    return renderPage(id, tree, sources, { local: localisation(id, locale, values) });
  }
}

/** Adds the visitor's choice to an address. */
function withQuery(path: string, browse: BrowseQuery | undefined): string {
  if (!browse || browse.pairs.length === 0) return path;
  const query = new URLSearchParams(browse.pairs.map(([name, value]): [string, string] => [name, value]));
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

/** Adds the page of a list to an address, which makes it a different address. */
const createPagePath = (path: string, page: number) =>
  page > 1 ? `${path}${path.includes('?') ? '&' : '?'}page=${page}` : path;
