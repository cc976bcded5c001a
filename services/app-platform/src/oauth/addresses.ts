import { hostHeader, type RouteRequest } from '@waybill/kernel';
import type { Config } from '../config.ts';

/**
 * Returns the public address of the system (without a slash at the end), and its issuer name, which is the origin of
 * that (RFC 8414, 2). If no public address is configured, uses the host of the request (`decisions.md 14.1`).
 */
export function buildAddresses(
  { publicBaseUrl }: Pick<Config, 'publicBaseUrl'>,
  headers: RouteRequest['headers'],
): { base: string; issuer: string } {
  const base = publicBaseUrl || `http://${headers[hostHeader] ?? headers.host}`;
  return { base, issuer: URL.parse(base)?.origin ?? base };
}
