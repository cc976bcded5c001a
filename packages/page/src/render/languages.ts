import { escapeAttribute, escapeText } from './escape.ts';
import { iconPaths } from './icons.ts';

/** A language that a page is served in. */
export interface PageLanguage {
  /** BCP 47. */
  readonly lang: string;
  /** What it calls itself. */
  readonly name: string;
  /** Of the same page in it, as seen from the page. */
  readonly url: string;
  /** The page's own. */
  readonly isCurrent: boolean;
}

/**
 * A switch as the renderer writes it, with nothing in it; a quotation mark in a value or a text is escaped, so nothing else
 * reads like its beginning.
 */
const [opening, closing] = ['<nav class="wb-languages', '></nav>'];

/** Puts the languages of a page into its switches; they stay empty, and are not shown, where there is one language. */
export function fillLanguages(html: string, languages: readonly PageLanguage[]): string {
  const current = languages.find(({ isCurrent }) => isCurrent);
  if (languages.length < 2 || !current) return html;
  const entries = languages.map(({ lang, name, url, isCurrent }) => {
    const tag = escapeAttribute(lang);
    const mark = isCurrent ? ' aria-current="true"' : '';
    return `<li><a href="${escapeAttribute(url)}" hreflang="${tag}" lang="${tag}"${mark}>${escapeText(name)}</a></li>`;
  });
  const drawing = `<svg viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d="${iconPaths.globe}"></path></svg>`;
  const filling = `<details><summary>${drawing}<span>${escapeText(current.name)}</span></summary><ul>${entries.join('')}</ul></details>`;
  return html
    .split(opening)
    .map((part, i) => (i === 0 ? part : part.replace(closing, () => `>${filling}</nav>`)))
    .join(opening);
}
