import { readFileSync } from 'node:fs';
import { canonicalLocale, isSlug } from '@waybill/contracts';
import { Answer, enforceRateLimit, getNetwork, type Handlers, singleFlight } from '@waybill/kernel';
import { runtimeFile, shopFile } from '@waybill/page/node';
import type { Context } from '../../config.ts';
import { errors } from '../../errors.ts';
import { createLayouts } from '../../publication/layouts/layouts.ts';
import {
  acceptsHtml,
  answer,
  answerAt,
  encodePath,
  getPath,
  notFound,
  redirect,
  type Visit,
} from '../../publication/live/answers.ts';
import { answerConditionally, tagBytes } from '../../publication/live/conditional.ts';
import { createLivePages, type LiveDocument } from '../../publication/live/live.ts';
import {
  type Address,
  findAddress,
  findAddressOrHomepage,
  findCurrentAddress,
} from '../../publication/live/queries.ts';
import { isAtOwnOrigin } from '../../publication/rendering/policy.ts';
import { blogSlug, categoriesSlug, pagePath, productsSlug } from '../../publication/rendering/sources.ts';
import { type PageRequest, SystemPages } from '../../publication/system-pages/system-pages.ts';
import { findSheet } from '../../publication/theme/queries.ts';
import { readStoreBySlug } from '../../shared/stores/stores.ts';
import type { FormerSlug } from '../../tables.ts';
import { isVariantId } from '../shop-pages/cart.ts';
import type { ShopForm, ShopLocation } from '../shop-pages/shop.ts';
import { createShopPages } from '../shop-pages/shop-pages.ts';
import { createFeedAnswer } from '../site-files/handlers.ts';
import { maxQuery, readBrowse } from './browse-query.ts';
import type { routes } from './routes.ts';

/** A visit to an address below a store. */
interface StoreRequest {
  params: { storeSlug: string; locale?: string };
}

/** A visit with a page of a list, and a search text. */
interface PagedVisit extends Visit {
  query: { page: number; q: string };
  address: string;
}

const runtime = tagBytes(readFileSync(runtimeFile));
const shop = tagBytes(readFileSync(shopFile));
const scriptType = 'text/javascript; charset=utf-8';
const sheetHeaders = {
  'cache-control': 'public, max-age=31536000, immutable',
  'x-content-type-options': 'nosniff',
};
const runtimeHeaders = {
  'cache-control': 'public, max-age=3600',
  'x-content-type-options': 'nosniff',
  'access-control-allow-origin': '*',
};

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table of handlers that share one context
export const handlers = (context: Context): Handlers<typeof routes> => {
  const frames = createLayouts(context);
  const livePages = createLivePages(context, frames);
  const systemPages = new SystemPages(context, frames);
  const shopPages = createShopPages(context, frames);
  const feedIn = createFeedAnswer(context);
  const { db, log, cache, config } = context;
  const shareLookup = singleFlight<Address | undefined>();
  const lookUpAddress = (storeSlug: string, slug: string) =>
    shareLookup(`${storeSlug}/${slug}`, () => findAddress(db, storeSlug, slug));

  const { perMinute, burst } = config.visitLimit;
  const uncachedPageLimit = { perMinute: perMinute * 10, burst: burst * 10 };
  const toPageRequest = ({ query: { page, q }, address }: PagedVisit, locale?: string): PageRequest => ({
    locale,
    page,
    q: q.slice(0, maxQuery),
    admit: () => enforceRateLimit(cache, `pages-made:${getNetwork(address)}`, uncachedPageLimit),
  });

  /** Answers with the store's own not-found page. */
  async function answerNotFound(visit: Visit, storeSlug: string, locale?: string): Promise<Answer> {
    if (!acceptsHtml(visit) || !isSlug(storeSlug)) return notFound(visit);
    try {
      const location = { locale, page: 1 };
      const pathToPages = (answerDocument: string | undefined) =>
        getPathToPages(visit, storeSlug, answerDocument);
      const document = await systemPages.notFound(storeSlug, location, pathToPages);
      return notFound(visit, document);
    } catch (err) {
      log.warn({ err, storeSlug }, 'a page that is not there is said to be so in plain words');
      return notFound(visit);
    }
  }

  /**
   * Shows a page at the address of its document, and at its slug, where the homepage is served too
   * (`decisions.md 4.4`). Other spellings redirect.
   */
  async function showLivePage(
    visit: PagedVisit,
    address: Address,
    slug: string,
    locale?: string,
  ): Promise<Answer> {
    const bySlug = pagePath(address.storeSlug, slug, locale);
    const path = address.isHomepage ? pagePath(address.storeSlug, '', locale) : bySlug;
    if (![path, bySlug].includes(getPath(visit.url))) return redirect(path, visit);
    let document = await livePages.read(address, locale);
    if (document?.isPaged && visit.query.page > 1)
      document = await systemPages.further(address, toPageRequest(visit, locale));
    return document ? answer(visit, document) : answerNotFound(visit, address.storeSlug, locale);
  }

  /** Redirects from a former address to the present one, or else answers that nothing was found. */
  async function redirectMoved(
    kind: FormerSlug['kind'],
    visit: Visit,
    storeSlug: string,
    slug: string,
    locale?: string,
  ): Promise<Answer> {
    const found = await findCurrentAddress(db, kind, storeSlug, slug);
    if (!found || (locale && !found.locales.includes(locale)))
      return answerNotFound(visit, storeSlug, locale);
    const pathPrefixes = {
      page: '',
      article: `${blogSlug}/`,
      product: `${productsSlug}/`,
      category: `${categoriesSlug}/`,
    };
    const path = pathPrefixes[kind] + found.slug;
    return redirect(pagePath(found.storeSlug, path, locale), visit, 301);
  }

  /** Shows a page that exists without a merchant having made it. */
  async function showBuiltIn(
    visit: PagedVisit,
    storeSlug: string,
    slug: string,
    locale?: string,
  ): Promise<Answer> {
    if (slug === 'cart' || slug === 'checkout') {
      const path = pagePath(storeSlug, slug, locale);
      if (getPath(visit.url) !== encodePath(path)) return redirect(path, visit);
      return (
        (await shopPages[slug]({ storeSlug, locale }, visit)) ?? answerNotFound(visit, storeSlug, locale)
      );
    }
    const isBlog = slug === blogSlug;
    if (!isBlog && slug !== searchSlug) return redirectMoved('page', visit, storeSlug, slug, locale);
    // Each search text makes another page, so requests are limited.
    if (!isBlog) await enforceRateLimit(cache, `search:${getNetwork(visit.address)}`, config.visitLimit);
    const document = isBlog
      ? await systemPages.blog(storeSlug, toPageRequest(visit, locale))
      : await systemPages.search(storeSlug, {
          ...toPageRequest(visit, locale),
          browse: readBrowse(visit.url, 'search'),
        });
    return answerDocument(visit, document, storeSlug, isBlog ? `${blogSlug}/` : searchSlug, locale);
  }

  async function answerDocument(
    visit: Visit,
    document: LiveDocument | undefined,
    storeSlug: string,
    path: string,
    locale?: string,
  ): Promise<Answer> {
    if (!document) return answerNotFound(visit, storeSlug, locale);
    return answerAt(pagePath(storeSlug, path, locale), visit, document);
  }

  async function showInLocale(
    visit: PagedVisit,
    storeSlug: string,
    tag: string,
    slug: string,
  ): Promise<Answer> {
    const locale = canonicalLocale(tag);
    if (!locale) return answerNotFound(visit, storeSlug);
    const address = await lookUpAddress(storeSlug, slug);
    if (!address) return showBuiltIn(visit, storeSlug, slug, locale);
    if (!address.locales.includes(locale)) return answerNotFound(visit, storeSlug);
    return showLivePage(visit, address, slug, locale);
  }

  async function showArticle(
    visit: PagedVisit,
    storeSlug: string,
    slug: string,
    locale?: string,
  ): Promise<Answer> {
    const document = await systemPages.article(storeSlug, slug, toPageRequest(visit, locale));
    if (!document) return redirectMoved('article', visit, storeSlug, slug, locale);
    return answerDocument(visit, document, storeSlug, `${blogSlug}/${slug}`, locale);
  }

  async function showShopCategory(visit: PagedVisit, storeSlug: string, slug: string, locale?: string) {
    const browse = readBrowse(visit.url, 'category');
    // Each choice makes another page, so requests are limited.
    if (browse.pairs.length > 0)
      await enforceRateLimit(cache, `search:${getNetwork(visit.address)}`, config.visitLimit);
    const document = await systemPages.category(storeSlug, slug, { ...toPageRequest(visit, locale), browse });
    if (!document) return redirectMoved('category', visit, storeSlug, slug, locale);
    return answerDocument(visit, document, storeSlug, `${categoriesSlug}/${slug}`, locale);
  }

  async function showProduct(
    visit: PagedVisit & { query: { variant?: string } },
    storeSlug: string,
    slug: string,
    locale?: string,
  ) {
    const { variant } = visit.query;
    const variantId = variant !== undefined && isVariantId(variant) ? variant : undefined;
    const document = await systemPages.product(storeSlug, slug, {
      ...toPageRequest(visit, locale),
      variantId,
    });
    if (!document) return redirectMoved('product', visit, storeSlug, slug, locale);
    return answerDocument(visit, document, storeSlug, `${productsSlug}/${slug}`, locale);
  }

  async function showCategory(visit: PagedVisit, storeSlug: string, slug: string, locale?: string) {
    const document = await systemPages.blog(storeSlug, toPageRequest(visit, locale), slug);
    return answerDocument(visit, document, storeSlug, `${blogSlug}/category/${slug}`, locale);
  }

  /** Creates the handler of a shop page, in the locale of the address if it has one. */
  const inShop =
    <Visited extends Visit & StoreRequest>(
      answer: (place: ShopLocation, visit: Visited) => Promise<Answer | undefined>,
    ) =>
    async (visit: Visited): Promise<Answer> => {
      const { storeSlug, locale: tag } = visit.params;
      const locale = tag === undefined ? undefined : canonicalLocale(tag);
      if (locale === null) return answerNotFound(visit, storeSlug);
      return (await answer({ storeSlug, locale }, visit)) ?? answerNotFound(visit, storeSlug, locale);
    };
  const changeCart = inShop<ShopForm & StoreRequest>(shopPages.changeCart);
  const orderOnPage = inShop<ShopForm & StoreRequest>(shopPages.placeOrder);
  const showOrder = inShop((place, visit: Visit & StoreRequest & { params: { token: string } }) =>
    shopPages.order(place, visit.params.token, visit),
  );

  const changeOrderOnPage = inShop((place, form: ShopForm & StoreRequest & { params: { token: string } }) =>
    shopPages.changeOrder(place, form.params.token, form),
  );

  /** Creates the handler for an item with a slug, in the locale of the address. */
  const inLocale =
    (
      showLivePage: (visit: PagedVisit, storeSlug: string, slug: string, locale?: string) => Promise<Answer>,
    ) =>
    async (visit: PagedVisit & { params: { storeSlug: string; locale: string; slug: string } }) => {
      const { storeSlug, locale: tag, slug } = visit.params;
      const locale = canonicalLocale(tag);
      return locale ? showLivePage(visit, storeSlug, slug, locale) : answerNotFound(visit, storeSlug);
    };

  async function showPage(visit: PagedVisit, storeSlug: string, slug: string): Promise<Answer> {
    const locale = canonicalLocale(slug);
    if (!locale) {
      const address = await lookUpAddress(storeSlug, slug);
      return address ? showLivePage(visit, address, slug) : showBuiltIn(visit, storeSlug, slug);
    }
    const { address, isBySlug } = await findAddressOrHomepage(db, storeSlug, slug);
    if (address && isBySlug) return showLivePage(visit, address, slug);
    if (address?.locales.includes(locale)) return showLivePage(visit, address, '', locale);
    const front = address ? undefined : await systemPages.front(storeSlug, toPageRequest(visit, locale));
    if (front) return answerDocument(visit, front, storeSlug, '', locale);
    return showBuiltIn(visit, storeSlug, slug);
  }

  return {
    async showHomepage(visit) {
      const { storeSlug } = visit.params;
      let address = await lookUpAddress(storeSlug, '');
      // A store whose first event has not arrived yet.
      if (!address && (await readStoreBySlug(context, storeSlug)))
        address = await lookUpAddress(storeSlug, '');
      if (address) return showLivePage(visit, address, '');
      return answerDocument(visit, await systemPages.front(storeSlug, toPageRequest(visit)), storeSlug, '');
    },
    showPage: (visit) => showPage(visit, visit.params.storeSlug, visit.params.slug),
    showCart: (visit) => showPage(visit, visit.params.storeSlug, 'cart'),
    showCheckout: (visit) => showPage(visit, visit.params.storeSlug, 'checkout'),
    showArticle: (visit) => showArticle(visit, visit.params.storeSlug, visit.params.slug),
    showArticleInLocale: inLocale(showArticle),
    showProduct: (visit) => showProduct(visit, visit.params.storeSlug, visit.params.slug),
    showProductInLocale: inLocale(showProduct),
    showShopCategory: (visit) => showShopCategory(visit, visit.params.storeSlug, visit.params.slug),
    showShopCategoryInLocale: inLocale(showShopCategory),
    showCategory: (visit) => showCategory(visit, visit.params.storeSlug, visit.params.slug),
    showCategoryInLocale: inLocale(showCategory),
    showPageInLocale: (visit) => {
      const { storeSlug, locale, slug } = visit.params;
      if (slug === 'feed.xml') return feedIn(storeSlug, visit.headers, locale);
      return showInLocale(visit, storeSlug, locale, slug);
    },
    changeCart,
    orderOnPage,
    async sendInLocale(form) {
      const { storeSlug, locale, slug } = form.params;
      if (slug === 'cart') return changeCart(form);
      return slug === 'checkout' ? orderOnPage(form) : answerNotFound(form, storeSlug, locale);
    },
    showOrder,
    showNothing(visit) {
      const { storeSlug } = visit.params;
      const locale = canonicalLocale(getPath(visit.url).split('/')[3]!);
      return answerNotFound(visit, storeSlug, locale ?? undefined);
    },
    showOrderInLocale: showOrder,
    changeOrderOnPage,
    changeOrderOnPageInLocale: changeOrderOnPage,
    async showTheme({ params: { storeSlug, hash } }) {
      const sheet = await findSheet(db, storeSlug, hash);
      if (sheet === undefined) throw errors.not_found();
      return new Answer(sheet, 'text/css; charset=utf-8', sheetHeaders);
    },
    showRuntime: ({ headers }) => answerConditionally(headers, runtime, scriptType, runtimeHeaders),
    showShop: ({ headers }) => answerConditionally(headers, shop, scriptType, runtimeHeaders),
  };
};

/** Returns the path from an address of any depth to the store's pages in a locale. */
function getPathToPages({ url, headers }: Visit, storeSlug: string, locale: string | undefined): string {
  const pages = `/s/${storeSlug}/${locale ? `${locale}/` : ''}`;
  const steps = getPath(url).slice(pages.length).split('/').length - 1;
  if (steps > maxSteps) return isAtOwnOrigin(headers) ? pages.slice(`/s/${storeSlug}`.length) : pages;
  return steps === 0 ? './' : '../'.repeat(steps);
}

/** Maximum depth; no address of a store is deeper, and a page is kept in memory for each. */
const maxSteps = 8;
const searchSlug = 'search';
