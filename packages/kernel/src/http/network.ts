import ipaddr from 'ipaddr.js';

/**
 * Returns the unit that a limit "for each address" counts: an IPv4 address, even if it is written as IPv6, or an IPv6
 * network of 64 bits, because a single customer has all of its addresses. A text that is not an address is returned
 * unchanged.
 */
export function getNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const ip = ipaddr.process(address);
  if (ip.kind() === 'ipv4') return ip.toString();
  const groups = (ip as ipaddr.IPv6).parts.slice(0, 4).map((group) => group.toString(16));
  return `${groups.join(':')}::/64`;
}
