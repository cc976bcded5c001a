import type { IncomingMessage } from 'node:http';

/** What pages of any origin may ask, as it takes no credential and no cookie: `decisions.md 3.7`. */
const open = ['/storefront/', '/.well-known/'];

/** Whether a browser's page of another origin may ask for a path, and read the answer. */
export const isForAnyOrigin = (path: string): boolean => open.some((prefix) => path.startsWith(prefix));

/** The headers of every answer there, refusals too: without them the page would not learn why it was refused. */
export const anyOrigin: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'ETag, Preference-Applied, Retry-After, X-Request-Id',
  'cross-origin-resource-policy': 'cross-origin',
};

/** Whether a browser asks what a page may send before it sends it (Fetch, 3.2.2). */
export const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;

/** The answer to that. No credentials: a cookie of ours is nobody else's to send. */
export const preflight: Readonly<Record<string, string>> = {
  'access-control-allow-methods': 'GET, HEAD, POST',
  'access-control-allow-headers': 'Content-Type, Idempotency-Key, If-None-Match, Prefer',
  'access-control-max-age': '7200',
};
