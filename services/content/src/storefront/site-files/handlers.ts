import { canonicalLocale } from '@waybill/contracts';
import { Answer, enforceRateLimit, getNetwork, type Handlers, hostHeader } from '@waybill/kernel';
import type { Context } from '../../config.ts';
import { errors } from '../../errors.ts';
import { isAtOwnOrigin } from '../../publication/rendering/policy.ts';
import { answerConditionally } from '../../publication/served-documents/conditional.ts';
import { findVisitedStore, type VisitedStore } from '../../publication/served-documents/queries.ts';
import { siteUrl } from '../../shared/stores/addresses.ts';
import { readStoreBySlug } from '../../shared/stores/stores.ts';
import { type FeedKind, ProductFeeds } from './product-feeds.ts';
import type { routes } from './routes.ts';
import { getFeed, getIcon, getSitemap, renderRobots } from './site-files.ts';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

const revalidateHeaders = {
  'cache-control': 'public, max-age=0, must-revalidate',
  'x-content-type-options': 'nosniff',
};
/** Headers of a picture, wherever it is opened. */
const pictureHeaders = { ...revalidateHeaders, 'content-security-policy': "default-src 'none'; sandbox" };

interface FeedVisit {
  params: { storeSlug: string };
  headers: Headers;
  address: string;
}

/** Headers of a product feed: Google and Meta fetch it now and then, and search engines must not list it. */
const feedHeaders = {
  'cache-control': 'public, max-age=3600',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
};

/** Creates what the handlers for the files of stores share. */
function createFileAnswers(context: Context) {
  async function requireStore(slug: string): Promise<VisitedStore> {
    let store = await findVisitedStore(context.db, slug);
    // Reading the store stores its facts, if its first event has not arrived yet.
    if (!store && (await readStoreBySlug(context, slug))) store = await findVisitedStore(context.db, slug);
    if (!store) throw errors.not_found();
    return store;
  }

  const getBasePath = (slug: string, headers: Headers) => (isAtOwnOrigin(headers) ? '/' : `/s/${slug}/`);

  /** Returns the address of the store. If no public address is configured, uses the host of the request. */
  const getSiteUrl = (slug: string, headers: Headers) =>
    siteUrl(context.config, slug) ||
    `http://${String(headers[hostHeader] ?? headers.host)}${getBasePath(slug, headers)}`;

  async function answerFeed(slug: string, headers: Headers, tag?: string): Promise<Answer> {
    const store = await requireStore(slug);
    const locale = tag === undefined ? undefined : (canonicalLocale(tag) ?? '');
    if (locale !== undefined && !store.locales.includes(locale)) throw errors.not_found();
    const file = await getFeed(context, store, getSiteUrl(slug, headers), locale);
    return answerConditionally(headers, file, 'application/atom+xml; charset=utf-8', revalidateHeaders);
  }

  return { requireStore, getBasePath, getSiteUrl, answerFeed };
}

/**
 * Creates the handler of a store's feed in a locale, whose address is among the pages of that locale.
 * @throws not_found
 */
export const createFeedAnswer = (context: Context) => createFileAnswers(context).answerFeed;

export const handlers = (context: Context): Handlers<typeof routes> => {
  const { requireStore, getBasePath, getSiteUrl, answerFeed } = createFileAnswers(context);
  const productFeeds = new ProductFeeds(context);
  async function answerProductFeed(
    kind: FeedKind,
    { params: { storeSlug: slug }, headers, address }: FeedVisit,
  ): Promise<Answer> {
    // A feed of many products takes many statements, so requests are limited.
    await enforceRateLimit(context.cache, `feeds:${getNetwork(address)}`, context.config.visitLimit);
    const { body, contentType } = await productFeeds.getFeed(
      kind,
      await requireStore(slug),
      getSiteUrl(slug, headers),
    );
    return new Answer(body, contentType, feedHeaders);
  }
  return {
    async showSitemap({ params: { storeSlug }, query: { part }, headers }) {
      const store = await requireStore(storeSlug);
      const file = await getSitemap(context, store, getSiteUrl(storeSlug, headers), part);
      if (!file) throw errors.not_found();
      return answerConditionally(headers, file, 'application/xml; charset=utf-8', revalidateHeaders);
    },
    async showRobots({ params: { storeSlug }, headers }) {
      const store = await requireStore(storeSlug);
      const text = renderRobots(store, getSiteUrl(storeSlug, headers), getBasePath(storeSlug, headers));
      return new Answer(text, 'text/plain; charset=utf-8', revalidateHeaders);
    },
    showFeed: ({ params, headers }) => answerFeed(params.storeSlug, headers),
    showGoogleFeed: (request) => answerProductFeed('google', request),
    showMetaFeed: (request) => answerProductFeed('meta', request),
    async showIcon({ params: { storeSlug }, headers }) {
      const file = await getIcon(context, await requireStore(storeSlug));
      return answerConditionally(headers, file, 'image/svg+xml', pictureHeaders);
    },
  };
};
