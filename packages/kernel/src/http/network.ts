import ipaddr from 'ipaddr.js';

/**
 * What a limit "for each address" counts: an IPv4 address, also one that is written as IPv6, or an IPv6 network of 64
 * bits, for a single customer has all of its addresses. What is no address stands for itself.
 */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const ip = ipaddr.process(address);
  if (ip.kind() === 'ipv4') return ip.toString();
  const groups = (ip as ipaddr.IPv6).parts.slice(0, 4).map((group) => group.toString(16));
  return `${groups.join(':')}::/64`;
}
