import { isForbiddenAddress, isTrusted, type TrustedTarget } from './address.ts';
import { type Resolving, resolveHost } from './resolve.ts';
import { portOf } from './url.ts';

export type Vetted = { addresses: string[] } | { forbidden: string } | { unresolved: true };

/**
 * Where a URL leads at this moment, by the address rule (`store-api.md 6.3`, `decisions.md 6.1`): one forbidden
 * address among several refuses the host, since the next connection could pick that one. Whoever connects must
 * connect to the addresses given here and not resolve the name again.
 */
export async function vetHost(
  url: URL,
  targets: readonly TrustedTarget[],
  resolving: Resolving = {},
): Promise<Vetted> {
  const addresses = await resolveHost(url.hostname, resolving);
  if (addresses === 'unresolved') return { unresolved: true };
  const port = portOf(url);
  const forbidden = addresses.find((ip) => isForbiddenAddress(ip) && !isTrusted(targets, ip, port));
  return forbidden === undefined ? { addresses } : { forbidden };
}
