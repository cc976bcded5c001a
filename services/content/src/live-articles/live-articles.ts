import { mediaPath } from '@waybill/contracts';
import { sanitiseHtml } from '@waybill/html';
import { treeOf } from '@waybill/page';
import { LRUCache } from 'lru-cache';
import type { Context } from '../config.ts';
import { type LiveDocument, toLiveDocument } from '../live/live.ts';
import { findVisitedStore, type VisitedStore } from '../live/queries.ts';
import { documentHtml } from '../rendering/document-html.ts';
import { localisation, translatablesOf } from '../rendering/localise.ts';
import { type MadePage, makePage, withoutIslands } from '../rendering/make.ts';
import { storeOfSlug } from '../stores/stores.ts';
import { listValues } from '../translations/queries.ts';
import { type Translate, translateWith } from '../translations/translations.ts';
import { articleHtml, blogCss, blogHtml, type ShownArticle } from './html.ts';
import {
  articlesAPage,
  findArticleAddress,
  findLiveArticle,
  type ListedArticle,
  type LiveArticle,
  listPublished,
} from './queries.ts';

/** The pages of a store's blog; undefined where there is none. */
export interface LiveBlog {
  /** The list of articles, a page of it: 1, 2, … */
  list(storeSlug: string, page: number, locale?: string): Promise<LiveDocument | undefined>;
  article(storeSlug: string, slug: string, locale?: string): Promise<LiveDocument | undefined>;
}

/** Where the blog is among a store's pages. */
export const blogSlug = 'blog';
const keptBytes = 32 * 1024 * 1024;

/** A visit to a store's blog, in a locale that the store is translated into or in the language it was written in. */
interface Visit {
  store: VisitedStore;
  locale: string | undefined;
}

/** A document, and what it was made of. */
interface Kept {
  stamp: string;
  document: LiveDocument;
}

/**
 * Published articles as pages, made of what is stored at the moment of a request. One that was made of the same is kept
 * in memory: so a translated one costs no more than the original.
 */
export function createLiveBlog(context: Context): LiveBlog {
  const { db, config } = context;

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

  const kept = new LRUCache<string, Kept>({
    maxSize: keptBytes,
    sizeCalculation: ({ stamp, document }) => stamp.length + document.body.length + 500,
  });

  /** The document of a visit to `path`; made anew unless it was made of the same before. */
  async function keeping(
    { store, locale }: Visit,
    path: string,
    madeOf: unknown,
    make: () => Promise<LiveDocument | undefined>,
  ): Promise<LiveDocument | undefined> {
    const key = `${store.id}/${locale ?? ''}/${path}`;
    const { translationRevision, ...rest } = store;
    const stamp = JSON.stringify([rest, locale && translationRevision, madeOf]);
    const last = kept.get(key);
    if (last?.stamp === stamp) return last.document;
    const document = await make();
    // Of translations that nobody counts, nothing says that they are still the same.
    if (document && (!locale || translationRevision !== null)) kept.set(key, { stamp, document });
    return document;
  }

  async function translate({ store, locale }: Visit, articles: readonly ListedArticle[]): Promise<Translate> {
    if (!locale) return () => undefined;
    const refs = articles.map(({ id }) => ({ entityType: 'article' as const, entityId: id }));
    return translateWith(await listValues(db, store.id, locale, refs));
  }

  function compose(
    { store, locale }: Visit,
    head: { name: string; slug: string; description?: string },
    made: MadePage,
  ): LiveDocument {
    const { name, slug, description } = head;
    const settings = description ? { description } : {};
    const shown = { storeName: store.name, storeSlug: store.slug, name, slug, is_homepage: false, settings };
    const { isDevelopment, defaultLocale, locales } = store;
    const page = { ...shown, isDevelopment, defaultLocale, locales, ...(locale && { locale }) };
    return toLiveDocument(documentHtml(config, page, made));
  }

  /** What an article's live page shows; in a locale it is made anew. Null when it has none. */
  async function livePageOf(
    { store, locale }: Visit,
    { id, rendered, document, sources }: LiveArticle,
  ): Promise<MadePage | null> {
    if (!locale || !document || !sources) return rendered;
    const tree = treeOf(document, sources);
    const values = await listValues(db, store.id, locale, translatablesOf(id, tree, sources));
    return makePage(id, tree, sources, localisation(id, locale, values));
  }

  async function makeArticle(visit: Visit, id: string, path: string): Promise<LiveDocument | undefined> {
    const article = await findLiveArticle(db, visit.store.id, id, { inOriginal: !visit.locale });
    if (!article) return undefined;
    const translated = await translate(visit, [article]);
    const shown = toShown(visit, article, translated);
    const head = { name: shown.title, slug: path, description: shown.excerpt };
    const livePage = await livePageOf(visit, article);
    if (livePage) return compose(visit, head, livePage);
    const translation = translated('article', id, 'content');
    // A translation is stored as it was sent.
    const content = translation === undefined ? article.content : sanitiseHtml(translation);
    const html = articleHtml(shown, content, languageOf(visit));
    return compose(visit, head, withoutIslands({ html, css: blogCss }));
  }

  return {
    async list(storeSlug, page, locale) {
      const store = await visited(storeSlug, locale, () => findVisitedStore(db, storeSlug));
      if (!store) return undefined;
      const at = { store, locale };
      const offset = (page - 1) * articlesAPage;
      const { articles, total } = await listPublished(db, store.id, offset);
      if (articles.length === 0 && page > 1) return undefined;
      const slug = page > 1 ? `${blogSlug}/?page=${page}` : `${blogSlug}/`;
      return keeping(at, slug, { articles, total }, async () => {
        const translated = await translate(at, articles);
        const shown = articles.map((article) => toShown(at, article, translated));
        const around = {
          ...(page > 1 && { newer: page - 1 }),
          ...(offset + articles.length < total && { older: page + 1 }),
        };
        const html = blogHtml('Blog', shown, around, languageOf(at));
        return compose(at, { name: 'Blog', slug }, withoutIslands({ html, css: blogCss }));
      });
    },

    async article(storeSlug, slug, locale) {
      const address = await visited(storeSlug, locale, () => findArticleAddress(db, storeSlug, slug));
      if (!address?.articleId) return undefined;
      const { articleId, stamp, ...store } = address;
      const at = { store, locale };
      const path = `${blogSlug}/${slug}`;
      return keeping(at, path, stamp, () => makeArticle(at, articleId, path));
    },
  };
}

const languageOf = ({ store, locale }: Visit) => locale ?? store.defaultLocale;

function toShown({ store }: Visit, article: ListedArticle, translated: Translate): ShownArticle {
  const { id, title, slug, excerpt, cover_media_id, published_at } = article;
  return {
    title: translated('article', id, 'title') ?? title,
    excerpt: translated('article', id, 'excerpt') ?? excerpt,
    path: `./${slug}`,
    coverUrl: cover_media_id && mediaPath(store.id, cover_media_id),
    publishedAt: published_at,
  };
}
