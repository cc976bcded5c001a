import { mediaPath } from '@waybill/contracts';
import type { ServiceContext } from '@waybill/kernel';
import type { Config } from '../config.ts';
import { errors } from '../errors.ts';
import { findFolder } from '../folders/queries.ts';
import type { Tables } from '../tables.ts';
import { type Asset, lockAsset, updateAsset } from './queries.ts';
import type { Media, MediaPatch } from './routes.ts';

type RunTransaction = ServiceContext<Config, Tables>['transaction'];

/**
 * Renames an asset and moves it; what is left out stays. A change to what is there already touches nothing.
 * @throws not_found (the asset or the folder)
 */
export function changeAsset(
  transaction: RunTransaction,
  storeId: string,
  id: string,
  patch: MediaPatch,
): Promise<Asset> {
  return transaction(async (trx) => {
    const asset = await lockAsset(trx, storeId, id);
    if (!asset) throw errors.not_found();
    const { name = asset.name, folderId = asset.folder_id } = patch;
    if (name === asset.name && folderId === asset.folder_id) return asset;
    if (folderId !== null && !(await findFolder(trx, storeId, folderId))) throw errors.not_found();
    return updateAsset(trx, storeId, id, { name, folderId });
  });
}

/** A list's `?folderId`: an id, known or not, null for the root, undefined when there is none. */
export function folderFilter(value: string | undefined): string | null | undefined {
  return value === 'root' ? null : value || undefined;
}

/** The asset as the API shows it; the prefix of its URL is joined here, at read. */
export function toMedia(asset: Asset, baseUrl: string): Media {
  const { store_id, id, name, kind, sha256, width, height, trashed_at } = asset;
  return {
    id,
    name,
    url: baseUrl + mediaPath(store_id, id),
    folderId: asset.folder_id,
    kind,
    contentType: asset.content_type,
    sizeBytes: asset.size_bytes,
    sha256,
    width,
    height,
    trashed: trashed_at !== null,
    trashedAt: trashed_at?.toISOString() ?? null,
    createdAt: asset.created_at.toISOString(),
    updatedAt: asset.updated_at.toISOString(),
  };
}
