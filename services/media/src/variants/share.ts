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
  hasAsset,
  insertVariant,
  type KeptVariant,
  listLeastUsed,
  listVariants,
  type VariantId,
} from './queries.ts';

type Context = Pick<ServiceContext<Config, Tables>, 'config' | 'db' | 'transaction'>;

/** How often to make room for a variant before giving up: others may take the room at once. */
const maxTries = 3;
const mostAtOnce = 200;

/** Returns how many bytes the variants of a store may add up to: `decisions.md 16.3`. */
export const shareOf = ({ quotaBytes }: Config): number => Math.floor(quotaBytes / 4);

export const keyOf = ({ store_id, sha256, name }: VariantId): string => variantKey(store_id, sha256, name);

/**
 * Keeps a variant, possibly one without bytes, within its store's share by removing the least recently used ones first.
 * The variant is not kept when others are making or removing the same one, others take all the room, or its last asset
 * is gone.
 */
export async function keepVariant(
  context: Context,
  objects: ObjectStore,
  id: VariantId,
  bytes: Buffer,
  contentType: string,
): Promise<void> {
  for (let left = maxTries; left > 0; left--) {
    const { placed, leaving } = await findRoom(context, id, bytes.length);
    if (placed) {
      if (bytes.length === 0) return;
      try {
        await objects.put(keyOf(id), bytes, { contentType, sizeBytes: bytes.length });
      } catch (error) {
        // The sweep removes the rest.
        await changeState(context.db, placed, 'removing');
        throw error;
      }
      await changeState(context.db, placed, 'ready');
      return;
    }
    if (leaving.length === 0) return;
    for (const variant of leaving) await removeBytes(context, objects, variant);
  }
}

/** Gives the variant its place, or names the variants that must be removed first. */
function findRoom(
  { config, transaction }: Context,
  id: VariantId,
  sizeBytes: number,
): Promise<{ placed: KeptVariant | null; leaving: KeptVariant[] }> {
  return transaction(async (trx) => {
    const { variantBytes } = await lockUsage(trx, id.store_id);
    const leaving: KeptVariant[] = [];
    if (!(await hasAsset(trx, id)) || (await findVariant(trx, id))) return { placed: null, leaving };
    let over = variantBytes + sizeBytes - shareOf(config);
    if (over <= 0) {
      const placed = await insertVariant(trx, id, sizeBytes);
      if (placed) await changeVariantUsage(trx, id.store_id, sizeBytes);
      return { placed, leaving };
    }
    for (const variant of await listLeastUsed(trx, id.store_id, mostAtOnce)) {
      if (over <= 0) break;
      const taken = await changeState(trx, variant, 'removing');
      if (taken) leaving.push(taken);
      over -= variant.size_bytes;
    }
    return { placed: null, leaving };
  });
}

/** Removes a variant in the state in which it was read; another process may have been faster. */
export async function removeVariant(
  context: Context,
  objects: ObjectStore,
  variant: KeptVariant,
): Promise<void> {
  const taken = await changeState(context.db, variant, 'removing');
  if (taken) await removeBytes(context, objects, taken);
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
  variant: KeptVariant,
): Promise<void> {
  await objects.delete(keyOf(variant));
  await transaction(async (trx) => {
    await lockUsage(trx, variant.store_id);
    if (await deleteVariant(trx, variant)) {
      await changeVariantUsage(trx, variant.store_id, -variant.size_bytes);
    }
  });
}
