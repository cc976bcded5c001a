import { mediaPath, slugPattern } from '@waybill/contracts';
import { sanitiseHtml } from '@waybill/html';
import type { PageDocument } from '@waybill/page';
import { LRUCache } from 'lru-cache';
import type { Context } from '../config.ts';
import { documentHtml } from '../live/document-html.ts';
import { type LiveDocument, toLiveDocument } from '../live/live.ts';
import { localisation, translatablesOf } from '../live/localise.ts';
import { findVisitedStore, type VisitedStore } from '../live/queries.ts';
import { gatherSources } from '../publishing/gather.ts';
import { createLookups } from '../publishing/lookups.ts';
import { type MadePage, makePage, withoutIslands } from '../publishing/make.ts';
import type { PageSources } from '../publishing/sources.ts';
import { storeOfSlug } from '../stores/stores.ts';
import { listValues } from '../translations/queries.ts';
import { type Translate, translateWith } from '../translations/translations.ts';
import { articleHtml, blogCss, blogHtml, type ShownArticle } from './html.ts';
import {
  articlesAPage,
  findPublished,
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
/** Leads from an article to where pages are. */
const toPages = '../';
const slugs = new RegExp(slugPattern);
/** What a builder document shows of products, media and apps is asked for again after this long. */
const sourcesKeptMs = 5_000;
const keptBytes = 32 * 1024 * 1024;

interface Asking {
  storeId: string;
  document: PageDocument;
}

/** A visit to a store's blog, in a locale that the store is translated into or in the language it was written in. */
interface Visit {
  store: VisitedStore;
  locale: string | undefined;
}

/** A document that was made once, and what it was made of. */
interface Kept {
  stamp: string;
  sources: PageSources | undefined;
  document: LiveDocument;
}

/**
 * Published articles as pages, made of what is stored at the moment of a request. One that was made of the same is kept
 * in memory: so a translated one costs no more than the original.
 */
export function createLiveBlog(context: Context): LiveBlog {
  const { db, config } = context;
  const sourcesOf = new LRUCache<string, PageSources, Asking>({
    maxSize: keptBytes,
    sizeCalculation: (sources) => JSON.stringify(sources).length,
    ttl: sourcesKeptMs,
    // While a service that has to be asked is away, what it said last still holds.
    allowStaleOnFetchRejection: true,
    noDeleteOnFetchRejection: true,
    async fetchMethod(_key, _stale, { context: { storeId, document } }) {
      const lookups = createLookups(context, storeId);
      const { sources } = await gatherSources(context, storeId, document, lookups, { sections: 'saved' });
      return sources;
    },
  });

  async function visit(storeSlug: string, locale?: string): Promise<Visit | undefined> {
    let store = await findVisitedStore(db, storeSlug);
    // One whose first event has not come yet.
    if (!store && slugs.test(storeSlug) && (await storeOfSlug(context, storeSlug))) {
      store = await findVisitedStore(db, storeSlug);
    }
    if (!store) return undefined;
    return locale === undefined || store.locales.includes(locale) ? { store, locale } : undefined;
  }

  const kept = new LRUCache<string, Kept>({
    maxSize: keptBytes,
    sizeCalculation: ({ stamp, document }) => stamp.length + document.body.length + 500,
  });

  /** The document of a visit to `path`; made anew unless it was made of the same before. */
  async function keeping(
    { store, locale }: Visit,
    path: string,
    madeOf: object,
    sources: PageSources | undefined,
    make: () => Promise<LiveDocument>,
  ): Promise<LiveDocument> {
    const key = `${store.id}/${locale ?? ''}/${path}`;
    const { translationRevision, ...rest } = store;
    const stamp = JSON.stringify([rest, locale && translationRevision, madeOf]);
    const last = kept.get(key);
    if (last?.stamp === stamp && last.sources === sources) return last.document;
    const document = await make();
    // Of translations that nobody counts, nothing says that they are still the same.
    if (!locale || translationRevision !== null) kept.set(key, { stamp, sources, document });
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
    const { defaultLocale, locales } = store;
    const page = { ...shown, defaultLocale, locales, ...(locale && { locale }) };
    return toLiveDocument(documentHtml(config, page, made));
  }

  function sourcesOfArticle(
    { store }: Visit,
    { id, updated_at }: LiveArticle,
    document: PageDocument,
  ): Promise<PageSources> {
    const key = `${store.id}/${id}/${updated_at.getTime()}`;
    return sourcesOf.forceFetch(key, { context: { storeId: store.id, document } });
  }

  async function documentBody(
    { store, locale }: Visit,
    id: string,
    document: PageDocument,
    sources: PageSources,
  ): Promise<MadePage> {
    if (!locale) return makePage(document, sources, undefined, toPages);
    const values = await listValues(db, store.id, locale, translatablesOf(id, document, sources));
    return makePage(document, sources, localisation(id, values), toPages);
  }

  return {
    async list(storeSlug, page, locale) {
      const at = await visit(storeSlug, locale);
      if (!at) return undefined;
      const offset = (page - 1) * articlesAPage;
      const { articles, total } = await listPublished(db, at.store.id, offset);
      if (articles.length === 0 && page > 1) return undefined;
      const slug = page > 1 ? `${blogSlug}/?page=${page}` : `${blogSlug}/`;
      return keeping(at, slug, { articles, total }, undefined, async () => {
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
      const at = await visit(storeSlug, locale);
      const article = at && slugs.test(slug) && (await findPublished(db, at.store.id, slug));
      if (!article) return undefined;
      const document: PageDocument | null = article.document && JSON.parse(article.document);
      const sources = document ? await sourcesOfArticle(at, article, document) : undefined;
      const { id, updated_at, published_at } = article;
      const path = `${blogSlug}/${article.slug}`;
      return keeping(at, path, { id, updated_at, published_at }, sources, async () => {
        const translated = await translate(at, [article]);
        const shown = toShown(at, article, translated);
        const head = { name: shown.title, slug: path, description: shown.excerpt };
        if (document) return compose(at, head, await documentBody(at, id, document, sources!));
        const translation = translated('article', id, 'content');
        // A translation is stored as it was sent.
        const content = translation === undefined ? article.content : sanitiseHtml(translation);
        const html = articleHtml(shown, content, languageOf(at));
        return compose(at, head, withoutIslands({ html, css: blogCss }));
      });
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
