import { domainToASCII } from 'node:url';
import { isLoopback } from '@waybill/kernel';
import type { Config } from '../config.ts';

/** Characters that end the host in a URL or precede it. The URL parser would silently drop that part. */
const nonHostCharacters = /[/\\?#@:%\t\n\r]/;
const labelPattern = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;

/**
 * Reads a hostname as DNS spells it, in lower case and ASCII, or explains the mistake. Refuses hostnames of the system
 * itself and of the domain of stores.
 */
export function readHostname(
  text: string,
  { sites, publicUrl }: Pick<Config, 'sites' | 'publicUrl'>,
): { hostname: string } | { problem: string } {
  const normalised = text.trim().toLowerCase().replace(/\.$/, '');
  const hostname = nonHostCharacters.test(normalised) ? '' : domainToASCII(normalised);
  const parts = hostname.split('.');
  const isName =
    parts.length >= 2 &&
    // The name of the verification record is longer, and must still fit.
    hostname.length <= 240 &&
    parts.every((part) => labelPattern.test(part)) &&
    !/^\d+$/.test(parts.at(-1)!);
  if (!isName) return { problem: 'must be the name of a host with a domain, such as shop.example.com' };
  const isOurs = [sites.domain, publicUrl?.hostname].some(
    (platformHost) => platformHost && (hostname === platformHost || hostname.endsWith(`.${platformHost}`)),
  );
  if (isOurs || isLoopback(hostname)) return { problem: 'must be a name of your own' };
  return { hostname };
}
