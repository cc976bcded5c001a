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

/** How long searches of a store are refused after its index has turned out to be too large. */
const refusedForMs = 600_000;
/** Number of products that one query reads. */
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

const perDatabase = new WeakMap<Db, ProductIndexes>();

/** Returns the indexes of this process. Two aggregates search, and must not hold the memory twice. */
export function shareIndexes(db: Db, maxBytes: number): ProductIndexes {
  const known = perDatabase.get(db) ?? new ProductIndexes(db, maxBytes);
  perDatabase.set(db, known);
  return known;
}

/**
 * Keeps the indexes of the stores that are searched. A store's first search builds its index, and each search first
 * applies the changes that the database reports. So writes need not know of the index, and searches miss no change.
 */
export class ProductIndexes {
  readonly #db: Db;
  readonly #maxIndexBytes: number;
  readonly #indexes: LRUCache<string, StoreIndex>;
  /** Stores whose index would not fit in the memory. */
  readonly #tooLarge = new LRUCache<string, true>({ max: 1_000, ttl: refusedForMs });
  /** The members of categories, by store, category and revision. */
  readonly #memberships: LRUCache<string, ReadonlyMap<string, number>>;
  readonly #updateOnce = singleFlight<ProductIndex>();
  readonly #readMembersOnce = singleFlight<ReadonlyMap<string, number>>();
  readonly #builds = new FairSemaphore(buildLimits);

  /** `maxBytes` limits the approximate size of all indexes and members together. */
  constructor(db: Db, maxBytes: number) {
    const maxMembersBytes = Math.floor(maxBytes * membersShare);
    this.#db = db;
    this.#maxIndexBytes = maxBytes - maxMembersBytes;
    this.#indexes = new LRUCache({
      maxSize: this.#maxIndexBytes,
      sizeCalculation: ({ index }) => 1 + index.weight,
    });
    this.#memberships = new LRUCache({
      maxSize: maxMembersBytes,
      sizeCalculation: (members) => 1 + members.size * memberBytes,
    });
  }

  /**
   * Returns the up-to-date index of a store's active products.
   * @throws resource_unavailable if the index is too large, or too many others are being built
   */
  getIndex(storeId: string): Promise<ProductIndex> {
    return this.#updateOnce(storeId, () => this.#updateIndex(storeId));
  }

  /** Returns the members of a category, with their positions if it is a manual category. */
  async getMembers(storeId: string, { id, revision }: ShownCategory): Promise<ReadonlyMap<string, number>> {
    const key = `${storeId} ${id} ${revision}`;
    const known = this.#memberships.get(key);
    if (known) return known;
    return this.#readMembersOnce(key, async () => {
      const read = this.#memberships.get(key) ?? (await readMembers(this.#db, storeId, id));
      this.#memberships.set(key, read);
      return read;
    });
  }

  async #updateIndex(storeId: string): Promise<ProductIndex> {
    if (this.#tooLarge.has(storeId)) throw errors.resource_unavailable();
    const fields = await readShopFields(this.#db, storeId);
    const present = this.#indexes.get(storeId);
    const known =
      present && !present.index.isWorn && present.index.hasFields(fields)
        ? present
        : await this.#builds.run(storeId, () => this.#build(storeId, fields));
    known.index.fields = fields;
    const startedAt = Date.now();
    await this.#applyChanges(storeId, known.index, known.readAt);
    // Setting the entry again makes the cache update its size.
    this.#indexes.delete(storeId);
    this.#indexes.set(storeId, { index: known.index, readAt: startedAt });
    return known.index;
  }

  async #build(storeId: string, fields: readonly ShopField[]): Promise<StoreIndex> {
    this.#indexes.delete(storeId);
    const index = new ProductIndex(fields);
    const readAt = Date.now();
    for (let last = ''; ; ) {
      const products = await readProductsAfter(this.#db, storeId, last, stepSize, index.fieldIds);
      await putAll(index, products);
      if (index.weight > this.#maxIndexBytes) {
        this.#tooLarge.set(storeId, true);
        throw errors.resource_unavailable();
      }
      this.#makeRoom(index.weight);
      if (products.length < stepSize) return { index, readAt };
      last = products.at(-1)!.id;
    }
  }

  /** Drops the indexes that were searched least recently, because an index that is being built needs memory too. */
  #makeRoom(bytes: number): void {
    while (this.#indexes.size > 0 && this.#indexes.calculatedSize + bytes > this.#maxIndexBytes)
      this.#indexes.pop();
  }

  async #applyChanges(storeId: string, index: ProductIndex, readAt: number): Promise<void> {
    const { changed, active } = await readChanges(this.#db, storeId, new Date(readAt - overlapMs));
    const fresh: string[] = [];
    for (const { id, isShown, updatedAt } of changed) {
      if (!isShown) index.remove(id);
      else if (index.updatedAt(id) !== updatedAt) fresh.push(id);
    }
    for (let at = 0; at < fresh.length; at += stepSize) {
      const ids = fresh.slice(at, at + stepSize);
      await putAll(index, await readIndexedProducts(this.#db, storeId, ids, index.fieldIds));
    }
    if (index.size === active) return;
    // Deleted products leave no row behind, so the ids are compared.
    const ids = await readShownIds(this.#db, storeId);
    for (const id of [...index.ids()]) if (!ids.has(id)) index.remove(id);
  }
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
