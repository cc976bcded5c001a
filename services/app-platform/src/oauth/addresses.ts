import { hostHeader, type RouteRequest } from '@waybill/kernel';
import type { Config } from '../config.ts';

/**
 * Where clients reach the system (no slash at the end), and its name as an issuer, the origin of that (RFC 8414, 2).
 * While nobody has said where it is reached, that is the host that this client has asked. `decisions.md 14.1`.
 */
export function addressesOf(
  { publicBaseUrl }: Pick<Config, 'publicBaseUrl'>,
  headers: RouteRequest['headers'],
): { base: string; issuer: string } {
  const base = publicBaseUrl || `http://${headers[hostHeader] ?? headers.host}`;
  return { base, issuer: URL.parse(base)?.origin ?? base };
}
