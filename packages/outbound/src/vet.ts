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

const ownMachine = /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/;

/**
 * What whoever writes down a forbidden URL is told. Who names their own machine is developing, and learns the setting that
 * allows it; of other names nothing is told, so that nobody learns what a name leads to in here. `decisions.md 6.2`.
 */
export function forbiddenMessage(url: URL): string {
  const plain = 'The URL leads to an address that webhook calls must not go to.';
  if (!ownMachine.test(url.hostname)) return plain;
  const target = url.hostname === '[::1]' ? `::1/128:${portOf(url)}` : `127.0.0.1/32:${portOf(url)}`;
  return `${plain} To have calls on this machine, start the server with WEBHOOK_TRUSTED_TARGETS=${target}.`;
}
