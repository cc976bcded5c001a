import type { Config } from '../../config.ts';

/** What stands before the path in URLs of a store's own files, beside nothing; in lower case. `decisions.md 5, 17.7` */
export function mediaBases({ publicBaseUrl, sites }: Config, storeSlug: string): string[] {
  return [publicBaseUrl, sites.originOf(storeSlug)].flatMap((base) => base?.toLowerCase() || []);
}

/**
 * Where visitors find a store, with a slash at the end: its own origin, or below `/s`; empty while nobody has said where
 * the system is reached. `decisions.md 17.7`.
 */
export function siteUrl({ publicBaseUrl, sites }: Config, storeSlug: string): string {
  return publicBaseUrl && `${sites.originOf(storeSlug) ?? `${publicBaseUrl}/s/${storeSlug}`}/`;
}
