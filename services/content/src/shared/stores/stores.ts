import { isSlug, type StoreFacts } from '@waybill/contracts';
import { LRUCache } from 'lru-cache';
import type { Context } from '../../config.ts';
import { findStore, findStoreBySlug, upsertStore } from './queries.ts';

/** Facts from identity count as older than any event. */
const longAgo = new Date(0);

/**
 * Returns the facts about a store: from its events, or from identity if none has arrived yet. Undefined when there is
 * no such store.
 * @throws resource_unavailable when identity must be asked and does not answer
 */
export async function storeFacts({ db, peers }: Context, storeId: string): Promise<StoreFacts | undefined> {
  const known = await findStore(db, storeId);
  if (known) return known;
  return keep(db, await peers.call('identity', 'GET', `/internal/stores/${storeId}`));
}

/** Slugs without a store, remembered so that identity is not asked at every request. */
const unknownSlugs = new LRUCache<string, true>({ max: 10_000, ttl: 5_000 });

/**
 * Returns the store whose pages are served under a slug; undefined when there is none.
 * @throws resource_unavailable when identity must be asked and does not answer
 */
export async function readStoreBySlug({ db, peers }: Context, slug: string): Promise<StoreFacts | undefined> {
  if (!isSlug(slug)) return undefined;
  const known = await findStoreBySlug(db, slug);
  if (known || unknownSlugs.has(slug)) return known;
  const found = await keep(
    db,
    await peers.call('identity', 'GET', `/internal/store-slugs/${encodeURIComponent(slug)}`),
  );
  if (!found) unknownSlugs.set(slug, true);
  return found;
}

async function keep(
  db: Context['db'],
  answer: { store: StoreFacts } | null,
): Promise<StoreFacts | undefined> {
  if (answer) await upsertStore(db, answer.store, longAgo);
  return answer?.store;
}
