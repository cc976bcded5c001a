import { type AssetFacts, idPattern } from '@waybill/contracts';
import type { Peers } from '@waybill/kernel';

const assetId = new RegExp(idPattern('mediaAsset'));

/** Media that an input of a product, a variant or a category names. */
interface NamesMedia {
  mediaIds?: string[];
  seo?: { imageMediaId?: string | null };
  mediaId?: string | null;
  imageMediaId?: string | null;
  variants?: { mediaId?: string | null }[];
}

/** As many as media looks up at once. */
const maxLookedUp = 1_000;

/**
 * The input without the media that the store does not have, `decisions.md 2, 20.1`: lists lose them, single ones become
 * null. Trashed assets are still the store's own.
 * @throws resource_unavailable while media cannot be asked: known ids would be dropped
 */
export async function withKnownMedia<Input extends NamesMedia>(
  peers: Peers,
  storeId: string,
  input: Input,
): Promise<Input> {
  const { mediaIds, seo, mediaId, imageMediaId, variants } = input;
  const named = [
    mediaIds,
    seo?.imageMediaId,
    mediaId,
    imageMediaId,
    variants?.map((variant) => variant.mediaId),
  ].flat();
  const ids = [...new Set(named)].filter((id) => typeof id === 'string' && assetId.test(id)) as string[];
  const known = await findKnown(peers, storeId, ids);
  const knownOrNull = (id: string | null | undefined) => (id != null && known.has(id) ? id : null);
  return {
    ...input,
    ...(mediaIds && { mediaIds: mediaIds.filter((id) => known.has(id)) }),
    ...(seo?.imageMediaId !== undefined && { seo: { ...seo, imageMediaId: knownOrNull(seo.imageMediaId) } }),
    ...(mediaId !== undefined && { mediaId: knownOrNull(mediaId) }),
    ...(imageMediaId !== undefined && { imageMediaId: knownOrNull(imageMediaId) }),
    ...(variants?.some((variant) => variant.mediaId) && {
      variants: variants.map((variant) =>
        variant.mediaId === undefined ? variant : { ...variant, mediaId: knownOrNull(variant.mediaId) },
      ),
    }),
  };
}

async function findKnown(
  peers: Peers,
  storeId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const known = new Set<string>();
  if (!peers.has('media')) return known;
  for (let at = 0; at < ids.length; at += maxLookedUp) {
    const found = await peers.call<{ assets: AssetFacts[] }>('media', 'POST', '/internal/assets/lookup', {
      storeId,
      ids: ids.slice(at, at + maxLookedUp),
    });
    for (const { id } of found?.assets ?? []) known.add(id);
  }
  return known;
}
