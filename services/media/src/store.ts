import type { ObjectStore } from '@waybill/object-store';
import type { Config } from './config.ts';
import { errors } from './errors.ts';

/** The object store. Without one nothing of media is there: `store-api.md 7.1`. */
export function requireStore({ store }: Config): ObjectStore {
  if (!store) throw errors.resource_unavailable({ headers: { 'retry-after': '60' } });
  return store;
}

/** Where the bytes of assets are: once for each store, however many of its assets have them. */
export const originalKey = (storeId: string, sha256: string): string =>
  `${bytesFolder(storeId, sha256)}/original`;

/** Where what is derived from those bytes is. */
export const variantKey = (storeId: string, sha256: string, variant: string): string =>
  `${bytesFolder(storeId, sha256)}/${variant}`;

/** The folder of bytes and what is derived from them. */
export const bytesFolder = (storeId: string, sha256: string): string => `media/${storeId}/${sha256}`;
