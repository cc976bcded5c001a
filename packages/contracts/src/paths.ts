/**
 * Where the gateway serves what other services only link to; relative to the public base URL. Bytes behind such a
 * path never change.
 */

/** The file of a media asset, `decisions.md 5`. */
export const mediaPath = (storeId: string, assetId: string): string => `/media/${storeId}/${assetId}`;

/** An island's module by the SHA-256 (hex) of its bytes, `decisions.md 7.8`. */
export const islandPath = (sha256: string): string => `/islands/${sha256}.js`;

/** One that nobody has reviewed, for pages of a development store alone: `decisions.md 14.4`. */
export const developmentIslandPath = (storeId: string, sha256: string): string =>
  `/islands/dev/${storeId}/${sha256}.js`;

/** An app's icon by its file, `<sha256>.png` or `<sha256>.webp`, `decisions.md 14.2`. */
export const appIconPath = (file: string): string => `/app-icons/${file}`;
