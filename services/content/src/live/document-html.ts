import { canonicalLocale } from '@waybill/contracts';
import { cleanText, frameSources, pageHtml } from '@waybill/page';
import { styleSource } from '@waybill/page/node';
import type { Config } from '../config.ts';
import type { MadePage } from '../publishing/make.ts';
import { pathInStore } from '../publishing/sources.ts';
import { siteUrl } from '../stores/addresses.ts';

/** What the head of a page's document is made of. */
export interface PageHead {
  storeName: string;
  storeSlug: string;
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
  contentSecurityPolicy: string;
}

/** A live page's whole document, byte for byte what the editor's preview computes of the same. */
export function documentHtml(config: Config, head: PageHead, made: MadePage): DocumentHtml {
  const { storeName, storeSlug, name, slug, is_homepage, settings, defaultLocale, locales, locale } = head;
  const language = languageOf(settings.lang) ?? defaultLocale;
  const site = siteUrl(config, storeSlug);
  const urlIn = (each?: string) => `${site}${pathInStore(is_homepage ? '' : slug, each)}`;
  const description = textOf(settings.description);
  const html = pageHtml({
    ...made,
    title: textOf(settings.title) ?? cleanText(`${name} – ${storeName}`),
    lang: locale ?? language,
    ...(description && { description }),
    ...(settings.noindex === true && { noIndex: true }),
    ...(site && {
      canonicalUrl: urlIn(locale),
      alternates: locales.length > 0 ? alternates(language, locales, urlIn) : [],
    }),
  });
  return { html, contentSecurityPolicy: policyFor(made.css) };
}

function alternates(
  language: string,
  locales: readonly string[],
  urlIn: (locale?: string) => string,
): { lang: string; url: string }[] {
  const translated = locales.map((lang) => ({ lang, url: urlIn(lang) }));
  return [{ lang: language, url: urlIn() }, ...translated.filter(({ lang }) => lang !== language)];
}

/** Only the platform's own scripts run, and only the page's own style holds: `decisions.md 4.4`. */
export function policyFor(css: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styleSource(css)}`,
    "img-src 'self' https:",
    "media-src 'self' https:",
    "font-src 'self'",
    // An island talks to its app's own server.
    "connect-src 'self' https:",
    `frame-src ${frameSources.join(' ')}`,
    "form-action 'self' https:",
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ].join('; ');
}

/**
 * The same for a page that is shown where the API is, and other stores: it runs, but in an origin that is nobody's. What
 * it opens in another tab is free of that.
 */
export function sandboxed(contentSecurityPolicy: string): string {
  return `${contentSecurityPolicy}; sandbox ${sandboxAllows.join(' ')}`;
}

const sandboxAllows = [
  ...['allow-scripts', 'allow-forms', 'allow-modals'],
  ...['allow-popups', 'allow-popups-to-escape-sandbox'],
];

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? cleanText(value) : undefined;
}

function languageOf(value: unknown): string | null {
  return typeof value === 'string' ? canonicalLocale(value) : null;
}
