import { type AssetFacts, idPattern } from '@waybill/contracts';
import type { Peers } from '@waybill/kernel';

const assetId = new RegExp(idPattern('mediaAsset'));

/**
 * The input without the media ids that the store does not have, `decisions.md 2`; trashed assets are still its own.
 * @throws resource_unavailable while media cannot be asked: known ids would be dropped
 */
export async function withKnownMedia<Input extends { mediaIds?: string[] }>(
  peers: Peers,
  storeId: string,
  input: Input,
): Promise<Input> {
  if (!input.mediaIds) return input;
  const ids = input.mediaIds.filter((id) => assetId.test(id));
  if (ids.length === 0 || !peers.has('media')) return { ...input, mediaIds: [] };
  const found = await peers.call<{ assets: AssetFacts[] }>('media', 'POST', '/internal/assets/lookup', {
    storeId,
    ids,
  });
  const known = new Set(found?.assets.map(({ id }) => id));
  return { ...input, mediaIds: ids.filter((id) => known.has(id)) };
}
