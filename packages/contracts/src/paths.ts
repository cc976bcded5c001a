/**
 * Paths at which the gateway serves content that other services only link to, relative to the public base URL. The
 * bytes at such a path never change.
 */

/** Returns the path of a media asset's file, `decisions.md 5`. */
export const mediaPath = (storeId: string, assetId: string): string => `/media/${storeId}/${assetId}`;

/** Returns the path of an island's module by the SHA-256 (hex) of its bytes, `decisions.md 7.8`. */
export const islandPath = (sha256: string): string => `/islands/${sha256}.js`;

/** Returns the path of an unreviewed module, only for pages of a development store: `decisions.md 14.4`. */
export const developmentIslandPath = (storeId: string, sha256: string): string =>
  `/islands/dev/${storeId}/${sha256}.js`;

/** Returns the path of an app's icon by its file, `<sha256>.png` or `<sha256>.webp`, `decisions.md 14.2`. */
export const appIconPath = (file: string): string => `/app-icons/${file}`;
