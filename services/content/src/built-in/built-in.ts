import { mediaPath, type Product } from '@waybill/contracts';
import { sanitiseHtml } from '@waybill/html';
import { type MediaFacts, type PageDocument, treeOf, wordsIn } from '@waybill/page';
import { LRUCache } from 'lru-cache';
import type { Context } from '../config.ts';
import type { Frames } from '../frames/frames.ts';
import { type LiveDocument, toLiveDocument } from '../live/live.ts';
import { type Address, findSources, findVisitedStore, type VisitedStore } from '../live/queries.ts';
import { documentHtml, textOf } from '../rendering/document-html.ts';
import type { Frame } from '../rendering/frame.ts';
import { gatherSources, toArticle, type Visited } from '../rendering/gather.ts';
import { localHead, localisation, translatablesOf } from '../rendering/localise.ts';
import { createLookups, type Lookups, toProduct } from '../rendering/lookups.ts';
import { type MadePage, makePage, toPages } from '../rendering/make.ts';
import {
  blogSlug,
  type Localisation,
  type PagePlace,
  type PageSources,
  productsSlug,
  showsProducts,
  type UsedApp,
} from '../rendering/sources.ts';
import type { Subject } from '../rendering/structured-data.ts';
import { storeOfSlug } from '../stores/stores.ts';
import { frontDocument } from '../templates/defaults.ts';
import { type TemplateKind, templateId } from '../templates/kinds.ts';
import { shownTemplate } from '../templates/templates.ts';
import { findStoreFiles } from '../theme/queries.ts';
import { noteProduct } from '../translations/products.ts';
import { listValues } from '../translations/queries.ts';
import {
  type CategoryAddress,
  findArticleAddress,
  findCategoryAddress,
  findLiveArticle,
  findProductAddress,
  type LiveArticle,
  type ProductAddress,
} from './queries.ts';

/** What of a visit says what is shown at an address. */
export interface Asked {
  /** Other than the one that the store is written in. */
  locale?: string | undefined;
  /** Of lists that have several pages: 1, 2, … */
  page: number;
  /** What is searched for. */
  q?: string | undefined;
  /** Lets a page be made for the visitor; throws where they have had too many made. */
  admit?: (() => Promise<void>) | undefined;
}

/** The pages of a store that nobody has made one by one: `decisions.md 17.2`. Undefined where there is none. */
export interface BuiltInPages {
  product(storeSlug: string, slug: string, asked: Asked): Promise<LiveDocument | undefined>;
  article(storeSlug: string, slug: string, asked: Asked): Promise<LiveDocument | undefined>;
  /** The list of articles, of a category where one is named. */
  blog(storeSlug: string, asked: Asked, category?: string): Promise<LiveDocument | undefined>;
  search(storeSlug: string, asked: Asked): Promise<LiveDocument | undefined>;
  /** What is at the store's address until a page of its own is. */
  front(storeSlug: string, asked: Asked): Promise<LiveDocument | undefined>;
  /** `toPages` leads from the address where nothing is to where pages are, in the locale. */
  notFound(storeSlug: string, asked: Asked, toPages: string): Promise<LiveDocument | undefined>;
  /** A live page with a further page of its lists. */
  further(address: Address, asked: Asked): Promise<LiveDocument | undefined>;
}

const keptBytes = 32 * 1024 * 1024;
/** Slugs that no product has are asked about once in a while, not with every visit. */
const unknownForMs = 5_000;

/** A page to be made of a document. */
interface Plan {
  document: PageDocument;
  apps?: Record<string, UsedApp>;
  /** Whose texts the document has: a template's id, or a page's. */
  ownerId: string;
  toPages: string;
  visited: Visited;
  /** Puts what the page is of into what it is made of. */
  bind?(sources: PageSources, lookups: Lookups): Promise<void> | void;
  /** What it is called and where it is, once that is known in the language of the visit. */
  describe(sources: PageSources, local: Localisation | undefined): Description;
}

interface Description {
  name: string;
  description?: string;
  place?: PagePlace;
  settings?: Readonly<Record<string, unknown>>;
  isHomepage?: boolean;
  /** Among the store's pages; where it is asked for, if it is not another. */
  slug?: string;
  noIndex?: boolean;
  subject?: Subject;
}

/** A visit to an address of a store. */
interface Visit {
  store: VisitedStore;
  locale: string | undefined;
  /** Below the store. */
  path: string;
  admit?: Asked['admit'];
}

/** A document, and what it was made of. */
interface Kept {
  stamp: string;
  /** It shows products beside the one that it may be of. */
  showsProducts: boolean;
  frame: string;
  document: LiveDocument;
}

/**
 * Pages that are made when somebody visits them, and kept in memory as long as nothing has changed that they show: so a
 * store may have any number of products, and none is made that nobody looks at. While a neighbour that has to be asked is
 * away, the last form of a page stands.
 */
export function createBuiltInPages(context: Context, frames: Frames): BuiltInPages {
  const { db, config, log } = context;
  const kept = new LRUCache<string, Kept>({
    maxSize: keptBytes,
    sizeCalculation: ({ stamp, document }) => stamp.length + document.body.length + 500,
  });
  const making = new Map<string, Promise<LiveDocument | undefined>>();
  const unknownProducts = new LRUCache<string, true>({ max: 10_000, ttl: unknownForMs });

  /** The store that `find` finds under a slug; it may be one whose first event has not come yet. */
  async function visited<Store extends VisitedStore>(
    storeSlug: string,
    locale: string | undefined,
    find: () => Promise<Store | undefined>,
  ): Promise<Store | undefined> {
    let store = await find();
    if (!store && (await storeOfSlug(context, storeSlug))) store = await find();
    return locale === undefined || store?.locales.includes(locale) ? store : undefined;
  }

  /** The document of a visit; made anew unless it was made of the same before. */
  async function keeping(
    visit: Visit,
    toPages: string,
    madeOf: unknown,
    make: (frame: Frame) => Promise<Omit<Kept, 'stamp'> | undefined>,
  ): Promise<LiveDocument | undefined> {
    const { store, locale, path } = visit;
    const { translationRevision, productsRevision, ...rest } = store;
    const key = `${store.id}/${locale ?? ''}/${path}`;
    const stamp = JSON.stringify([rest, locale && translationRevision, madeOf]);
    const frame = await frames.of({ storeId: store.id, locale, toPages }, store);
    const last = kept.get(key);
    const withProducts = `${stamp}${productsRevision}`;
    if (last && last.stamp === (last.showsProducts ? withProducts : stamp) && last.frame === frame.hash)
      return last.document;
    await visit.admit?.();
    const attempt = `${key} ${withProducts} ${frame.hash}`;
    const makeOnce = async () => {
      try {
        const made = await make(frame);
        // Of translations that nobody counts, nothing says that they are still the same.
        if (made && (!locale || translationRevision !== null)) {
          kept.set(key, { ...made, stamp: made.showsProducts ? withProducts : stamp });
        }
        return made?.document;
      } catch (err) {
        if (!last) throw err;
        log.warn({ err, storeId: store.id, path }, 'a page stays as it was');
        return last.document;
      }
    };
    const made = making.get(attempt) ?? makeOnce();
    making.set(attempt, made);
    return made.finally(() => making.delete(attempt));
  }

  /** Makes a page of a plan; undefined past the last page of its lists. */
  async function compose(
    { store, locale, path }: Visit,
    plan: Plan,
    frame: Frame,
  ): Promise<Omit<Kept, 'stamp'> | undefined> {
    const { document, apps, ownerId, visited, toPages } = plan;
    const lookups = createLookups(context, store.id);
    const options = { sections: 'live' as const, visited, ...(apps && { keep: apps }) };
    const { sources, tree } = await gatherSources(context, store.id, document, lookups, options);
    await plan.bind?.(sources, lookups);
    const pages = Object.values(sources.lists ?? {}).map((list) => list.pages);
    if ((visited.page ?? 1) > Math.max(1, ...pages)) return undefined;
    const values = locale
      ? await listValues(db, store.id, locale, translatablesOf(ownerId, tree, sources))
      : [];
    const local = locale ? localisation(ownerId, locale, values) : undefined;
    const about = plan.describe(sources, local);
    const made = makePage(ownerId, tree, sources, { local, toPages, place: { ...about.place } });
    const settings = {
      ...about.settings,
      ...(about.description && { description: about.description }),
      ...(about.noIndex && { noindex: true }),
    };
    const trail = about.place?.trail;
    const head = { ...headOf({ store, locale, path }, { ...about, settings }), ...(trail && { trail }) };
    return {
      showsProducts: showsProducts(tree),
      frame: frame.hash,
      document: toLiveDocument(
        documentHtml(config, { ...head, ...pageHead(about, ownerId, values) }, made, frame),
      ),
    };
  }

  function headOf(
    { store, locale, path }: Visit,
    { name, slug = path, settings = {}, isHomepage = false, subject }: Description,
  ) {
    const { isDevelopment, defaultLocale, locales } = store;
    const shown = {
      storeId: store.id,
      storeName: store.name,
      storeSlug: store.slug,
      isDevelopment,
      defaultLocale,
      locales,
    };
    return {
      ...shown,
      name,
      slug,
      is_homepage: isHomepage,
      settings,
      ...(locale && { locale }),
      ...(subject && { subject }),
    };
  }

  async function templatePlan(
    { store, locale }: Visit,
    kind: TemplateKind,
    title?: string,
  ): Promise<Pick<Plan, 'document' | 'apps' | 'ownerId'>> {
    const language = locale ?? store.defaultLocale;
    const words = { language, ...(title !== undefined && { title }) };
    return { ...(await shownTemplate(context, store.id, kind, words)), ownerId: templateId(kind) };
  }

  /** The product at an address: as events have told, or from catalog where none has yet. */
  async function productAddress(storeSlug: string, slug: string): Promise<ProductAddress | undefined> {
    const address = await findProductAddress(db, storeSlug, slug);
    const key = `${storeSlug}/${slug}`;
    if (!address || address.productId !== null || unknownProducts.has(key)) return address;
    const product = await findProduct(address.id, slug);
    if (!product) {
      unknownProducts.set(key, true);
      return address;
    }
    await noteProduct(context, address.id, product);
    return findProductAddress(db, storeSlug, slug);
  }

  async function findProduct(storeId: string, slug: string): Promise<Product | null> {
    if (!context.peers.has('catalog')) return null;
    const path = '/internal/shop/product';
    const body = { storeId, slug };
    return (
      (await context.peers.call<{ product: Product | null }>('catalog', 'POST', path, body))?.product ?? null
    );
  }

  /** A builder article as it is published; in a locale it is made anew. */
  async function builderArticle(
    { store, locale }: Visit,
    { id, rendered, document, sources }: LiveArticle,
  ): Promise<MadePage | null> {
    if (!locale || !document || !sources) return rendered;
    const tree = treeOf(document, sources);
    const values = await listValues(db, store.id, locale, translatablesOf(id, tree, sources));
    return makePage(id, tree, sources, { local: localisation(id, locale, values) });
  }

  return {
    async product(storeSlug, slug, { locale, page, admit }) {
      const address = await visited(storeSlug, locale, () => productAddress(storeSlug, slug));
      if (address?.productId == null || address.status !== 'active') return undefined;
      const { productId, status: _status, stamp, ...store } = address;
      const path = pathOf(`${productsSlug}/${slug}`, page);
      const visit = { store, locale, path, admit };
      return keeping(visit, '../', [productId, stamp], async (frame) => {
        const product = await findProduct(store.id, slug);
        if (!product) return undefined;
        return compose(
          visit,
          {
            ...(await templatePlan(visit, 'product')),
            toPages: '../',
            visited: { page, productId: product.id },
            bind: (sources, lookups) => bindProduct(sources, lookups, product),
            describe({ products, currency }, local) {
              const name = local?.translateProduct(product.id, 'name') ?? product.name;
              const facts = products[product.id]!;
              const { description = '' } = facts;
              return {
                name,
                description: textOf(local ? localDescription(local, product.id, description) : description),
                subject: { kind: 'product', facts, currency },
                place: { productId: product.id, trail: trailTo(visit, '../', { text: name }) },
              };
            },
          },
          frame,
        );
      });
    },

    async article(storeSlug, slug, { locale, page, admit }) {
      const address = await visited(storeSlug, locale, () => findArticleAddress(db, storeSlug, slug));
      if (!address?.articleId) return undefined;
      const { articleId, stamp, ...store } = address;
      const visit = { store, locale, path: pathOf(`${blogSlug}/${slug}`, page), admit };
      return keeping(visit, '../', stamp, async (frame) => {
        const article = await findLiveArticle(db, store.id, articleId, { inOriginal: !locale });
        if (!article) return undefined;
        const refs = [{ entityType: 'article' as const, entityId: articleId }];
        const values = locale ? await listValues(db, store.id, locale, refs) : [];
        const local = locale ? localisation(articleId, locale, values) : undefined;
        const name = local?.translateArticle(articleId, 'title') ?? article.title;
        const excerpt = local?.translateArticle(articleId, 'excerpt') ?? article.excerpt;
        const blog = { text: wordsOf(visit).blog, url: './' };
        const trail = trailTo(visit, '../', blog, { text: name });
        const own = await builderArticle(visit, article);
        if (own) {
          const head = headOf(visit, {
            name,
            settings: { description: excerpt },
            subject: subjectOf(visit, article),
          });
          const document = toLiveDocument(documentHtml(config, { ...head, trail }, own, frame));
          return { showsProducts: false, frame: frame.hash, document };
        }
        const translated = local?.translateArticle(articleId, 'content');
        // A translation is stored as it was sent.
        const body = translated === undefined ? article.content : sanitiseHtml(translated);
        return compose(
          visit,
          {
            ...(await templatePlan(visit, 'article')),
            toPages: '../',
            visited: { page },
            bind: (sources, lookups) => bindArticle(store.id, sources, lookups, article, body),
            describe: ({ articles }) => ({
              ...{ name, description: excerpt },
              subject: { ...subjectOf(visit, article), ...(articles && { facts: articles[articleId]! }) },
              place: { articleId, trail },
            }),
          },
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
      const blog = wordsOf(visit).blog;
      return keeping(visit, toPages, [categoryName], async (frame) => {
        const refs = categoryId ? [{ entityType: 'blogCategory' as const, entityId: categoryId }] : [];
        const values = locale ? await listValues(db, store.id, locale, refs) : [];
        const name = categoryName
          ? (values.find(({ field }) => field === 'name')?.value ?? categoryName)
          : blog;
        const trail = categoryName
          ? trailTo(visit, toPages, { text: blog, url: `${toPages}${blogSlug}/` }, { text: name })
          : trailTo(visit, toPages, { text: blog });
        return compose(
          visit,
          {
            ...(await templatePlan(visit, 'blog', name)),
            toPages,
            visited: { page, ...(categoryId && { categoryId }) },
            describe: () => ({ name, place: { trail } }),
          },
          frame,
        );
      });
    },

    async front(storeSlug, { locale, page, admit }) {
      const store = await visited(storeSlug, locale, () => findVisitedStore(db, storeSlug));
      if (!store) return undefined;
      const visit = { store, locale, path: '', admit };
      return keeping(visit, './', [], async (frame) => {
        const { hasArticles } = await findStoreFiles(db, store.id);
        const facts = { storeName: store.name, hasArticles, language: locale ?? store.defaultLocale };
        const describe: Plan['describe'] = ({ lists = {} }) => ({
          ...{ name: store.name, slug: '', isHomepage: true, settings: { title: store.name } },
          noIndex: !Object.values(lists).some(({ ids }) => ids.length > 0),
        });
        const document = frontDocument(facts);
        return compose(
          visit,
          { document, ownerId: 'front', toPages: './', visited: { page }, describe },
          frame,
        );
      });
    },

    async search(storeSlug, { locale, page, q = '', admit }) {
      const store = await visited(storeSlug, locale, () => findVisitedStore(db, storeSlug));
      if (!store) return undefined;
      const visit = { store, locale, path: pathOf(`search?q=${encodeURIComponent(q)}`, page), admit };
      const name = wordsOf(visit).search;
      return keeping(visit, './', [], async (frame) =>
        compose(
          visit,
          {
            ...(await templatePlan(visit, 'search')),
            toPages: './',
            visited: { page, q },
            describe: () => ({
              ...{ name, slug: 'search', noIndex: true },
              place: { query: q, trail: trailTo(visit, './', { text: name }) },
            }),
          },
          frame,
        ),
      );
    },

    async notFound(storeSlug, { locale: asked, admit }, toPages) {
      const store = await visited(storeSlug, undefined, () => findVisitedStore(db, storeSlug));
      if (!store) return undefined;
      const locale = asked && store.locales.includes(asked) ? asked : undefined;
      const visit = { store, locale, path: `not-found ${toPages}`, admit };
      return keeping(visit, toPages, [], async (frame) =>
        compose(
          visit,
          {
            ...(await templatePlan(visit, 'notFound')),
            ...{ toPages, visited: {} },
            describe: () => ({ name: wordsOf(visit).notFound, slug: '', noIndex: true }),
          },
          frame,
        ),
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
            ...{ document, apps: sources.apps, ownerId: pageId, toPages: toPages(pageId) },
            visited: { page },
            describe: () => ({ name, settings, isHomepage, slug: `${isHomepage ? '' : slug}?page=${page}` }),
          },
          frame,
        );
      });
    },
  };
}

const wordsOf = ({ store, locale }: Visit) => wordsIn(locale ?? store.defaultLocale);

/** An address with the page of its lists, which makes it another one. */
const pathOf = (path: string, page: number) =>
  page > 1 ? `${path}${path.includes('?') ? '&' : '?'}page=${page}` : path;

/** An article as search engines are told of it; its cover as it is. */
function subjectOf(
  { store }: Visit,
  { published_at, cover_media_id: cover }: LiveArticle,
): Extract<Subject, { kind: 'article' }> {
  const image = cover === null ? {} : { image: { url: mediaPath(store.id, cover) } };
  return { kind: 'article', facts: { publishedAt: published_at.toISOString(), ...image } };
}

const trailTo = (visit: Visit, toPages: string, ...steps: { text: string; url?: string }[]) => [
  { text: wordsOf(visit).home, url: toPages },
  ...steps,
];

/** What a page of the store's own is called in a locale. */
const pageHead = (
  { name, settings = {} }: Description,
  ownerId: string,
  values: Parameters<typeof localHead>[2],
) => (ownerId.startsWith('pag_') ? localHead(ownerId, { name, settings }, values) : {});

/** All that a page of its own shows of a product. */
async function bindProduct(
  sources: PageSources,
  lookups: Lookups,
  { description, ...product }: Product,
): Promise<void> {
  const { facts, mediaIds } = toProduct(product);
  const media = await lookups.media(mediaIds);
  const images = mediaIds.flatMap((id) => media.get(id) ?? []);
  sources.products[product.id] = { ...facts, description, images, ...(images[0] && { image: images[0] }) };
}

/** All that a page of its own shows of an article. While media is away, its cover is shown as it is. */
async function bindArticle(
  storeId: string,
  sources: PageSources,
  lookups: Lookups,
  article: LiveArticle,
  body: string,
): Promise<void> {
  const { cover_media_id: cover, id } = article;
  const plain = new Map<string, MediaFacts>(
    cover === null ? [] : [[cover, { url: mediaPath(storeId, cover) }]],
  );
  const media = cover === null ? plain : await lookups.media([cover]).catch(() => plain);
  sources.articles = { ...sources.articles, [id]: { ...toArticle(article, media), body } };
}

/** A description in a locale, as `localSources` shows it. */
function localDescription(local: Localisation, productId: string, original: string): string {
  return local.translateProduct(productId, 'description') ?? original;
}
