import { canonicalLocale } from '@waybill/contracts';
import { cleanText, pageHtml } from '@waybill/page';
import type { Config } from '../config.ts';
import { siteUrl } from '../stores/addresses.ts';
import type { Frame } from './frame.ts';
import type { MadePage } from './make.ts';
import { type Allowed, allowedFor } from './policy.ts';
import { pathInStore } from './sources.ts';

/** What the head of a page's document is made of. */
export interface PageHead {
  storeName: string;
  storeSlug: string;
  /** Search engines are kept away from all of its pages. */
  isDevelopment: boolean;
  name: string;
  slug: string;
  is_homepage: boolean;
  settings: Readonly<Record<string, unknown>>;
  /** The one that the store is written in, where the page's settings name no other. */
  defaultLocale: string;
  /** Those that the store has addresses in besides. */
  locales: readonly string[];
  /** The one of this document, when it is not the language that the page was written in. */
  locale?: string;
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
function framed(page: MadePage, { header, footer, css, islands, connectOrigins }: Frame) {
  return {
    ...page,
    ...{ header, footer, frameCss: css },
    islands: [...new Map([...page.islands, ...islands].map((island) => [island.name, island])).values()],
    connectOrigins: [...new Set([...(page.connectOrigins ?? []), ...connectOrigins])],
  };
}

/**
 * A live page's whole document, byte for byte what the editor's preview computes of the same. The theme is everywhere,
 * header and footer where the page's settings let them be.
 */
export function documentHtml(config: Config, head: PageHead, page: MadePage, frame?: Frame): DocumentHtml {
  const made = frame && hasFrame(head.settings) ? framed(page, frame) : page;
  const theme = frame?.theme;
  const { storeName, storeSlug, name, slug, is_homepage, settings, defaultLocale, locales, locale } = head;
  const language = languageOf(settings.lang) ?? defaultLocale;
  const site = siteUrl(config, storeSlug);
  const urlIn = (each?: string) => `${site}${pathInStore(is_homepage ? '' : slug, each)}`;
  const description = authoredText(settings.description);
  const noIndex = head.isDevelopment || settings.noindex === true;
  const html = pageHtml({
    ...made,
    ...(theme && { themeUrl: theme.url }),
    title: authoredText(settings.title) ?? cleanText(`${name} – ${storeName}`),
    lang: locale ?? language,
    ...(description && { description }),
    ...(noIndex && { noIndex }),
    ...(site && {
      canonicalUrl: urlIn(locale),
      alternates: locales.length > 0 ? alternates(language, locales, urlIn) : [],
    }),
  });
  const sheet = theme ? { sheet: { storeSlug, file: theme.file } } : {};
  return { html, allowed: { ...allowedFor(made), ...sheet }, noIndex };
}

function alternates(
  language: string,
  locales: readonly string[],
  urlIn: (locale?: string) => string,
): { lang: string; url: string }[] {
  const translated = locales.map((lang) => ({ lang, url: urlIn(lang) }));
  return [{ lang: language, url: urlIn() }, ...translated.filter(({ lang }) => lang !== language)];
}

function authoredText(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? cleanText(value) : undefined;
}

function languageOf(value: unknown): string | null {
  return typeof value === 'string' ? canonicalLocale(value) : null;
}
