import type { Problem } from '@waybill/contracts';
import { errors } from '../errors.ts';
import { isLoopback } from '../loopback.ts';

/** Matches sources that a Content-Security-Policy can name (CSP 3, 2.3.1): no wildcard, no IPv6 address. */
const hostSource = /^https?:\/\/[a-z0-9-]+(\.[a-z0-9-]+)*(:\d+)?$/;

/**
 * Checks the origins that islands may connect to. They are copied into the policy of live pages, so each must be in the
 * spelling that browsers give it. Throws `invalid_body` (`decisions.md 14.4`).
 */
export function checkConnectOrigins(origins: readonly string[], allow: { loopback: boolean }): void {
  const details = origins.flatMap((origin, i): Problem[] => {
    const url = hostSource.test(origin) ? URL.parse(origin) : null;
    const isSecure = url?.protocol === 'https:' || (allow.loopback && url !== null && isLoopback(url));
    if (url?.origin === origin && isSecure) return [];
    const also = allow.loopback ? ', or an http one on loopback' : '';
    const message = `must be an https origin such as https://api.example.com${also}`;
    return [{ pointer: `/connectOrigins/${i}`, message }];
  });
  if (details.length > 0) throw errors.invalid_body({ details });
}
