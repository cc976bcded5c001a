import type { LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import { type Lookup, type TrustedTarget, vetHost } from '@waybill/outbound';
import { Refusal } from '../sending/failure.ts';

export interface VettingOptions {
  trustedTargets: readonly TrustedTarget[];
  /** Replaces DNS in tests. */
  lookup?: Lookup | undefined;
}

/** Returns the addresses of a host, all of them allowed (`store-api.md 6.3`, rule 7). Throws a `Refusal` otherwise. */
export async function vetAddresses(
  url: URL,
  { trustedTargets, lookup }: VettingOptions,
): Promise<{ address: string; family: number }[]> {
  const vetted = await vetHost(url, trustedTargets, { ...(lookup && { lookup }), timeoutMs: 2_000 });
  if ('unresolved' in vetted) throw new Refusal('the host name does not resolve');
  if ('forbidden' in vetted) throw new Refusal('the host leads to an address that is not allowed');
  return vetted.addresses.map((address) => ({ address, family: isIP(address) }));
}

/**
 * Creates a look-up function for sockets that returns only allowed addresses, so that no name is resolved a second time
 * unchecked.
 */
export const createVettedLookup =
  (url: URL, options: VettingOptions): LookupFunction =>
  (_name, { all }, callback) => {
    vetAddresses(url, options).then(
      (addresses) =>
        all ? callback(null, addresses) : callback(null, addresses[0]!.address, addresses[0]!.family),
      (error) => callback(error, []),
    );
  };
