import type { Kysely } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Tables } from '../tables.ts';
import { listShownBlocks } from './queries.ts';
import type { ShownBlock } from './routes.ts';

/** Each takes a few kilobytes at most: 24 blocks with their names. */
const maxCachedVersions = 2_000;

/**
 * Caches the blocks' names of approved versions. They never change, and are read from manifests of up to a mebibyte.
 */
export class ShownBlocks {
  readonly #db: Kysely<Tables>;
  readonly #cache = new LRUCache<string, ShownBlock[]>({ max: maxCachedVersions });

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** Returns the blocks of these versions, by the version's id. */
  async read(versionIds: readonly string[]): Promise<ReadonlyMap<string, ShownBlock[]>> {
    const unknown = versionIds.filter((id) => !this.#cache.has(id));
    const found = unknown.length === 0 ? [] : await listShownBlocks(this.#db, unknown);
    for (const { id, blocks } of found) this.#cache.set(id, blocks);
    const read = new Map(found.map(({ id, blocks }) => [id, blocks]));
    return new Map(versionIds.map((id) => [id, read.get(id) ?? this.#cache.get(id) ?? []]));
  }
}
