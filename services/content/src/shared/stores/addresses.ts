import type { Config } from '../../config.ts';

/**
 * Returns the prefixes of URLs of a store's own files, in lower case; a URL may also have none
 * (`decisions.md 5, 17.7`).
 */
export function mediaBases({ publicBaseUrl, sites }: Config, storeSlug: string): string[] {
  return [publicBaseUrl, sites.findOrigin(storeSlug)].flatMap((base) => base?.toLowerCase() || []);
}

/**
 * Returns the public address of a store with a slash at the end: its own origin, or a path below `/s`. Empty when no
 * public address is configured (`decisions.md 17.7`).
 */
export function siteUrl({ publicBaseUrl, sites }: Config, storeSlug: string): string {
  return publicBaseUrl && `${sites.findOrigin(storeSlug) ?? `${publicBaseUrl}/s/${storeSlug}`}/`;
}
