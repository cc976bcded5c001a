import { canonicalLocale, idPattern, mediaPath } from '@waybill/contracts';
import { excerptOfHtml, firstImageOf } from '@waybill/html';
import { cleanText, type MediaFacts, pageHtml, wordsIn } from '@waybill/page';
import { fillLanguages } from '@waybill/page/node';
import type { Config } from '../../config.ts';
import { authoredText, type Seo, seoOf } from '../../shared/settings/seo.ts';
import { siteUrl } from '../../shared/stores/addresses.ts';
import type { Frame } from './frame.ts';
import type { RenderedPage } from './make.ts';
import { type Allowed, allowedFor } from './policy.ts';
import { pathInStore } from './sources.ts';
import { openGraph, type Subject, subjectData, type Trail, trailData } from './structured-data.ts';

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
  trail?: Trail;
}

/** A document, and the resources that a browser may load for it. */
export interface DocumentHtml {
  html: string;
  allowed: Allowed;
  /** Whether it keeps search engines away. */
  noIndex: boolean;
}

/** Whether a page with these settings has the store's header and footer: `decisions.md 17.2`. */
const hasFrame = ({ layout }: PageHead['settings']): boolean => layout !== 'none';

/** Combines a page with the frame around it. */
function framed(page: RenderedPage, { header, footer, css, islands, connectOrigins }: Frame) {
  return {
    ...page,
    header,
    footer,
    frameCss: css,
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
  frame?: Frame,
): DocumentHtml {
  const shown = frame && hasFrame(head.settings) ? framed(page, frame) : page;
  const made = frame ? withLanguages(head, shown, frame) : shown;
  const theme = frame?.theme;
  const { storeName, storeSlug, name, slug, settings, defaultLocale, locales, locale } = head;
  const language = languageOf(settings.lang) ?? defaultLocale;
  const site = siteUrl(config, storeSlug);
  const urlIn = (each?: string) => `${site}${pathInStore(slug, each)}`;
  const seo = seoOf(settings);
  const description = authoredText(seo.description) ?? (excerptOfHtml(page.html) || undefined);
  const isHidden = seo.noindex === true;
  const noIndex = head.isDevelopment || isHidden;
  const title = authoredText(seo.title) ?? cleanText(`${name} – ${storeName}`);
  const html = pageHtml({
    ...made,
    ...(theme && { themeUrl: theme.url }),
    title,
    lang: locale ?? language,
    ...(description && { description }),
    ...(noIndex && { noIndex }),
    ...(site && {
      canonicalUrl: urlIn(locale),
      alternates: locales.length > 0 ? alternates(language, locales, urlIn) : [],
    }),
    ...(frame && { iconUrl: frame.icon, ...(frame.feed && { feedUrl: frame.feed }) }),
    ...(site && !isHidden && saidOf(head, page, seo, description, urlIn(locale), locale ?? language)),
  });
  const sheet = theme ? { sheet: { storeSlug, file: theme.file } } : {};
  return { html, allowed: { ...allowedFor(made), ...sheet }, noIndex };
}

/** Fills the language switches of a page and its frame with the languages of the store. */
function withLanguages<Made extends RenderedPage & { header?: string; footer?: string }>(
  { slug, settings, defaultLocale, locales, locale }: PageHead,
  made: Made,
  { toStore }: Frame,
): Made {
  if (locales.length === 0) return made;
  const language = languageOf(settings.lang) ?? defaultLocale;
  const others = locales.filter((each) => each !== language);
  const languages = [undefined, ...others].map((each) => ({
    lang: each ?? language,
    name: ownNameOf(each ?? language),
    url: toStore + pathInStore(slug, each) || './',
    isCurrent: (each ?? language) === (locale ?? language),
  }));
  const filled = (html: string) => fillLanguages(html, languages);
  const { header, footer } = made;
  return {
    ...made,
    html: filled(made.html),
    ...(header !== undefined && { header: filled(header) }),
    ...(footer !== undefined && { footer: filled(footer) }),
  };
}

/** Returns a language's name in that language, as language lists show it, or its tag when it has no name. */
function ownNameOf(locale: string): string {
  try {
    const name = new Intl.DisplayNames(locale, { type: 'language', fallback: 'code' }).of(locale) ?? locale;
    return name.charAt(0).toLocaleUpperCase(locale) + name.slice(1);
  } catch {
    // Tags of private use (`de-x-tea`) are valid locales, but have no name.
    return locale;
  }
}

const assetIds = new RegExp(idPattern('mediaAsset'));

/** Builds the head's data for search engines and link previews. */
function saidOf(
  { storeId, storeName, name, subject, is_homepage, trail: ownTrail }: PageHead,
  { html }: RenderedPage,
  { title, imageMediaId }: Seo,
  description: string | undefined,
  url: string,
  language: string,
) {
  const absolute = (path: string) => new URL(path, url).href;
  const about = { name: cleanText(name), storeName: cleanText(storeName), description, url, absolute };
  const chosen = typeof imageMediaId === 'string' && assetIds.test(imageMediaId) ? imageMediaId : null;
  const image: MediaFacts | undefined = chosen
    ? { url: mediaPath(storeId, chosen) }
    : (subject?.facts.image ?? firstPicture(html));
  const trail =
    ownTrail ?? (is_homepage ? [] : [{ text: wordsIn(language).home, url: './' }, { text: name }]);
  const way = trailData(
    trail.map((step) => ({ ...step, text: cleanText(step.text) })),
    about,
  );
  const type = subject?.kind ?? 'website';
  return {
    openGraph: openGraph({ ...about, name: authoredText(title) ?? about.name }, type, image),
    structuredData: [...(subject ? [subjectData(subject, about)] : []), ...(way ? [way] : [])],
  };
}

const ownPicture = /^\/media\/[\w/]+$/;

/** Returns the first of the store's own pictures on a page. */
function firstPicture(html: string): MediaFacts | undefined {
  const url = firstImageOf(html, (src) => ownPicture.test(src));
  return url === undefined ? undefined : { url };
}

function alternates(
  language: string,
  locales: readonly string[],
  urlIn: (locale?: string) => string,
): { lang: string; url: string }[] {
  const translated = locales.map((lang) => ({ lang, url: urlIn(lang) }));
  return [{ lang: language, url: urlIn() }, ...translated.filter(({ lang }) => lang !== language)];
}

function languageOf(value: unknown): string | null {
  return typeof value === 'string' ? canonicalLocale(value) : null;
}
