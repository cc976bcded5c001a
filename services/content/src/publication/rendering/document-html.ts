import { canonicalLocale, getNativeName, idPattern, mediaPath } from '@waybill/contracts';
import { createExcerpt, findFirstImage } from '@waybill/html';
import { cleanText, getWords, type MediaFacts, pageHtml } from '@waybill/page';
import { fillLanguages } from '@waybill/page/languages';
import type { Config } from '../../config.ts';
import { authoredText, readSeo, type Seo } from '../../shared/settings/seo.ts';
import { siteUrl } from '../../shared/stores/addresses.ts';
import type { Layout } from './layout.ts';
import { type AllowedResources, allowedFor } from './policy.ts';
import type { RenderedPage } from './render-page.ts';
import { pathInStore } from './sources.ts';
import {
  type Breadcrumbs,
  buildOpenGraph,
  describeBreadcrumbs,
  describeSubject,
  type Subject,
} from './structured-data.ts';

/** The data of the head of a page's document. */
export interface PageHead {
  storeId: string;
  storeName: string;
  storeSlug: string;
  /** Keeps search engines away from all of its pages. */
  isDevelopment: boolean;
  name: string;
  /** Its path within the store, with any query; empty for the homepage. */
  slug: string;
  /** Its path with the visitor's choices, which links to other languages keep; by default `slug`. */
  chosenPath?: string;
  is_homepage: boolean;
  settings: Readonly<Record<string, unknown>>;
  /** The store's default locale, used unless the page's settings name another. */
  defaultLocale: string;
  /** The other locales in which the store has addresses. */
  locales: readonly string[];
  /** The locale of this document, unless it is the page's original language. */
  locale?: string;
  /** The item that the page is about, if there is a single one. */
  subject?: Subject;
  /** The breadcrumbs of the page; by default from the homepage. */
  trail?: Breadcrumbs;
}

/** A document, and the resources that a browser may load for it. */
export interface DocumentHtml {
  html: string;
  allowed: AllowedResources;
  /** Whether it keeps search engines away. */
  noIndex: boolean;
}

/** Whether a page with these settings has the store's header and footer: `decisions.md 17.2`. */
const hasLayout = ({ layout }: PageHead['settings']): boolean => layout !== 'none';

/** Combines a page with the layout around it. */
function addLayout(page: RenderedPage, { header, footer, css, islands, connectOrigins }: Layout) {
  return {
    ...page,
    header,
    footer,
    layoutCss: css,
    islands: [...new Map([...page.islands, ...islands].map((island) => [island.name, island])).values()],
    connectOrigins: [...new Set([...(page.connectOrigins ?? []), ...connectOrigins])],
  };
}

/**
 * Builds the complete document of a live page, identical byte for byte to the editor's preview. The theme always
 * applies; header and footer only if the page's settings allow them.
 */
export function documentHtml(
  config: Config,
  head: PageHead,
  page: RenderedPage,
  layout?: Layout,
): DocumentHtml {
  const pageInLayout = layout && hasLayout(head.settings) ? addLayout(page, layout) : page;
  const finalPage = layout ? fillLanguageSwitches(head, pageInLayout, layout) : pageInLayout;
  const theme = layout?.theme;
  const { storeName, storeSlug, name, slug, settings, defaultLocale, locales, locale } = head;
  const language = parseLanguage(settings.lang) ?? defaultLocale;
  const site = siteUrl(config, storeSlug);
  const getUrl = (each?: string) => `${site}${pathInStore(slug, each)}`;
  const seo = readSeo(settings);
  // The text of a product's page besides its description is prices and buttons.
  const ownText = head.subject?.kind === 'product' ? '' : createExcerpt(page.html);
  const description = authoredText(seo.description) ?? (ownText || undefined);
  const isHidden = seo.noindex === true;
  const noIndex = head.isDevelopment || isHidden;
  const title = authoredText(seo.title) ?? cleanText(`${name} – ${storeName}`);
  const html = pageHtml({
    ...finalPage,
    ...(theme && { themeUrl: theme.url }),
    title,
    lang: locale ?? language,
    ...(description && { description }),
    ...(noIndex && { noIndex }),
    ...(site && {
      canonicalUrl: getUrl(locale),
      alternates: locales.length > 0 ? alternates(language, locales, getUrl) : [],
    }),
    ...(layout && { iconUrl: layout.icon, ...(layout.feed && { feedUrl: layout.feed }) }),
    ...(site &&
      !isHidden &&
      buildHeadMetadata(head, page, seo, description, getUrl(locale), locale ?? language)),
  });
  const sheet = theme ? { sheet: { storeSlug, file: theme.file } } : {};
  return { html, allowed: { ...allowedFor(finalPage), ...sheet }, noIndex };
}

/** Fills the language switches of a page and its layout with the languages of the store. */
function fillLanguageSwitches<Page extends RenderedPage & { header?: string; footer?: string }>(
  { slug, chosenPath = slug, settings, defaultLocale, locales, locale }: PageHead,
  finalPage: Page,
  { toStore }: Layout,
): Page {
  if (locales.length === 0) return finalPage;
  const language = parseLanguage(settings.lang) ?? defaultLocale;
  const others = locales.filter((each) => each !== language);
  const languages = [undefined, ...others].map((each) => ({
    lang: each ?? language,
    name: getNativeName(each ?? language),
    url: toStore + pathInStore(chosenPath, each) || './',
    isCurrent: (each ?? language) === (locale ?? language),
  }));
  const fill = (html: string) => fillLanguages(html, languages);
  const { header, footer } = finalPage;
  return {
    ...finalPage,
    html: fill(finalPage.html),
    ...(header !== undefined && { header: fill(header) }),
    ...(footer !== undefined && { footer: fill(footer) }),
  };
}

const assetIds = new RegExp(idPattern('mediaAsset'));

/** Builds the head's data for search engines and link previews. */
function buildHeadMetadata(
  { storeId, storeName, name, subject, is_homepage, trail: pageTrail }: PageHead,
  { html }: RenderedPage,
  { title, imageMediaId }: Seo,
  description: string | undefined,
  url: string,
  language: string,
) {
  const absolute = (path: string) => new URL(path, url).href;
  const pageFacts = { name: cleanText(name), storeName: cleanText(storeName), description, url, absolute };
  const chosenImageId = typeof imageMediaId === 'string' && assetIds.test(imageMediaId) ? imageMediaId : null;
  const image: MediaFacts | undefined = chosenImageId
    ? { url: mediaPath(storeId, chosenImageId) }
    : (subject?.facts.image ?? firstPicture(html));
  const trail =
    pageTrail ?? (is_homepage ? [] : [{ text: getWords(language).home, url: './' }, { text: name }]);
  const breadcrumbs = describeBreadcrumbs(
    trail.map((step) => ({ ...step, text: cleanText(step.text) })),
    pageFacts,
  );
  const type = subject?.kind ?? 'website';
  return {
    openGraph: buildOpenGraph({ ...pageFacts, name: authoredText(title) ?? pageFacts.name }, type, image),
    structuredData: [
      ...(subject ? [describeSubject(subject, pageFacts)] : []),
      ...(breadcrumbs ? [breadcrumbs] : []),
    ],
  };
}

const storePicture = /^\/media\/[\w/]+$/;

/** Returns the first of the store's own pictures on a page. */
function firstPicture(html: string): MediaFacts | undefined {
  const url = findFirstImage(html, (src) => storePicture.test(src));
  return url === undefined ? undefined : { url };
}

function alternates(
  language: string,
  locales: readonly string[],
  getUrl: (locale?: string) => string,
): { lang: string; url: string }[] {
  const translated = locales.map((lang) => ({ lang, url: getUrl(lang) }));
  return [{ lang: language, url: getUrl() }, ...translated.filter(({ lang }) => lang !== language)];
}

function parseLanguage(value: unknown): string | null {
  return typeof value === 'string' ? canonicalLocale(value) : null;
}
