import { type AssetFacts, idPattern } from '@waybill/contracts';
import type { Peers } from '@waybill/kernel';

const assetId = new RegExp(idPattern('mediaAsset'));

/** Fields with media ids in the input of a product, a variant or a category. */
interface MediaReferences {
  mediaIds?: string[];
  seo?: { imageMediaId?: string | null };
  mediaId?: string | null;
  imageMediaId?: string | null;
  variants?: { mediaId?: string | null }[];
}

/** Maximum number of ids per lookup in the media service. */
const maxLookedUp = 1_000;

/**
 * Returns the input without media that the store does not have, `decisions.md 2, 20.1`: unknown ids vanish from lists,
 * and single ids become null. Trashed assets still count as the store's own.
 * @throws resource_unavailable while the media service is unreachable, because known ids would be dropped
 */
export async function withKnownMedia<Input extends MediaReferences>(
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
  if (named.every((id) => id == null)) return input;
  const ids = [...new Set(named)].filter((id) => typeof id === 'string' && assetId.test(id)) as string[];
  const known = await findExistingMedia(peers, storeId, ids);
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

async function findExistingMedia(
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
