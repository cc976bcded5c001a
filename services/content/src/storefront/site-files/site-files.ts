import { getIdTime } from '@waybill/contracts';
import { sanitiseHtml } from '@waybill/html';
import { cleanText, escapeAttribute, escapeText } from '@waybill/page';
import type { Context } from '../../config.ts';
import { findMapRevision } from '../../publication/live-pages/map-revision.ts';
import { blogSlug, pathInStore } from '../../publication/rendering/sources.ts';
import { type TaggedBody, tagBytes } from '../../publication/served-documents/conditional.ts';
import type { VisitedStore } from '../../publication/served-documents/queries.ts';
import { listValues } from '../../translations/values/queries.ts';
import { translateWith } from '../../translations/values/translations.ts';
import { countEntries, findColor, listEntries, listNewest } from './queries.ts';

/** Maximum number of addresses in one sitemap: sitemaps.org. */
const maxSitemapUrls = 50_000;
/** Number of addresses from which a store's sitemaps are rebuilt at most once a minute. */
const largeSitemapEntries = 5_000;
const minuteMs = 60_000;
const feedLength = 20;
/** Maximum number of characters of HTML in a feed; further articles appear without their content. */
const maxFeedContent = 2_000_000;

/**
 * Returns a sitemap or one of its parts; undefined if there is no such part. `site` is the store's absolute address,
 * with a slash at the end.
 */
export async function getSitemap(
  context: Context,
  store: VisitedStore,
  site: string,
  part?: number,
): Promise<TaggedBody | undefined> {
  const { db, state } = context;
  const { factsRevision, productsRevision, locales, id } = store;
  const mapRevision = await findMapRevision(db, id);
  const location = JSON.stringify([site, locales]);
  const stamp = JSON.stringify([factsRevision, productsRevision, mapRevision]);
  const cached = await state.siteFiles.get(`${id}/${part ?? ''}`, {
    revisions: `${location}\n${stamp}`,
    isCurrent(last) {
      const isFresh = last.isLarge && Date.now() - last.renderedAt < minuteMs;
      return last.location === location && (last.stamp === stamp || isFresh);
    },
    load: async () => {
      const renderedAt = Date.now();
      const entries = await countEntries(db, id);
      const file = await renderSitemap(db, store, site, part, entries);
      return { location, stamp, renderedAt, isLarge: entries > largeSitemapEntries, file };
    },
  });
  return cached!.file;
}

/** Returns the feed of a store's newest articles. `site` is as above; the locale is one of the store's others. */
export async function getFeed(
  context: Context,
  store: VisitedStore,
  site: string,
  locale?: string,
): Promise<TaggedBody> {
  const { db, state } = context;
  const { id, name, defaultLocale, factsRevision, translationRevision } = store;
  const location = JSON.stringify([site, name, defaultLocale]);
  const stamp = JSON.stringify([factsRevision, locale && translationRevision]);
  const cached = await state.siteFiles.get(`${id}/feed/${locale ?? ''}`, {
    revisions: `${location}\n${stamp}`,
    isCurrent: (last) => last.location === location && last.stamp === stamp,
    load: async () => ({
      location,
      stamp,
      renderedAt: Date.now(),
      isLarge: false,
      file: await renderFeed(db, store, site, locale),
    }),
  });
  return cached!.file!;
}

/** Returns the store's icon: the first letter of its name on the color of its theme. */
export async function getIcon({ db }: Context, { id, name }: VisitedStore): Promise<TaggedBody> {
  const color = (await findColor(db, id)) ?? '#1f2937';
  const [letter = '·'] = printable(name).trim().toUpperCase();
  return tagBytes(
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" ` +
        `fill="${attribute(color)}"/><text x="16" y="23" font-family="system-ui,sans-serif" font-size="20" ` +
        `font-weight="700" text-anchor="middle" fill="#fff">${text(letter)}</text></svg>\n`,
    ),
  );
}

/** Renders a part of a sitemap of `entries` addresses, or the index of its parts. */
async function renderSitemap(
  db: Context['db'],
  store: VisitedStore,
  site: string,
  part: number | undefined,
  entries: number,
): Promise<TaggedBody | undefined> {
  const languages = [undefined, ...store.locales];
  const perMap = Math.floor(maxSitemapUrls / languages.length);
  const parts = Math.max(1, Math.ceil(entries / perMap));
  if (part !== undefined && part > parts) return undefined;
  if (part === undefined && parts > 1) {
    const addresses = Array.from({ length: parts }, (_, i) => `${site}sitemap.xml?part=${i + 1}`);
    return xml(
      'sitemapindex',
      addresses.map((url) => `<sitemap><loc>${text(url)}</loc></sitemap>`),
    );
  }
  const found = store.isDevelopment
    ? []
    : await listEntries(db, store.id, perMap, ((part ?? 1) - 1) * perMap);
  return xml(
    'urlset',
    found.flatMap(({ path, updatedAt }) =>
      languages.map((locale) => {
        const url = site + pathInStore(path, locale);
        const changed = updatedAt && `<lastmod>${updatedAt.toISOString()}</lastmod>`;
        return `<url><loc>${text(url)}</loc>${changed ?? ''}</url>`;
      }),
    ),
  );
}

/** Renders an Atom feed of the newest articles: RFC 4287. */
async function renderFeed(
  db: Context['db'],
  store: VisitedStore,
  site: string,
  locale: string | undefined,
): Promise<TaggedBody> {
  const articles = await listNewest(db, store.id, feedLength, maxFeedContent);
  const refs = articles.map(({ id }) => ({ entityType: 'article' as const, entityId: id }));
  const translate = translateWith(locale ? await listValues(db, store.id, locale, refs) : []);
  const home = site + pathInStore('', locale);
  const { host } = new URL(site);
  const entries = articles.map(({ id, slug, publishedAt, updatedAt, ...article }) => {
    const localised = (field: 'title' | 'excerpt') => translate('article', id, field) ?? article[field];
    const [published, updated] = [publishedAt.toISOString(), updatedAt.toISOString()];
    // Sanitised, because a translation is stored as it was sent.
    const translated = translate('article', id, 'content');
    const content = translated === undefined ? article.content : sanitiseHtml(translated);
    return [
      `<entry><title>${text(localised('title'))}</title>`,
      `<id>tag:${text(host)},${published.slice(0, 10)}:${id}</id>`,
      `<link href="${attribute(`${home}${blogSlug}/${slug}`)}"/>`,
      `<published>${published}</published><updated>${updated}</updated>`,
      localised('excerpt') && `<summary>${text(localised('excerpt'))}</summary>`,
      content && `<content type="html" xml:base="${attribute(home)}">${text(content)}</content>`,
      '</entry>',
    ].join('');
  });
  // Without articles, the feed is as old as the store.
  const newest = Math.max(getIdTime(store.id), ...articles.map(({ updatedAt }) => updatedAt.getTime()));
  const language = attribute(locale ?? store.defaultLocale);
  return tagBytes(
    Buffer.from(
      [
        `<?xml version="1.0" encoding="utf-8"?>`,
        `<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${language}"><title>${text(store.name)}</title>`,
        `<id>${text(home)}</id><link href="${attribute(home)}"/>`,
        `<link rel="self" href="${attribute(`${home}feed.xml`)}"/>`,
        `<updated>${new Date(newest).toISOString()}</updated><author><name>${text(store.name)}</name></author>`,
        ...entries,
        '</feed>\n',
      ].join('\n'),
    ),
  );
}

/**
 * Renders the store's robots.txt (RFC 9309). `basePath` is the path to its pages, with a slash at the end. A rule covers
 * all addresses that begin with it, so `cart` without an end would also close a page `cartridges`.
 */
export function renderRobots(
  { isDevelopment, locales }: VisitedStore,
  site: string,
  basePath: string,
): string {
  if (isDevelopment) return 'User-agent: *\nDisallow: /\n';
  const pages = ['cart', 'checkout', 'search'].flatMap((page) => [`${page}$`, `${page}?`]);
  const closed = ['', ...locales.map((locale) => `${locale}/`)].flatMap((directory) =>
    [...pages, 'orders/'].map((path) => `Disallow: ${basePath}${directory}${path}`),
  );
  return `User-agent: *\n${closed.join('\n')}\n\nSitemap: ${site}sitemap.xml\n`;
}

const xml = (root: string, items: readonly string[]): TaggedBody =>
  tagBytes(
    Buffer.from(
      `<?xml version="1.0" encoding="utf-8"?>\n` +
        `<${root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${items.join('\n')}\n</${root}>\n`,
    ),
  );

/** Removes characters that XML cannot represent, not even escaped. */
const printable = (value: string) =>
  cleanText(value).replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '');
/** Escapes a text; XML knows none of HTML's character names. */
const text = (value: string) => escapeText(printable(value)).replaceAll('&nbsp;', '&#160;');
const attribute = (value: string) => escapeAttribute(printable(value)).replaceAll('&nbsp;', '&#160;');
