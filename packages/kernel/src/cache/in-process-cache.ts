import { LRUCache } from 'lru-cache';
import type { Cache, CacheEntry, RateDecision, RateLimit } from './cache.ts';

/** The cache of a system that is one process. Bounded: the least recently used goes first. */
export function createInProcessCache(now: () => number = Date.now): Cache {
  const entries = new LRUCache<string, { entry: CacheEntry; until: number }>({ max: 50_000 });
  const buckets = new LRUCache<string, { fullAt: number }>({ max: 200_000 });
  const counters = new LRUCache<string, { count: number; until: number }>({ max: 200_000 });
  const epochs = new Map<string, number>();

  const epochOf = (storeId: string) => String(epochs.get(storeId) ?? 0);

  /** The generic cell rate algorithm: a bucket is one number, the moment at which it is full again. */
  function takeToken(key: string, { perMinute, burst }: RateLimit): RateDecision {
    const time = now();
    const interval = 60_000 / perMinute;
    const bucket = buckets.get(key);
    const fullAt = Math.max(bucket?.fullAt ?? 0, time) + interval;
    const room = burst * interval - (fullAt - time);
    if (room < 0) {
      return {
        allowed: false,
        remaining: 0,
        resetSeconds: Math.ceil((fullAt - interval - time) / 1000),
        retryAfterSeconds: Math.max(1, Math.ceil(-room / 1000)),
      };
    }
    if (bucket) bucket.fullAt = fullAt;
    else buckets.set(key, { fullAt });
    return {
      allowed: true,
      remaining: Math.floor(room / interval),
      resetSeconds: Math.ceil((fullAt - time) / 1000),
      retryAfterSeconds: 0,
    };
  }

  return {
    async admit(key, limit) {
      const kept = entries.get(key);
      const valid = kept && kept.until > now() && kept.entry.epoch === epochOf(kept.entry.storeId);
      return { entry: valid ? kept.entry : null, rate: takeToken(key, limit) };
    },
    async put(key, entry, ttlSeconds) {
      entries.set(key, { entry, until: now() + ttlSeconds * 1000 });
    },
    async epoch(storeId) {
      return epochOf(storeId);
    },
    async bumpEpoch(storeId) {
      epochs.set(storeId, (epochs.get(storeId) ?? 0) + 1);
    },
    async take(key, limit) {
      return takeToken(key, limit);
    },
    async count(key, windowSeconds, by) {
      const kept = counters.get(key);
      const counter = kept && kept.until > now() ? kept : { count: 0, until: now() + windowSeconds * 1000 };
      counter.count += by;
      if (counter.count > 0) counters.set(key, counter);
      return { count: counter.count, resetSeconds: Math.ceil((counter.until - now()) / 1000) };
    },
    async forget(key) {
      counters.delete(key);
    },
    async close() {},
  };
}
