import { isIP } from 'node:net';
import { isLoopback } from '@waybill/kernel';
import type { Config } from './config.ts';

/** The kinds of answers that differ in their security headers. */
export type AnswerKind = 'api' | 'page' | 'file' | 'docs' | 'console';

type Headers = Readonly<Record<string, string>>;

/** Policy for data: nothing in it may run or be framed if a browser shows it. */
const inert = "default-src 'none'; frame-ancestors 'none'";

/**
 * The security headers of each kind of answer. They are set before a request is handled. The handler may replace one,
 * as pages do with a policy that fits their contents.
 */
const table: Readonly<Record<AnswerKind, Headers>> = {
  api: { 'referrer-policy': 'no-referrer', 'content-security-policy': inert },
  page: { 'referrer-policy': 'strict-origin-when-cross-origin' },
  file: { 'referrer-policy': 'strict-origin-when-cross-origin' },
  docs: {
    'referrer-policy': 'no-referrer',
    'content-security-policy': inert,
    'cross-origin-opener-policy': 'same-origin',
  },
  console: {
    'referrer-policy': 'same-origin',
    'content-security-policy': inert,
    'cross-origin-opener-policy': 'same-origin',
  },
};

/**
 * One year, as browsers' lists of secure hosts require. Subdomains are not included, because they may belong to others.
 */
const strictTransport = 'max-age=31536000';

const filePrefixes = ['/media/', '/assets/', '/islands/'];
const isBelow = (path: string, prefix: string): boolean => path === prefix || path.startsWith(`${prefix}/`);

/**
 * Returns the kind of the answer at a path. At a store's own origin (`isOwnOrigin`), everything except files is a page
 * of the store.
 */
export function classifyAnswer(path: string, isOwnOrigin: boolean): AnswerKind {
  if (filePrefixes.some((prefix) => path.startsWith(prefix))) return 'file';
  if (isOwnOrigin || isBelow(path, '/s') || isBelow(path, '/storefront')) return 'page';
  if (isBelow(path, '/docs')) return 'docs';
  return isBelow(path, '/console') ? 'console' : 'api';
}

/** Creates the security headers of all kinds of answers for a system at this address. */
export function createSecurityHeaders({ baseUrl }: Pick<Config, 'baseUrl'>) {
  const everywhere: Headers = {
    'x-content-type-options': 'nosniff',
    ...(baseUrl.startsWith('https://') && { 'strict-transport-security': strictTransport }),
  };
  return {
    /** Headers of every answer, including answers that are sent before their kind is known. */
    everywhere,
    of: (kind: AnswerKind): Headers => table[kind],
  };
}

/**
 * Whether the console answers at a host: the system's own host and this machine. If the system's host is not
 * configured, the console also answers at IP addresses and at names of the local network, because a stranger's domain
 * can be neither.
 */
export function isConsoleHost(hostHeader: string | undefined, systemHost: string | undefined): boolean {
  const hostname = URL.parse(`http://${hostHeader ?? ''}`)?.hostname.replace(/\.$/, '');
  if (!hostname) return hostHeader === undefined;
  if (hostname === systemHost || isLoopback(hostname) || hostname.endsWith('.localhost')) return true;
  if (systemHost !== undefined) return false;
  return isIP(hostname.replace(/^\[|\]$/g, '')) !== 0 || !hostname.includes('.');
}
