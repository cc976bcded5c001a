import type { IncomingMessage } from 'node:http';

/** Prefixes that pages of any origin may call, because they use neither credentials nor cookies: `decisions.md 3.7`. */
const open = ['/storefront/', '/.well-known/'];

/** Whether pages of other origins may request a path and read the answer. */
export const isForAnyOrigin = (path: string): boolean => open.some((prefix) => path.startsWith(prefix));

/** Headers of all answers below these prefixes, even of refusals, so that the page can read why it was refused. */
export const anyOriginHeaders: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'ETag, Preference-Applied, Retry-After, X-Request-Id',
  'cross-origin-resource-policy': 'cross-origin',
};

/** Whether a browser asks which requests a page may send (Fetch, 3.2.2). */
export const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;

/**
 * Headers of the answer to a preflight. It allows no credentials, because pages of other origins must not send our
 * cookies.
 */
export const preflight: Readonly<Record<string, string>> = {
  'access-control-allow-methods': 'GET, HEAD, POST',
  'access-control-allow-headers': 'Content-Type, Idempotency-Key, If-None-Match, Prefer',
  'access-control-max-age': '7200',
};
