import { readFileSync } from 'node:fs';
import { canonicalLocale } from '@waybill/contracts';
import { Answer, type Handlers } from '@waybill/kernel';
import { runtimeFile, shopFile } from '@waybill/page/node';
import type { Context } from '../../config.ts';
import { errors } from '../../errors.ts';
import { getPath, type Visit } from '../../publication/served-documents/answers.ts';
import { answerConditionally, tagBytes } from '../../publication/served-documents/conditional.ts';
import { findSheet } from '../../publication/theme/queries.ts';
import type { ShopForm, ShopLocation } from '../shop-pages/shop.ts';
import { createShopPages } from '../shop-pages/shop-pages.ts';
import { createFeedAnswer } from '../site-files/handlers.ts';
import type { routes } from './routes.ts';
import { type PageLocation, StorePages } from './store-pages.ts';

/** A request to an address below a store. */
interface StoreRequest {
  params: { storeSlug: string; locale?: string };
}

/** A request to the page of an order. */
interface OrderRequest {
  params: { token: string };
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

/** Answers a visit to an item below a locale. A path may spell the locale in other ways than the store does. */
async function inLocale(
  pages: StorePages,
  visit: Visit & { params: { storeSlug: string; locale: string; slug: string } },
  show: (location: PageLocation) => Promise<Answer>,
): Promise<Answer> {
  const { storeSlug, locale: tag, slug } = visit.params;
  const locale = canonicalLocale(tag);
  return locale ? show({ storeSlug, slug, locale }) : pages.answerNotFound(visit, { storeSlug });
}

/** Creates the handler of a shop page, in the locale of the address if it has one. */
const inShop =
  <Visited extends Visit>(
    pages: StorePages,
    answer: (location: ShopLocation, visit: Visited & StoreRequest) => Promise<Answer | undefined>,
  ) =>
  async (visit: Visited & StoreRequest): Promise<Answer> => {
    const { storeSlug, locale: tag } = visit.params;
    const locale = tag === undefined ? undefined : canonicalLocale(tag);
    if (locale === null) return pages.answerNotFound(visit, { storeSlug });
    const location = { storeSlug, locale };
    return (await answer(location, visit)) ?? pages.answerNotFound(visit, location);
  };

export const handlers = (context: Context): Handlers<typeof routes> => {
  const shopPages = createShopPages(context);
  const pages = new StorePages(context, shopPages);
  const answerFeed = createFeedAnswer(context);

  const changeCart = inShop<ShopForm>(pages, shopPages.changeCart);
  const orderOnPage = inShop<ShopForm>(pages, shopPages.placeOrder);
  const showOrder = inShop<Visit & OrderRequest>(pages, (location, visit) =>
    shopPages.order(location, visit.params.token, visit),
  );
  const changeOrderOnPage = inShop<ShopForm & OrderRequest>(pages, (location, form) =>
    shopPages.changeOrder(location, form.params.token, form),
  );
  return {
    showHomepage: (visit) => pages.showHomepage(visit, visit.params.storeSlug),
    showPage: (visit) => pages.showPage(visit, visit.params),
    showCart: (visit) => pages.showPage(visit, { ...visit.params, slug: 'cart' }),
    showCheckout: (visit) => pages.showPage(visit, { ...visit.params, slug: 'checkout' }),
    showArticle: (visit) => pages.showArticle(visit, visit.params),
    showArticleInLocale: (visit) => inLocale(pages, visit, (location) => pages.showArticle(visit, location)),
    showProduct: (visit) => pages.showProduct(visit, visit.params),
    showProductInLocale: (visit) => inLocale(pages, visit, (location) => pages.showProduct(visit, location)),
    showShopCategory: (visit) => pages.showProductCategory(visit, visit.params),
    showShopCategoryInLocale: (visit) =>
      inLocale(pages, visit, (location) => pages.showProductCategory(visit, location)),
    showCategory: (visit) => pages.showBlogCategory(visit, visit.params),
    showCategoryInLocale: (visit) =>
      inLocale(pages, visit, (location) => pages.showBlogCategory(visit, location)),
    showPageInLocale: (visit) => {
      const { storeSlug, locale, slug } = visit.params;
      if (slug === 'feed.xml') return answerFeed(storeSlug, visit.headers, locale);
      return inLocale(pages, visit, (location) => pages.showPageInLocale(visit, location));
    },
    changeCart,
    orderOnPage,
    async sendInLocale(form) {
      const { slug, ...location } = form.params;
      if (slug === 'cart') return changeCart(form);
      return slug === 'checkout' ? orderOnPage(form) : pages.answerNotFound(form, location);
    },
    showOrder,
    showNothing(visit) {
      const { storeSlug } = visit.params;
      const locale = canonicalLocale(getPath(visit.url).split('/')[3]!);
      return pages.answerNotFound(visit, { storeSlug, locale: locale ?? undefined });
    },
    showOrderInLocale: showOrder,
    changeOrderOnPage,
    changeOrderOnPageInLocale: changeOrderOnPage,
    async showTheme({ params: { storeSlug, hash } }) {
      const sheet = await findSheet(context.db, storeSlug, hash);
      if (sheet === undefined) throw errors.not_found();
      return new Answer(sheet, 'text/css; charset=utf-8', sheetHeaders);
    },
    showRuntime: ({ headers }) => answerConditionally(headers, runtime, scriptType, runtimeHeaders),
    showShop: ({ headers }) => answerConditionally(headers, shop, scriptType, runtimeHeaders),
  };
};
