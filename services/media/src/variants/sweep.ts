import type { ServiceContext, TaskDefinition } from '@waybill/kernel';
import type { ObjectStore } from '@waybill/object-store';
import type { Config } from '../config.ts';
import { bytesFolder, variantKey } from '../store.ts';
import type { Tables } from '../tables.ts';
import { claimAssetsForSearch, listAbandoned, listVariants, type VariantId } from './queries.ts';
import { removeVariant } from './share.ts';

const batch = 100;
const searchBatch = 20;
/**
 * Time limit of a turn. An object store that does not answer is left alone until the next turn, and a shutdown does not
 * wait for it.
 */
const maxRunMs = 3_000;

/** Removes the remains of variants whose process was killed while it made or removed them. */
export function tasks(context: ServiceContext<Config, Tables>): TaskDefinition[] {
  const { config, db, transaction, log } = context;
  const { store } = config;
  if (!store) return [];
  return [
    {
      name: 'remove-abandoned-variants',
      everyMs: 60_000,
      async run() {
        const deadline = Date.now() + maxRunMs;
        for (const variant of await listAbandoned(db, batch)) {
          if (Date.now() > deadline) return;
          // A variant that cannot be removed now queues up behind the others.
          await removeVariant(context, store, variant).catch((err: unknown) =>
            log.warn({ err, storeId: variant.store_id }, 'a variant could not be removed'),
          );
        }
      },
    },
    {
      name: 'remove-unknown-variants',
      everyMs: 10_000,
      async run() {
        const deadline = Date.now() + maxRunMs;
        for (const bytes of await transaction((trx) => claimAssetsForSearch(trx, searchBatch))) {
          // The next search finds the objects that are skipped here.
          if (Date.now() > deadline) return;
          await removeUnknown(store, bytes);
        }
      },
    },
  ];

  /**
   * Removes objects next to an original that have no row: a row exists before its object and until the object is gone.
   */
  async function removeUnknown(objects: ObjectStore, { store_id, sha256 }: Omit<VariantId, 'name'>) {
    const found = await objects.list(bytesFolder(store_id, sha256));
    const variants = await listVariants(db, store_id, sha256);
    const known = new Set(['original', ...variants.map(({ name }) => name)]);
    for (const name of found) {
      if (!known.has(name)) await objects.delete(variantKey(store_id, sha256, name));
    }
  }
}
