import { createHash } from 'node:crypto';
import { pageStyle } from './page-html.ts';

export { fillLanguages, type PageLanguage } from './render/languages.ts';

/** What a server of pages needs beside the package itself, which runs in browsers too. */

/** The file that is served as `/assets/wb.js`. */
export const runtimeFile = new URL('./browser/wb.js', import.meta.url);

/** The file that is served as `/assets/shop.js`. */
export const shopFile = new URL('./browser/shop.js', import.meta.url);

/** The sources that allow a page's style elements in `style-src`: `'sha256-…'` of the exact text of each. */
export function styleSource(css: string, frameCss = ''): string {
  return [pageStyle(css), frameCss].filter(Boolean).map(hashSource).join(' ');
}

const hashSource = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
