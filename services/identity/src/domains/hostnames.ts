import { domainToASCII } from 'node:url';
import { isLoopback } from '@waybill/kernel';
import type { Config } from '../config.ts';

/** Characters that end the host in a URL or precede it. The URL parser would silently drop that part. */
const notInHost = /[/\\?#@:%\t\n\r]/;
const labels = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;

/**
 * Reads a hostname as DNS spells it, in lower case and ASCII, or explains the mistake. Refuses hostnames of the system
 * itself and of the domain of stores.
 */
export function readHostname(
  text: string,
  { sites, publicUrl }: Pick<Config, 'sites' | 'publicUrl'>,
): { hostname: string } | { wrong: string } {
  const typed = text.trim().toLowerCase().replace(/\.$/, '');
  const hostname = notInHost.test(typed) ? '' : domainToASCII(typed);
  const parts = hostname.split('.');
  const isName =
    parts.length >= 2 &&
    // The name of the verification record is longer, and must still fit.
    hostname.length <= 240 &&
    parts.every((part) => labels.test(part)) &&
    !/^\d+$/.test(parts.at(-1)!);
  if (!isName) return { wrong: 'must be the name of a host with a domain, such as shop.example.com' };
  const isOurs = [sites.domain, publicUrl?.hostname].some(
    (platformHost) => platformHost && (hostname === platformHost || hostname.endsWith(`.${platformHost}`)),
  );
  if (isOurs || isLoopback(hostname)) return { wrong: 'must be a name of your own' };
  return { hostname };
}
