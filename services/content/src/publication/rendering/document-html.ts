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

/** What the head of a page's document is made of. */
export interface PageHead {
  storeId: string;
  storeName: string;
  storeSlug: string;
  /** Search engines are kept away from all of its pages. */
  isDevelopment: boolean;
  name: string;
  /** Its path below the store, with what its query says of it; the homepage's is empty. */
  slug: string;
  is_homepage: boolean;
  settings: Readonly<Record<string, unknown>>;
  /** The one that the store is written in, where the page's settings name no other. */
  defaultLocale: string;
  /** Those that the store has addresses in besides. */
  locales: readonly string[];
  /** The one of this document, when it is not the language that the page was written in. */
  locale?: string;
  /** What the page is of, if it is of one thing. */
  subject?: Subject;
  /** How visitors come to it; without one from the homepage. */
  trail?: Trail;
}

/** A document, and what a browser may load for it. */
export interface DocumentHtml {
  html: string;
  allowed: Allowed;
  /** Whether it keeps search engines away. */
  noIndex: boolean;
}

/** Whether a page with these settings has the store's header and footer: `decisions.md 17.2`. */
const hasFrame = ({ layout }: PageHead['settings']): boolean => layout !== 'none';

/** A page with what stands around it. */
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
 * A live page's whole document, byte for byte what the editor's preview computes of the same. The theme is everywhere,
 * header and footer where the page's settings let them be.
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

/** What a page and its frame say, with the languages of the store in their switches. */
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

/** What a language calls itself, as a list of languages shows it; its tag where nobody has named it. */
function ownNameOf(locale: string): string {
  try {
    const name = new Intl.DisplayNames(locale, { type: 'language', fallback: 'code' }).of(locale) ?? locale;
    return name.charAt(0).toLocaleUpperCase(locale) + name.slice(1);
  } catch {
    // Tags of private use (`de-x-tea`) are valid locales, and no language has a name for them.
    return locale;
  }
}

const assetIds = new RegExp(idPattern('mediaAsset'));

/** What the head says of the page to search engines, and where it is linked to. */
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

/** The first of the store's own pictures on a page. */
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
