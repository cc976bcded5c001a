import { createHash } from 'node:crypto';
import { pageStyle } from './page-html.ts';

/** What a server of pages needs beside the package itself, which runs in browsers too. */

/** The file that is served as `/assets/wb.js`. */
export const runtimeFile = new URL('./browser/wb.js', import.meta.url);

/** The source that allows a page's style element in `style-src`: `'sha256-…'` of its exact text. */
export function styleSource(css: string): string {
  return `'sha256-${createHash('sha256').update(pageStyle(css)).digest('base64')}'`;
}
