import { Answer } from '@waybill/kernel';
import { pageHtml } from '@waybill/page';
import { errors } from '../../errors.ts';
import { type AllowedResources, allowedFor, isAtOwnOrigin, policyFor } from '../rendering/policy.ts';
import { withoutIslands } from '../rendering/render-page.ts';
import { answerConditionally } from './conditional.ts';
import type { LiveDocument } from './served-documents.ts';

/** The parts of a request that determine how a live page is answered. */
export interface Visit {
  /** Path and query, relative to `/s/{storeSlug}`. */
  url: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

const htmlType = 'text/html; charset=utf-8';

/** Returns the path of an address without its query. */
export const getPath = (url: string): string => url.split('?', 1)[0]!;

/** Encodes a path as browsers send it: the slug of an unknown store may be any text. */
export const encodePath = (path: string): string => path.replace(/[^\x21-\x7e]/gu, encodeURIComponent);

/** Answers with the document at its only address, `path`; other addresses that lead to it redirect there. */
export async function answerAt(path: string, visit: Visit, document: LiveDocument): Promise<Answer> {
  return getPath(visit.url) === encodePath(path) ? answer(visit, document) : redirect(path, visit);
}

/**
 * Redirects a visit: permanently (301) after a move, until another item takes the address; temporarily (307) otherwise,
 * because another page may be there tomorrow.
 */
export function redirect(path: string, visit: Visit, status: 301 | 307 = 307): Answer {
  const query = visit.url.slice(getPath(visit.url).length);
  const sent = encodePath(path);
  const location = (isAtOwnOrigin(visit.headers) ? sent.replace(/^\/s\/[^/]+/, '') : sent) + query;
  return new Answer('', htmlType, { location, 'cache-control': 'no-cache' }, status);
}

/** Browsers revalidate at every visit, because a page changes without its address changing. */
const pageCaching = { 'cache-control': 'public, max-age=0, must-revalidate' };

/** Answers with the document, or with 304 for a client that has it already. */
export function answer(visit: Visit, document: LiveDocument): Promise<Answer> {
  const all = {
    ...pageCaching,
    ...securityHeaders(visit, document.allowed),
    // Also sent as a header, for clients that do not read the HTML.
    ...(document.noIndex && { 'x-robots-tag': 'noindex' }),
  };
  return answerConditionally(visit.headers, document, htmlType, all);
}

function securityHeaders({ headers }: Visit, allowed: AllowedResources): Record<string, string> {
  return {
    'content-security-policy': policyFor(allowed, headers),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'strict-origin-when-cross-origin',
  };
}

const emptyPage = withoutIslands({ html: '<h1>Page not found</h1>', css: '' });
const notFoundHtml = pageHtml({ ...emptyPage, title: 'Page not found', lang: 'en', noIndex: true });
const notFoundAllowed = allowedFor(emptyPage);

/**
 * Answers that nothing was found: in HTML for browsers, with the store's own page if there is one, and as an API error
 * for others.
 */
export function notFound(visit: Visit, document?: LiveDocument): Answer {
  if (!acceptsHtml(visit)) throw errors.not_found();
  const headers = {
    'cache-control': 'no-cache',
    ...securityHeaders(visit, document?.allowed ?? notFoundAllowed),
  };
  return new Answer(document?.body ?? notFoundHtml, htmlType, headers, 404);
}

/** Answers with a page that explains what is wrong with the submitted values. */
export const answerInvalid = (visit: Visit, document: LiveDocument): Answer =>
  new Answer(
    document.body,
    htmlType,
    { 'cache-control': 'no-store', 'x-robots-tag': 'noindex', ...securityHeaders(visit, document.allowed) },
    422,
  );

/** Whether a browser makes the request. */
export const acceptsHtml = ({ headers }: Visit): boolean =>
  String(headers.accept ?? '').includes('text/html');
