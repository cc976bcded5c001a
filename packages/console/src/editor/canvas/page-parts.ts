import type { Frame, PagePart } from './frame.ts';

/** The HTML of the store's header and footer around a page, and their rules. */
export interface PageParts {
  readonly html: Readonly<Record<PagePart, string>>;
  readonly css: string;
}

/**
 * Extracts header and footer from a whole page that the server rendered. Nothing in a style element or an attribute can
 * look like a tag there, because the renderer escapes it.
 */
export function extractPageParts(page: string): PageParts {
  const [, css = ''] = [...page.matchAll(/<style>([^<]*)<\/style>/g)].map(([, text]) => text);
  const body = page.slice(page.indexOf('<body>'), page.lastIndexOf('</body>'));
  const extractPart = (part: PagePart) => {
    const start = body.indexOf(`<${part} class="wb-site-${part}"`);
    const end = `</${part}>`;
    // Stops at the main part, because the page's own content may contain such an element, too.
    const stop = part === 'header' ? body.indexOf('<main', start) : body.length;
    return start < 0 ? '' : body.slice(start, body.lastIndexOf(end, stop) + end.length);
  };
  return { html: { header: extractPart('header'), footer: extractPart('footer') }, css };
}

/**
 * Dims header and footer and makes them inert; a click opens their editor. They look as they do inside a page's body.
 */
const partRules = `
[data-around]{display:contents;color:var(--wb-text);font-family:var(--wb-font-body);font-size:1rem;line-height:1.6;overflow-wrap:break-word}
[data-around]>*{opacity:.5;cursor:pointer}
[data-around]~body{min-height:0!important}`;

const sheets = new WeakMap<Document, CSSStyleSheet>();

/**
 * Shows the parts before and after the frame's body, which stays the page's own, to the byte; undefined removes them.
 */
export function showPageParts({ document }: Frame, parts: PageParts | undefined): void {
  for (const previous of document.querySelectorAll('[data-around]')) previous.remove();
  sheetOf(document).replaceSync(parts ? `${parts.css}${partRules}` : '');
  for (const part of ['header', 'footer'] as const) {
    const html = parts?.html[part];
    if (!html) continue;
    const wrapper = document.createElement('div');
    wrapper.dataset.around = part;
    wrapper.innerHTML = html;
    // The content is only to look at: the landmark itself opens the editor.
    for (const inner of wrapper.firstElementChild!.children) {
      inner.setAttribute('inert', '');
      inner.setAttribute('aria-hidden', 'true');
    }
    document.documentElement.insertBefore(wrapper, part === 'header' ? document.body : null);
  }
}

/** Returns the sheet after the page's own rules and before the theme's, as in a published page. */
function sheetOf(document: Document): CSSStyleSheet {
  const existing = sheets.get(document);
  if (existing) return existing;
  const { CSSStyleSheet } = document.defaultView as Window & typeof globalThis;
  const sheet = new CSSStyleSheet();
  sheets.set(document, sheet);
  document.adoptedStyleSheets = document.adoptedStyleSheets.toSpliced(1, 0, sheet);
  return sheet;
}
