import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * The part of IPv6 that is assigned to global unicast. The library's table names the special ranges in use today and
 * calls the unassigned rest `unicast`; this range closes that gap.
 */
const globalUnicastIPv6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether outbound calls to this address are refused. Everything that is not global unicast is refused, in any spelling
 * (`store-api.md 6.3`, `decisions.md 6.1`). So are addresses that embed another one (IPv4-mapped, IPv4-compatible,
 * NAT64, 6to4, Teredo), whatever the embedded address is, and text that is not an address at all.
 */
export function isForbiddenAddress(ip: string): boolean {
  const address = parseAddress(ip);
  if (address === undefined || address.range() !== 'unicast') return true;
  return isIPv6(address) && (address.zoneId !== undefined || !address.match(globalUnicastIPv6));
}

/** One entry of `WEBHOOK_TRUSTED_TARGETS` (`decisions.md 6.2`). */
export interface TrustedTarget {
  network: [Address, number];
  port: number;
}

const targetSyntax = /^(?:\[([\da-f:.]+)\]|([\da-f:.]+))\/(\d{1,3}):(\d{1,5})$/i;

/**
 * Reads `address/prefix:port` entries separated by commas, such as `127.0.0.1/32:9400,[::1]/128:9400`. Brackets around
 * IPv6 addresses are optional (`decisions.md 6.2`). Throws a one-line error that names the entry it cannot read.
 */
export function parseTrustedTargets(text: string): TrustedTarget[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map(parseTarget);
}

function parseTarget(entry: string): TrustedTarget {
  const [, bracketed, plain, prefix, portText] = targetSyntax.exec(entry) ?? [];
  const host = bracketed ?? plain ?? '';
  const port = Number(portText);
  const known = ipaddr.IPv4.isValidFourPartDecimal(host) || ipaddr.IPv6.isValid(host);
  if (!known || !(port >= 1 && port <= 65_535)) {
    throw new Error(`"${entry}" is not address/prefix:port, as in 127.0.0.1/32:9400 or [::1]/128:9400`);
  }
  const address = ipaddr.parse(host);
  const bits = isIPv6(address) ? 128 : 32;
  if (Number(prefix) > bits) throw new Error(`"${entry}" has a prefix longer than ${bits} bits`);
  return { network: [address, Number(prefix)], port };
}

/** Whether the operator exempts this address at this port from the address rule (`decisions.md 6.2`). */
export function isTrusted(targets: readonly TrustedTarget[], ip: string, port: number): boolean {
  const address = parseAddress(ip);
  if (address === undefined) return false;
  return targets.some(
    (target) =>
      target.port === port &&
      target.network[0].kind() === address.kind() &&
      address.match(target.network as [ipaddr.IPv4, number] & [ipaddr.IPv6, number]),
  );
}

function parseAddress(ip: string): Address | undefined {
  return ipaddr.isValid(ip) ? ipaddr.parse(ip) : undefined;
}

function isIPv6(address: Address): address is ipaddr.IPv6 {
  return address.kind() === 'ipv6';
}
