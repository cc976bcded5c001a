import { AssetChanged, mediaPath } from '@waybill/contracts';
import type { WriteContext } from '@waybill/kernel';
import { errors } from '../errors.ts';
import { lockFolder } from '../folders/queries.ts';
import type { Tables } from '../tables.ts';
import { type Asset, lockAsset, toFocalPoint, updateAsset } from './queries.ts';
import type { Media, MediaPatch } from './routes.ts';

/**
 * Changes the description of an asset, and emits an event when a field that pages show has changed. Writes nothing when
 * no value differs (`decisions.md 16.1`).
 * @throws not_found (the asset or the folder)
 */
export async function changeAsset(
  { trx, emit }: WriteContext<Tables>,
  storeId: string,
  id: string,
  patch: MediaPatch,
): Promise<Asset> {
  const asset = await lockAsset(trx, storeId, id);
  if (!asset) throw errors.not_found();
  const { name = asset.name, folderId = asset.folder_id, alt = asset.alt } = patch;
  const { focalPoint = toFocalPoint(asset) } = patch;
  const isShownAlike =
    alt === asset.alt &&
    (focalPoint?.x ?? null) === asset.focal_x &&
    (focalPoint?.y ?? null) === asset.focal_y;
  if (name === asset.name && folderId === asset.folder_id && isShownAlike) return asset;
  const hasFolder = folderId === asset.folder_id || (await lockFolder(trx, storeId, folderId));
  if (!hasFolder) throw errors.not_found({ message: 'This media folder does not exist.' });
  if (!isShownAlike) await emit(AssetChanged, storeId, { assetId: id });
  return updateAsset(trx, storeId, id, { name, folderId, alt, focalPoint });
}

/** Reads a list's `?folderId`: an id (known or not), null for the root, undefined when it is absent. */
export function folderFilter(value: string | undefined): string | null | undefined {
  return value === 'root' ? null : value || undefined;
}

/** Returns an asset as the API shows it. The prefix of its URL is added here, at read time. */
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
    alt: asset.alt,
    focalPoint: toFocalPoint(asset),
    trashed: trashed_at !== null,
    trashedAt: trashed_at?.toISOString() ?? null,
    createdAt: asset.created_at.toISOString(),
    updatedAt: asset.updated_at.toISOString(),
  };
}
