import { parseWebAddress } from './web-addresses.ts';

/** Whether a URL points to the machine that it is used on, usually a developer's own, and so needs no TLS. */
const isLoopback = ({ hostname }: URL): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);

/** Whether an address may be shown to people to follow: https, or http on loopback. */
export function isSecureUrl(text: string): boolean {
  const url = /^[\x21-\x7e]+$/.test(text) ? parseWebAddress(text) : null;
  return url !== null && (url.protocol === 'https:' || isLoopback(url));
}

/**
 * Whether an address may be registered for redirects (RFC 6749 3.1.2): absolute, without a fragment, and without a
 * wildcard, which could stand for several addresses (RFC 9700, 2.1).
 */
export const isRedirectUri = (uri: string): boolean => isSecureUrl(uri) && !/[#*]/.test(uri);

/** The problem of an address that is not a redirect URI. */
export const redirectUriRule =
  'must be an absolute https URL (http on loopback) without credentials, wildcard or fragment';

/** Matches sources that a Content-Security-Policy can name (CSP 3, 2.3.1): no wildcard, no IPv6 address. */
const hostSource = /^https?:\/\/[a-z0-9-]+(\.[a-z0-9-]+)*(:\d+)?$/;

/**
 * Returns the problem of an origin that islands may not connect to, or null. Origins are copied into the policy of live
 * pages, so each must be in the spelling that browsers give it (`decisions.md 14.4`).
 */
export function connectOriginProblem(origin: string, allow: { loopback: boolean }): string | null {
  const url = hostSource.test(origin) && URL.canParse(origin) ? new URL(origin) : null;
  const isSecure = url?.protocol === 'https:' || (allow.loopback && url !== null && isLoopback(url));
  if (url?.origin === origin && isSecure) return null;
  const also = allow.loopback ? ', or an http one on loopback' : '';
  return `must be an https origin such as https://api.example.com${also}`;
}
