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

/** How often room is made for one variant before it is left unkept: others may take it at once. */
const maxTries = 3;
const mostAtOnce = 200;

/** What the variants of a store may add up to: `decisions.md 16.3`. */
export const shareOf = ({ quotaBytes }: Config): number => Math.floor(quotaBytes / 4);

export const keyOf = ({ store_id, sha256, name }: VariantId): string => variantKey(store_id, sha256, name);

/**
 * Keeps a variant, of which there may be no bytes, within its store's share: the least used go first. It may not
 * be kept, when others are about to make or remove the same, or take all the room that there is, or the last asset that
 * it is of is gone.
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
        // What is left of it is swept.
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

/** Either the variant gets its place, or some others are named that are to be removed before. */
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

/** Removes a variant in the state in which it was seen; somebody else may have been quicker. */
export async function removeVariant(
  context: Context,
  objects: ObjectStore,
  variant: KeptVariant,
): Promise<void> {
  const taken = await changeState(context.db, variant, 'removing');
  if (taken) await removeBytes(context, objects, taken);
}

/** Removes all variants of some bytes; false while one of them is being made still. */
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

/** First the object, then what it counted: no lock is held while the object store is asked. */
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
