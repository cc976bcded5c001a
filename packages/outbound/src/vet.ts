import { isForbiddenAddress, isTrusted, type TrustedTarget } from './address.ts';
import { type Resolving, resolveHost } from './resolve.ts';
import { getPort } from './url.ts';

export type Vetted = { addresses: string[] } | { forbidden: string } | { unresolved: true };

/**
 * Resolves a URL's host and applies the address rule (`store-api.md 6.3`, `decisions.md 6.1`). One forbidden address
 * among several refuses the host, because the next connection could pick that one. The caller must connect to the
 * addresses returned here and not resolve the name again.
 */
export async function vetHost(
  url: URL,
  targets: readonly TrustedTarget[],
  resolving: Resolving = {},
): Promise<Vetted> {
  const addresses = await resolveHost(url.hostname, resolving);
  if (addresses === 'unresolved') return { unresolved: true };
  const port = getPort(url);
  const forbidden = addresses.find((ip) => isForbiddenAddress(ip) && !isTrusted(targets, ip, port));
  return forbidden === undefined ? { addresses } : { forbidden };
}

const ownMachine = /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/;

/**
 * Returns the message for a person who has entered a forbidden URL. If the URL names their own machine, they are a
 * developer and the message names the setting that allows it. For other hosts it reveals nothing, so that nobody learns
 * how a name resolves inside our network (`decisions.md 6.2`).
 */
export function forbiddenMessage(url: URL): string {
  const plain = 'The URL leads to an address that webhooks must not call.';
  if (!ownMachine.test(url.hostname)) return plain;
  const target = url.hostname === '[::1]' ? `::1/128:${getPort(url)}` : `127.0.0.1/32:${getPort(url)}`;
  return `${plain} To have calls on this machine, start the server with WEBHOOK_TRUSTED_TARGETS=${target}.`;
}
