import { baseCss } from './base-css.ts';
import { escapeAttribute, escapeText } from './render/escape.ts';
import { buyingForm } from './render/fields.ts';
import type { Rendered } from './render/render.ts';

export interface PageInput extends Rendered {
  readonly title: string;
  /** BCP 47. */
  readonly lang: string;
  readonly description?: string;
  /** Absolute URL. */
  readonly canonicalUrl?: string;
  /** Keeps search engines away. */
  readonly noIndex?: boolean;
  /** The same page in other languages, with absolute URLs. */
  readonly alternates?: readonly { readonly lang: string; readonly url: string }[];
  /** Open Graph properties in their order, shown where the page is linked to. */
  readonly openGraph?: readonly (readonly [property: string, content: string])[];
  /** Data for search engines: schema.org things, each a JSON-LD document. */
  readonly structuredData?: readonly object[];
  /** The icon that browsers show beside the title, relative to the page. */
  readonly iconUrl?: string;
  /** An Atom feed, relative to the page. */
  readonly feedUrl?: string;
  /** HTML before and after the main part, rendered as landmarks; their rules are in a style element of their own. */
  readonly header?: string;
  readonly footer?: string;
  readonly layoutCss?: string;
  /** The style sheet of the store's theme, relative to the page. */
  readonly themeUrl?: string;
  /** Modules of the islands on the page, each once; none in a preview. */
  readonly islands?: readonly IslandModule[];
}

export interface IslandModule {
  /** `app.<appId>.<name>`. */
  readonly name: string;
  readonly src: string;
  /** `sha256-<base64>`. */
  readonly integrity: string;
}

/** Returns the text of the page's own `style` element, whose SHA-256 `style-src` allows. */
export function pageStyle(css: string): string {
  return `${baseCss}${css}`;
}

/**
 * Returns a page's main part as it stands in the body. A page has one main landmark: the author's, or one around
 * everything. Text is escaped, so a match for the tag is always an element.
 */
export function pageMain(html: string): string {
  return html.includes('<main ') ? html : `<main>${html}</main>`;
}

/** Returns the complete document, byte for byte as the editor's preview computes it. */
export function pageHtml(page: PageInput): string {
  const { title, lang, description, canonicalUrl, noIndex, alternates = [], html, themeUrl } = page;
  const { header = '', footer = '', openGraph = [], structuredData = [], iconUrl, feedUrl } = page;
  const head = [
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escapeText(title)}</title>`,
    description && `<meta name="description" content="${escapeAttribute(description)}">`,
    noIndex && '<meta name="robots" content="noindex">',
    canonicalUrl && `<link rel="canonical" href="${escapeAttribute(canonicalUrl)}">`,
    ...alternates.map(
      (each) =>
        `<link rel="alternate" hreflang="${escapeAttribute(each.lang)}" href="${escapeAttribute(each.url)}">`,
    ),
    ...openGraph.map(
      ([property, content]) =>
        `<meta property="${escapeAttribute(property)}" content="${escapeAttribute(content)}">`,
    ),
    iconUrl && `<link rel="icon" href="${escapeAttribute(iconUrl)}">`,
    feedUrl && `<link rel="alternate" type="application/atom+xml" href="${escapeAttribute(feedUrl)}">`,
    ...structuredData.map((each) => `<script type="application/ld+json">${scriptJson(each)}</script>`),
    `<style>${pageStyle(page.css)}</style>`,
    page.layoutCss && `<style>${page.layoutCss}</style>`,
    themeUrl && `<link rel="stylesheet" href="${escapeAttribute(themeUrl)}">`,
  ].filter(Boolean);
  const body = [header, pageMain(html), footer, ...createBuyingForm(page), ...listScripts(page)]
    .filter(Boolean)
    .join('\n');
  const direction = isRightToLeft(lang) ? ' dir="rtl"' : '';
  return `<!DOCTYPE html>\n<html lang="${escapeAttribute(lang)}"${direction}>\n<head>\n${head.join('\n')}\n</head>\n<body>\n${body}\n</body>\n</html>\n`;
}

/** Serialises JSON for a script element, with nothing that ends the element or begins a comment. */
function scriptJson(value: object): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const rightToLeft = {
  languages: new Set([
    'ar',
    'arc',
    'ckb',
    'dv',
    'fa',
    'he',
    'ks',
    'nqo',
    'ps',
    'sd',
    'syr',
    'ug',
    'ur',
    'yi',
  ]),
  listScripts: new Set(['adlm', 'arab', 'hebr', 'nkoo', 'rohg', 'syrc', 'thaa']),
};

/** Whether a language is written right to left: by its tag's script, else by the language's usual script. */
function isRightToLeft(lang: string): boolean {
  const [language = '', next = ''] = lang.toLowerCase().split('-');
  return next.length === 4 ? rightToLeft.listScripts.has(next) : rightToLeft.languages.has(language);
}

/** Returns the form through which the page's buy buttons put products into the cart. */
function createBuyingForm({ html, header = '', footer = '' }: PageInput): string[] {
  const hasButtons = [header, html, footer].some((part) => part.includes(` form="${buyingForm}"`));
  return hasButtons ? [`<form id="${buyingForm}" method="post" hidden></form>`] : [];
}

/** Whether a page needs the shop's script: for the cart, or for pictures that open. */
const usesShop = (part: string) =>
  hasBuyButton(part) ||
  part.includes('<a class="wb-zoom"') ||
  /<a class="[^"]*wb-cart-button/.test(part) ||
  part.includes('data-wb-shop=');

const hasBuyButton = (part: string) => /<button [^<>]*data-wb-product/.test(part);

/**
 * Returns the page's scripts: the runtime if it is needed, with the module of each island name, then each module once,
 * ordered by name. They come after everything they work on, so each can run as soon as it has loaded, and one that
 * hangs delays nothing else.
 */
function listScripts({ html, header = '', footer = '', islands = [] }: PageInput): string[] {
  const usesRuntime =
    islands.length > 0 ||
    [header, html, footer].some((part) => part.includes('<form class="wb-form') || hasBuyButton(part));
  const shop = [header, html, footer].some(usesShop) ? ['<script src="/assets/shop.js" defer></script>'] : [];
  if (!usesRuntime) return shop;
  const modules = new Map([...islands].map((island) => [island.src, island]));
  const tags = [...modules.values()]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(
      ({ src, integrity }) =>
        `<script type="module" src="${escapeAttribute(src)}" integrity="${escapeAttribute(integrity)}" crossorigin="anonymous" async></script>`,
    );
  const modulesJson = JSON.stringify(Object.fromEntries(islands.map(({ name, src }) => [name, src])));
  const names = islands.length > 0 ? ` data-wb-islands="${escapeAttribute(modulesJson)}"` : '';
  return [`<script src="/assets/wb.js"${names}></script>`, ...shop, ...tags];
}
