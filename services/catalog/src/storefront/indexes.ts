import { setImmediate } from 'node:timers/promises';
import { singleFlight } from '@waybill/kernel';
import type { Kysely } from 'kysely';
import { LRUCache } from 'lru-cache';
import { errors } from '../errors.ts';
import type { Tables } from '../tables.ts';
import {
  readChanges,
  readIndexedProducts,
  readMembers,
  readProductsAfter,
  readShownIds,
  type ShownCategory,
} from './index-queries.ts';
import { ProductIndex } from './product-index.ts';

type Db = Kysely<Tables>;

/**
 * How many products and variants a process keeps in indexes, of all stores: some 400 bytes each. A store that has more by
 * itself is not searched.
 */
const maxWeight = 1_500_000;
const refusedForMs = 600_000;
const maxMembers = 2_000_000;
const stepSize = 500;
/** A transaction may commit so much after the instant that it writes: statements run for 15 seconds at most. */
const overlapMs = 20_000;

interface StoreIndex {
  index: ProductIndex;
  /** Until when all changes are in it. */
  readAt: number;
}

/**
 * Keeps the indexes of the stores that are searched. Each is made when somebody searches, and brought up to date before
 * every search by what the database says has changed; so no write knows of it, and no search misses one.
 */
export function createIndexes(db: Db) {
  const indexes = new LRUCache<string, StoreIndex>({
    maxSize: maxWeight,
    sizeCalculation: ({ index }) => 1 + index.weight,
  });
  const tooLarge = new LRUCache<string, true>({ max: 1_000, ttl: refusedForMs });
  const memberships = new LRUCache<string, ReadonlyMap<string, number>>({
    maxSize: maxMembers,
    sizeCalculation: (members) => 1 + members.size,
  });
  const bringOnce = singleFlight<ProductIndex>();

  async function bringUpToDate(storeId: string): Promise<ProductIndex> {
    if (tooLarge.has(storeId)) throw errors.resource_unavailable();
    const present = indexes.get(storeId);
    const known = present && !present.index.isWorn ? present : await build(storeId);
    const startedAt = Date.now();
    await applyChanges(storeId, known);
    known.readAt = startedAt;
    indexes.set(storeId, known);
    return known.index;
  }

  async function build(storeId: string): Promise<StoreIndex> {
    const index = new ProductIndex();
    const readAt = Date.now();
    for (let last = ''; ; ) {
      const products = await readProductsAfter(db, storeId, last, stepSize);
      for (const product of products) index.put(product);
      if (index.weight > maxWeight) {
        tooLarge.set(storeId, true);
        throw errors.resource_unavailable();
      }
      if (products.length < stepSize) return { index, readAt };
      last = products.at(-1)!.id;
      // Others are waiting for their answers.
      await setImmediate();
    }
  }

  async function applyChanges(storeId: string, { index, readAt }: StoreIndex): Promise<void> {
    const { changed, active } = await readChanges(db, storeId, new Date(readAt - overlapMs));
    const fresh: string[] = [];
    for (const { id, isShown, updatedAt } of changed) {
      if (!isShown) index.remove(id);
      else if (index.updatedAt(id) !== updatedAt) fresh.push(id);
    }
    for (let at = 0; at < fresh.length; at += stepSize) {
      const products = await readIndexedProducts(db, storeId, fresh.slice(at, at + stepSize));
      for (const product of products) index.put(product);
      await setImmediate();
    }
    if (index.size === active) return;
    // Some were deleted: of them nothing is left that says so.
    const ids = await readShownIds(db, storeId);
    for (const id of [...index.ids()]) if (!ids.has(id)) index.remove(id);
  }

  return {
    /** The index of a store's active products as they are now. */
    indexOf: (storeId: string): Promise<ProductIndex> => bringOnce(storeId, () => bringUpToDate(storeId)),
    /** What a category contains, with the positions of a manual one's. */
    async membersOf(storeId: string, { id, revision }: ShownCategory): Promise<ReadonlyMap<string, number>> {
      const key = `${storeId} ${id} ${revision}`;
      const known = memberships.get(key);
      if (known) return known;
      const members = await readMembers(db, storeId, id);
      memberships.set(key, members);
      return members;
    },
  };
}

export type Indexes = ReturnType<typeof createIndexes>;
