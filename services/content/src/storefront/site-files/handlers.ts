import { canonicalLocale } from '@waybill/contracts';
import { Answer, type Handlers, hostHeader, networkOf, takeOrRefuse } from '@waybill/kernel';
import type { Context } from '../../config.ts';
import { errors } from '../../errors.ts';
import { conditional } from '../../publication/live/conditional.ts';
import { findVisitedStore, type VisitedStore } from '../../publication/live/queries.ts';
import { isAtOwnOrigin } from '../../publication/rendering/policy.ts';
import { siteUrl } from '../../shared/stores/addresses.ts';
import { storeOfSlug } from '../../shared/stores/stores.ts';
import { createProductFeeds, type FeedKind } from './product-feeds.ts';
import type { routes } from './routes.ts';
import { createSiteFiles, robotsOf } from './site-files.ts';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

const asEver = {
  'cache-control': 'public, max-age=0, must-revalidate',
  'x-content-type-options': 'nosniff',
};
/** Headers of a picture, wherever it is opened. */
const asPicture = { ...asEver, 'content-security-policy': "default-src 'none'; sandbox" };

interface FeedVisit {
  params: { storeSlug: string };
  headers: Headers;
  address: string;
}

/** Headers of a feed: its readers come once in a while, and it must not be found by search engines. */
const asFeed = {
  'cache-control': 'public, max-age=3600',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
};

/** Creates the handlers for the files of stores. */
function createAnswers(context: Context) {
  const files = createSiteFiles(context);

  async function storeAt(slug: string): Promise<VisitedStore> {
    let store = await findVisitedStore(context.db, slug);
    // A store whose first event has not arrived yet.
    if (!store && (await storeOfSlug(context, slug))) store = await findVisitedStore(context.db, slug);
    if (!store) throw errors.not_found();
    return store;
  }

  const below = (slug: string, headers: Headers) => (isAtOwnOrigin(headers) ? '/' : `/s/${slug}/`);

  /** Returns the address of the store. If no public address is configured, uses the host of the request. */
  const siteOf = (slug: string, headers: Headers) =>
    siteUrl(context.config, slug) ||
    `http://${String(headers[hostHeader] ?? headers.host)}${below(slug, headers)}`;

  async function feed(slug: string, headers: Headers, tag?: string): Promise<Answer> {
    const store = await storeAt(slug);
    const locale = tag === undefined ? undefined : (canonicalLocale(tag) ?? '');
    if (locale !== undefined && !store.locales.includes(locale)) throw errors.not_found();
    const made = await files.feed(store, siteOf(slug, headers), locale);
    return conditional(headers, made, 'application/atom+xml; charset=utf-8', asEver);
  }

  return { files, storeAt, below, siteOf, feed };
}

/**
 * Returns a store's feed in a locale, whose address is among the pages of that locale.
 * @throws not_found
 */
export const createFeedIn = (context: Context) => createAnswers(context).feed;

export const handlers = (context: Context): Handlers<typeof routes> => {
  const { files, storeAt, below, siteOf, feed } = createAnswers(context);
  const makeProductFeed = createProductFeeds(context);
  async function productFeed(
    kind: FeedKind,
    { params: { storeSlug: slug }, headers, address }: FeedVisit,
  ): Promise<Answer> {
    // A feed of many products takes many statements, so requests are limited.
    await takeOrRefuse(context.cache, `feeds:${networkOf(address)}`, context.config.visitLimit);
    const { body, contentType } = await makeProductFeed(kind, await storeAt(slug), siteOf(slug, headers));
    return new Answer(body, contentType, asFeed);
  }
  return {
    async showSitemap({ params: { storeSlug }, query: { part }, headers }) {
      const store = await storeAt(storeSlug);
      const made = await files.sitemap(store, siteOf(storeSlug, headers), part);
      if (!made) throw errors.not_found();
      return conditional(headers, made, 'application/xml; charset=utf-8', asEver);
    },
    async showRobots({ params: { storeSlug }, headers }) {
      const store = await storeAt(storeSlug);
      const text = robotsOf(store, siteOf(storeSlug, headers), below(storeSlug, headers));
      return new Answer(text, 'text/plain; charset=utf-8', asEver);
    },
    showFeed: ({ params, headers }) => feed(params.storeSlug, headers),
    showGoogleFeed: (asked) => productFeed('google', asked),
    showMetaFeed: (asked) => productFeed('meta', asked),
    async showIcon({ params: { storeSlug }, headers }) {
      const made = await files.icon(await storeAt(storeSlug));
      return conditional(headers, made, 'image/svg+xml', asPicture);
    },
  };
};
