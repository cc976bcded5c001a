import { Answer } from '@waybill/kernel';
import { pageHtml } from '@waybill/page';
import { errors } from '../../errors.ts';
import { withoutIslands } from '../rendering/make.ts';
import { type Allowed, allowedFor, isAtOwnOrigin, policyFor } from '../rendering/policy.ts';
import { conditional } from './conditional.ts';
import type { LiveDocument } from './live.ts';

/** What of a request tells how a live page is answered. */
export interface Visit {
  /** Path and query, below `/s/{storeSlug}`. */
  url: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

const htmlType = 'text/html; charset=utf-8';

export const pathOf = (url: string): string => url.split('?', 1)[0]!;

/** A path as browsers send it: of a store that nobody has, any text may stand in it. */
export const sentPath = (path: string): string => path.replace(/[^\x21-\x7e]/gu, encodeURIComponent);

/** The document under its one address, `path`: others that lead to it redirect there. */
export async function answerAt(path: string, visit: Visit, document: LiveDocument): Promise<Answer> {
  return pathOf(visit.url) === sentPath(path) ? answer(visit, document) : redirect(path, visit);
}

/** For good where something has moved, until another takes the address; else another may stand there tomorrow. */
export function redirect(path: string, visit: Visit, status: 301 | 307 = 307): Answer {
  const query = visit.url.slice(pathOf(visit.url).length);
  const sent = sentPath(path);
  const location = (isAtOwnOrigin(visit.headers) ? sent.replace(/^\/s\/[^/]+/, '') : sent) + query;
  return new Answer('', htmlType, { location, 'cache-control': 'no-cache' }, status);
}

/** A browser asks with every visit, as a page changes without its address changing. */
const pageCaching = { 'cache-control': 'public, max-age=0, must-revalidate' };

/** The document, or 304 to who has it already. */
export function answer(visit: Visit, document: LiveDocument): Promise<Answer> {
  const all = {
    ...pageCaching,
    ...protection(visit, document.allowed),
    // Beside what its head says: this holds for who reads no HTML, too.
    ...(document.noIndex && { 'x-robots-tag': 'noindex' }),
  };
  return conditional(visit.headers, document, htmlType, all);
}

function protection({ headers }: Visit, allowed: Allowed): Record<string, string> {
  return {
    'content-security-policy': policyFor(allowed, headers),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'strict-origin-when-cross-origin',
  };
}

const nothing = withoutIslands({ html: '<h1>Page not found</h1>', css: '' });
const nothingHere = pageHtml({ ...nothing, title: 'Page not found', lang: 'en', noIndex: true });
const nothingAllowed = allowedFor(nothing);

/** HTML for browsers, the store's own where there is one; everybody else gets the API's form of an error. */
export function notFound(visit: Visit, document?: LiveDocument): Answer {
  if (!takesHtml(visit)) throw errors.not_found();
  const headers = { 'cache-control': 'no-cache', ...protection(visit, document?.allowed ?? nothingAllowed) };
  return new Answer(document?.body ?? nothingHere, htmlType, headers, 404);
}

/** A page that says what is wrong with what was sent to it. */
export const refused = (visit: Visit, document: LiveDocument): Answer =>
  new Answer(
    document.body,
    htmlType,
    { 'cache-control': 'no-store', 'x-robots-tag': 'noindex', ...protection(visit, document.allowed) },
    422,
  );

/** Whether it is a browser that asks. */
export const takesHtml = ({ headers }: Visit): boolean => String(headers.accept ?? '').includes('text/html');
