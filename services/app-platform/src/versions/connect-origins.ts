import type { Problem } from '@waybill/contracts';
import { errors } from '../errors.ts';
import { isLoopback } from '../loopback.ts';

/** What a source of a Content-Security-Policy can name (CSP 3, 2.3.1): no wildcard, no address of IPv6. */
const hostSource = /^https?:\/\/[a-z0-9-]+(\.[a-z0-9-]+)*(:\d+)?$/;

/**
 * Where islands may connect to is written into the policy of live pages as it stands, so only origins in the one
 * spelling that browsers give them pass. Throws `invalid_body`. `decisions.md 14.4`.
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
