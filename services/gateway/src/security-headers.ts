import { isIP } from 'node:net';
import { isLoopback } from '@waybill/kernel';
import type { Config } from './config.ts';

/** What an answer is, as far as its security headers go. */
export type AnswerKind = 'api' | 'page' | 'file' | 'docs' | 'console';

type Headers = Readonly<Record<string, string>>;

/** Nothing of an answer that is data is run or framed, should a browser be made to show it. */
const inert = "default-src 'none'; frame-ancestors 'none'";

/**
 * The security headers of each kind of answer. They are set before a request is handled; who answers may replace one,
 * as a page does with the policy that fits what stands on it.
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

/** A year: what browsers' lists of secure hosts ask for. Subdomains may be other people's. */
const strictTransport = 'max-age=31536000';

const filePrefixes = ['/media/', '/assets/', '/islands/'];
const isBelow = (path: string, prefix: string): boolean => path === prefix || path.startsWith(`${prefix}/`);

/** The kind of what answers at a path. `isOwnOrigin`: at a store's own origin, where all else is the store's page. */
export function answerKindOf(path: string, isOwnOrigin: boolean): AnswerKind {
  if (filePrefixes.some((prefix) => path.startsWith(prefix))) return 'file';
  if (isOwnOrigin || isBelow(path, '/s') || isBelow(path, '/storefront')) return 'page';
  if (isBelow(path, '/docs')) return 'docs';
  return isBelow(path, '/console') ? 'console' : 'api';
}

/** The security headers of every kind of answer, for a system at this address. */
export function createSecurityHeaders({ baseUrl }: Pick<Config, 'baseUrl'>) {
  const everywhere: Headers = {
    'x-content-type-options': 'nosniff',
    ...(baseUrl.startsWith('https://') && { 'strict-transport-security': strictTransport }),
  };
  return {
    /** What every answer has, and one that is given before its kind is known. */
    everywhere,
    of: (kind: AnswerKind): Headers => table[kind],
  };
}

/**
 * Whether the console answers at a host: the system's own, and this machine's. While nobody has said what the system's
 * is, also at addresses and at names of the local network, none of which a stranger's domain can pretend to be.
 */
export function isConsoleHost(hostHeader: string | undefined, systemHost: string | undefined): boolean {
  const hostname = URL.parse(`http://${hostHeader ?? ''}`)?.hostname.replace(/\.$/, '');
  if (!hostname) return hostHeader === undefined;
  if (hostname === systemHost || isLoopback(hostname) || hostname.endsWith('.localhost')) return true;
  if (systemHost !== undefined) return false;
  return isIP(hostname.replace(/^\[|\]$/g, '')) !== 0 || !hostname.includes('.');
}
