import { setImmediate } from 'node:timers/promises';
import { FairSemaphore, singleFlight } from '@waybill/kernel';
import type { Kysely } from 'kysely';
import { LRUCache } from 'lru-cache';
import { errors } from '../errors.ts';
import type { Tables } from '../tables.ts';
import {
  readChanges,
  readIndexedProducts,
  readMembers,
  readProductsAfter,
  readShopFields,
  readShownIds,
  type ShownCategory,
} from './index-queries.ts';
import { type IndexedProduct, ProductIndex, type ShopField } from './product-index.ts';

type Db = Kysely<Tables>;

const refusedForMs = 600_000;
const stepSize = 500;
/** Number of characters of products after which indexing yields to other work. */
const charactersPerTick = 200_000;
/**
 * Longest delay between the instant that a transaction writes and its commit: statements run for at most 15 seconds.
 */
const overlapMs = 20_000;
/** Anybody can trigger a store's first search, so indexes are built one after another, and only a few requests wait. */
const buildLimits = { concurrency: 1, maxWaiting: 20, maxPerKey: 1 };
/** Share of the memory for members of categories, and approximate bytes of one member. */
const membersShare = 0.15;
const memberBytes = 130;

interface StoreIndex {
  index: ProductIndex;
  /** The index contains all changes up to this instant. */
  readAt: number;
}

const perDatabase = new WeakMap<Db, Indexes>();

/** Returns the indexes of this process, which all searches share. */
export function sharedIndexes(db: Db, maxBytes: number): Indexes {
  const known = perDatabase.get(db) ?? createIndexes(db, maxBytes);
  perDatabase.set(db, known);
  return known;
}

/**
 * Keeps the indexes of the stores that are searched. A store's first search builds its index, and each search first
 * applies the changes that the database reports. So writes need not know of the index, and searches miss no change.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: its functions share the state of one closure
export function createIndexes(db: Db, maxBytes: number) {
  const maxMembersBytes = Math.floor(maxBytes * membersShare);
  const maxIndexBytes = maxBytes - maxMembersBytes;
  const indexes = new LRUCache<string, StoreIndex>({
    maxSize: maxIndexBytes,
    sizeCalculation: ({ index }) => 1 + index.weight,
  });
  const tooLarge = new LRUCache<string, true>({ max: 1_000, ttl: refusedForMs });
  const memberships = new LRUCache<string, ReadonlyMap<string, number>>({
    maxSize: maxMembersBytes,
    sizeCalculation: (members) => 1 + members.size * memberBytes,
  });
  const updateOnce = singleFlight<ProductIndex>();
  const readMembersOnce = singleFlight<ReadonlyMap<string, number>>();
  const builds = new FairSemaphore(buildLimits);

  async function updateIndex(storeId: string): Promise<ProductIndex> {
    if (tooLarge.has(storeId)) throw errors.resource_unavailable();
    const fields = await readShopFields(db, storeId);
    const present = indexes.get(storeId);
    const known =
      present && !present.index.isWorn && present.index.hasFields(fields)
        ? present
        : await builds.run(storeId, () => build(storeId, fields));
    known.index.fields = fields;
    const startedAt = Date.now();
    await applyChanges(storeId, known.index, known.readAt);
    // Setting the entry again makes the cache update its size.
    indexes.delete(storeId);
    indexes.set(storeId, { index: known.index, readAt: startedAt });
    return known.index;
  }

  async function build(storeId: string, fields: readonly ShopField[]): Promise<StoreIndex> {
    indexes.delete(storeId);
    const index = new ProductIndex(fields);
    const readAt = Date.now();
    for (let last = ''; ; ) {
      const products = await readProductsAfter(db, storeId, last, stepSize, index.fieldIds);
      await putAll(index, products);
      if (index.weight > maxIndexBytes) {
        tooLarge.set(storeId, true);
        throw errors.resource_unavailable();
      }
      // The index that is being built counts toward the limit too.
      while (indexes.size > 0 && indexes.calculatedSize + index.weight > maxIndexBytes) indexes.pop();
      if (products.length < stepSize) return { index, readAt };
      last = products.at(-1)!.id;
    }
  }

  async function applyChanges(storeId: string, index: ProductIndex, readAt: number): Promise<void> {
    const { changed, active } = await readChanges(db, storeId, new Date(readAt - overlapMs));
    const fresh: string[] = [];
    for (const { id, isShown, updatedAt } of changed) {
      if (!isShown) index.remove(id);
      else if (index.updatedAt(id) !== updatedAt) fresh.push(id);
    }
    for (let at = 0; at < fresh.length; at += stepSize) {
      const products = await readIndexedProducts(db, storeId, fresh.slice(at, at + stepSize), index.fieldIds);
      await putAll(index, products);
    }
    if (index.size === active) return;
    // Deleted products leave no row behind, so the ids are compared.
    const ids = await readShownIds(db, storeId);
    for (const id of [...index.ids()]) if (!ids.has(id)) index.remove(id);
  }

  return {
    /** Returns the up-to-date index of a store's active products. */
    indexOf: (storeId: string): Promise<ProductIndex> => updateOnce(storeId, () => updateIndex(storeId)),
    /** Returns the members of a category, with their positions if it is a manual category. */
    async getMembers(storeId: string, { id, revision }: ShownCategory): Promise<ReadonlyMap<string, number>> {
      const key = `${storeId} ${id} ${revision}`;
      const known = memberships.get(key);
      if (known) return known;
      return readMembersOnce(key, async () => {
        const read = memberships.get(key) ?? (await readMembers(db, storeId, id));
        memberships.set(key, read);
        return read;
      });
    },
  };
}

/** Puts products into an index, and yields to other work regularly. */
async function putAll(index: ProductIndex, products: readonly IndexedProduct[]): Promise<void> {
  let characters = 0;
  for (const product of products) {
    index.put(product);
    characters += product.name.length + product.description.length + product.variants.length * 100;
    if (characters < charactersPerTick) continue;
    characters = 0;
    await setImmediate();
  }
}

export type Indexes = ReturnType<typeof createIndexes>;
