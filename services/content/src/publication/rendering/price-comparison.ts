import { LRUCache } from 'lru-cache';
import type { Context } from '../../config.ts';

/** How long a page may use an outdated answer after a store has moved. */
const cacheTtlMs = 5_000;
const known = new LRUCache<string, boolean>({ max: 10_000, ttl: cacheTtlMs });
/** The last answers, used while orders is unavailable. */
const last = new LRUCache<string, boolean>({ max: 10_000 });

/**
 * Whether a store's pages compare prices with the lowest of the 30 days before, as stores in the EU must
 * (`decisions.md 20.2`). While orders is unavailable, its last answer applies.
 */
export async function comparesLowest({ peers }: Pick<Context, 'peers'>, storeId: string): Promise<boolean> {
  const found = known.get(storeId);
  if (found !== undefined || !peers.has('orders')) return found ?? false;
  try {
    const path = '/internal/pricing/home-country';
    const reply = await peers.call<{ isInEu: boolean }>('orders', 'POST', path, { storeId });
    const compares = reply?.isInEu ?? false;
    known.set(storeId, compares);
    last.set(storeId, compares);
    return compares;
  } catch {
    return last.get(storeId) ?? false;
  }
}
