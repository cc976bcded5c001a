import type { PageParts } from '../workbench/page-parts.ts';
import type { Frame } from './frame.ts';

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
  getSheet(document).replaceSync(parts ? `${parts.css}${partRules}` : '');
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
function getSheet(document: Document): CSSStyleSheet {
  const existing = sheets.get(document);
  if (existing) return existing;
  const { CSSStyleSheet } = document.defaultView as Window & typeof globalThis;
  const sheet = new CSSStyleSheet();
  sheets.set(document, sheet);
  document.adoptedStyleSheets = document.adoptedStyleSheets.toSpliced(1, 0, sheet);
  return sheet;
}
