import { escapeAttribute, escapeText } from './escape.ts';
import { iconPaths } from './icons.ts';

/** A language in which a page is available. */
export interface PageLanguage {
  /** BCP 47. */
  readonly lang: string;
  /** The language's name in itself. */
  readonly name: string;
  /** The URL of the page in this language, relative to the page. */
  readonly url: string;
  /** Whether it is the language of the current page. */
  readonly isCurrent: boolean;
}

/**
 * The start and end of an empty switch as the renderer writes it. Quotation marks in values and texts are escaped, so
 * nothing else can match the start.
 */
const [opening, closing] = ['<nav class="wb-languages', '></nav>'];

/** Fills a page's language switches. With a single language they stay empty and are not shown. */
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
