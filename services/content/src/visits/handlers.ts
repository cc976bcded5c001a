import { readFileSync } from 'node:fs';
import { canonicalLocale } from '@waybill/contracts';
import type { Answer, Handlers } from '@waybill/kernel';
import { runtimeFile } from '@waybill/page/node';
import type { Context } from '../config.ts';
import { conditional, tagged } from '../live/conditional.ts';
import { createLivePages } from '../live/live.ts';
import { type Address, findAddress, findAddressOrHomepage, findMoved } from '../live/queries.ts';
import { blogSlug, createLiveBlog } from '../live-articles/live-articles.ts';
import { pagePath } from '../rendering/sources.ts';
import { storeOfSlug } from '../stores/stores.ts';
import { answer, answerAt, notFound, pathOf, redirect, type Visit } from './answers.ts';
import type { routes } from './routes.ts';

/** Of the blog's list: which of its pages. */
interface PagedVisit extends Visit {
  query: { page: number };
}

const runtime = tagged(readFileSync(runtimeFile));
const runtimeHeaders = {
  'cache-control': 'public, max-age=3600',
  'x-content-type-options': 'nosniff',
  'access-control-allow-origin': '*',
};

export const handlers = (context: Context): Handlers<typeof routes> => {
  const livePages = createLivePages(context);
  const blog = createLiveBlog(context);
  const { db } = context;

  /**
   * A page, under the address that its document names, and under its slug, where the homepage is served too
   * (`decisions.md 4.4`). Other spellings redirect.
   */
  async function show(visit: Visit, address: Address, slug: string, locale?: string): Promise<Answer> {
    const bySlug = pagePath(address.storeSlug, slug, locale);
    const path = address.isHomepage ? pagePath(address.storeSlug, '', locale) : bySlug;
    if (![path, bySlug].includes(pathOf(visit.url))) return redirect(path, visit);
    const document = await livePages.read(address, locale);
    return document ? answer(visit, document) : notFound(visit);
  }

  /** Nothing is here; what was leads to where it is now. */
  async function moved(
    kind: 'page' | 'article',
    visit: Visit,
    storeSlug: string,
    slug: string,
    locale?: string,
  ): Promise<Answer> {
    const found = await findMoved(db, kind, storeSlug, slug);
    if (!found || (locale && !found.locales.includes(locale))) return notFound(visit);
    const path = kind === 'page' ? found.slug : `${blogSlug}/${found.slug}`;
    return redirect(pagePath(found.storeSlug, path, locale), visit, 301);
  }

  async function showIn(visit: PagedVisit, storeSlug: string, tag: string, slug: string): Promise<Answer> {
    const locale = canonicalLocale(tag);
    if (!locale) return notFound(visit);
    const address = await findAddress(db, storeSlug, slug);
    if (!address && slug === blogSlug) return showBlog(visit, storeSlug, locale);
    if (!address) return moved('page', visit, storeSlug, slug, locale);
    if (!address.locales.includes(locale)) return notFound(visit);
    return show(visit, address, slug, locale);
  }

  async function showBlog(visit: PagedVisit, storeSlug: string, locale?: string): Promise<Answer> {
    const document = await blog.list(storeSlug, visit.query.page, locale);
    if (!document) return notFound(visit);
    return answerAt(pagePath(storeSlug, `${blogSlug}/`, locale), visit, document);
  }

  async function showArticle(
    visit: Visit,
    storeSlug: string,
    slug: string,
    locale?: string,
  ): Promise<Answer> {
    const document = await blog.article(storeSlug, slug, locale);
    if (!document) return moved('article', visit, storeSlug, slug, locale);
    return answerAt(pagePath(storeSlug, `${blogSlug}/${slug}`, locale), visit, document);
  }

  return {
    async showHomepage(visit) {
      const { storeSlug } = visit.params;
      let address = await findAddress(db, storeSlug, '');
      // A store whose first event has not come yet.
      if (!address && (await storeOfSlug(context, storeSlug))) address = await findAddress(db, storeSlug, '');
      return address ? show(visit, address, '') : notFound(visit);
    },
    async showPage(visit) {
      const { storeSlug, slug } = visit.params;
      const locale = canonicalLocale(slug);
      if (!locale) {
        const address = await findAddress(db, storeSlug, slug);
        if (address) return show(visit, address, slug);
        return slug === blogSlug ? showBlog(visit, storeSlug) : moved('page', visit, storeSlug, slug);
      }
      const { address, isBySlug } = await findAddressOrHomepage(db, storeSlug, slug);
      if (address && isBySlug) return show(visit, address, slug);
      if (address?.locales.includes(locale)) return show(visit, address, '', locale);
      return moved('page', visit, storeSlug, slug);
    },
    showArticle: (visit) => showArticle(visit, visit.params.storeSlug, visit.params.slug),
    showArticleInLocale(visit) {
      const { storeSlug, locale: tag, slug } = visit.params;
      const locale = canonicalLocale(tag);
      return locale ? showArticle(visit, storeSlug, slug, locale) : Promise.resolve(notFound(visit));
    },
    showPageInLocale: (visit) => {
      const { storeSlug, locale, slug } = visit.params;
      return showIn(visit, storeSlug, locale, slug);
    },
    showRuntime: async ({ headers }) =>
      conditional(headers, runtime, 'text/javascript; charset=utf-8', runtimeHeaders),
  };
};
