import { domainToASCII } from 'node:url';
import { isLoopback } from '@waybill/kernel';
import type { Config } from '../config.ts';

/** What ends a host where a URL is read, or stands before it: here it would be left out without a word. */
const notInHost = /[/\\?#@:%\t\n\r]/;
const labels = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;

/**
 * A hostname as DNS has it, lower case and ASCII; what is wrong with it otherwise. One that leads to the system itself,
 * or below the domain of stores, is nobody's.
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
    // The record stands at a longer one.
    hostname.length <= 240 &&
    parts.every((part) => labels.test(part)) &&
    !/^\d+$/.test(parts.at(-1)!);
  if (!isName) return { wrong: 'must be the name of a host with a domain, such as shop.example.com' };
  const isOurs = [sites.domain, publicUrl?.hostname].some(
    (own) => own && (hostname === own || hostname.endsWith(`.${own}`)),
  );
  if (isOurs || isLoopback(hostname)) return { wrong: 'must be a name of your own' };
  return { hostname };
}
