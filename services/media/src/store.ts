import type { ObjectStore } from '@waybill/object-store';
import type { Config } from './config.ts';
import { errors } from './errors.ts';

/** Returns the object store. Without one, no route of media works (`store-api.md 7.1`). */
export function requireStore({ store }: Config): ObjectStore {
  if (!store) throw errors.resource_unavailable({ headers: { 'retry-after': '60' } });
  return store;
}

/** Returns the key of the bytes of assets. Assets of a store that have equal bytes share one object. */
export const originalKey = (storeId: string, sha256: string): string =>
  `${bytesFolder(storeId, sha256)}/original`;

/** Returns the key of a variant derived from those bytes. */
export const variantKey = (storeId: string, sha256: string, variant: string): string =>
  `${bytesFolder(storeId, sha256)}/${variant}`;

/** Returns the folder that holds bytes and their variants. */
export const bytesFolder = (storeId: string, sha256: string): string => `media/${storeId}/${sha256}`;
