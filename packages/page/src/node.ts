import { createHash } from 'node:crypto';
import { pageStyle } from './page-html.ts';

/** Additions for servers of pages. The package itself also runs in browsers. */

/** The file that is served as `/assets/wb.js`. */
export const runtimeFile = new URL('./browser/wb.js', import.meta.url);

/** The file that is served as `/assets/shop.js`. */
export const shopFile = new URL('./browser/shop.js', import.meta.url);

/** Returns the `style-src` sources that allow a page's style elements: `'sha256-…'` of each one's exact text. */
export function styleSource(css: string, layoutCss = ''): string {
  return [pageStyle(css), layoutCss].filter(Boolean).map(hashSource).join(' ');
}

const hashSource = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
