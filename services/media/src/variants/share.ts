import type { ServiceContext } from '@waybill/kernel';
import type { ObjectStore } from '@waybill/object-store';
import type { Config } from '../config.ts';
import { variantKey } from '../store.ts';
import type { Tables } from '../tables.ts';
import { changeVariantUsage, lockUsage } from '../usage/queries.ts';
import {
  changeState,
  deleteVariant,
  findVariant,
  insertVariant,
  isVariantOfAsset,
  listLeastUsed,
  listVariants,
  type StoredVariant,
  type VariantId,
} from './queries.ts';

type Context = Pick<ServiceContext<Config, Tables>, 'config' | 'db' | 'transaction'>;

/** How often to make room for a variant before giving up: others may take the room at once. */
const maxTries = 3;
const evictionBatch = 200;

/** Returns how many bytes the variants of a store may add up to: `decisions.md 16.3`. */
export const getVariantQuota = ({ quotaBytes }: Config): number => Math.floor(quotaBytes / 4);

export const createVariantKey = ({ store_id, sha256, name }: VariantId): string =>
  variantKey(store_id, sha256, name);

/**
 * Keeps a variant, possibly one without bytes, within its store's share by removing the least recently used ones first.
 * The variant is not kept when others are making or removing the same one, others take all the room, or its last asset
 * is gone.
 */
export async function storeVariant(
  context: Context,
  objects: ObjectStore,
  id: VariantId,
  bytes: Buffer,
  contentType: string,
): Promise<void> {
  for (let remainingTries = maxTries; remainingTries > 0; remainingTries--) {
    const { reserved, evicted } = await reserveVariant(context, id, bytes.length);
    if (reserved) {
      if (bytes.length === 0) return;
      try {
        await objects.put(createVariantKey(id), bytes, { contentType, sizeBytes: bytes.length });
      } catch (error) {
        // The sweep removes the rest.
        await changeState(context.db, reserved, 'removing');
        throw error;
      }
      await changeState(context.db, reserved, 'ready');
      return;
    }
    if (evicted.length === 0) return;
    for (const variant of evicted) await removeBytes(context, objects, variant);
  }
}

/** Gives the variant its place, or names the variants that must be removed first. */
function reserveVariant(
  { config, transaction }: Context,
  id: VariantId,
  sizeBytes: number,
): Promise<{ reserved: StoredVariant | null; evicted: StoredVariant[] }> {
  return transaction(async (trx) => {
    const { variantBytes } = await lockUsage(trx, id.store_id);
    const evicted: StoredVariant[] = [];
    if (!(await isVariantOfAsset(trx, id)) || (await findVariant(trx, id)))
      return { reserved: null, evicted };
    let excessBytes = variantBytes + sizeBytes - getVariantQuota(config);
    if (excessBytes <= 0) {
      const reserved = await insertVariant(trx, id, sizeBytes);
      if (reserved) await changeVariantUsage(trx, id.store_id, sizeBytes);
      return { reserved, evicted };
    }
    for (const variant of await listLeastUsed(trx, id.store_id, evictionBatch)) {
      if (excessBytes <= 0) break;
      const claimed = await changeState(trx, variant, 'removing');
      if (claimed) evicted.push(claimed);
      excessBytes -= variant.size_bytes;
    }
    return { reserved: null, evicted };
  });
}

/** Removes a variant in the state in which it was read; another process may have been faster. */
export async function removeVariant(
  context: Context,
  objects: ObjectStore,
  variant: StoredVariant,
): Promise<void> {
  const claimed = await changeState(context.db, variant, 'removing');
  if (claimed) await removeBytes(context, objects, claimed);
}

/** Removes all variants of some bytes. Returns false while one of them is still being made. */
export async function removeVariants(
  context: Context,
  objects: ObjectStore,
  storeId: string,
  sha256: string,
): Promise<boolean> {
  const variants = await listVariants(context.db, storeId, sha256);
  const done = variants.filter(({ state }) => state !== 'making');
  for (const variant of done) await removeVariant(context, objects, variant);
  return done.length === variants.length;
}

/** Deletes the object first and then its row, so that no lock is held while the object store is called. */
async function removeBytes(
  { transaction }: Context,
  objects: ObjectStore,
  variant: StoredVariant,
): Promise<void> {
  await objects.delete(createVariantKey(variant));
  await transaction(async (trx) => {
    await lockUsage(trx, variant.store_id);
    if (await deleteVariant(trx, variant)) {
      await changeVariantUsage(trx, variant.store_id, -variant.size_bytes);
    }
  });
}
