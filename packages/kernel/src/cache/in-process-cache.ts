import { LRUCache } from 'lru-cache';
import type { Cache, CacheEntry, RateDecision, RateLimit } from './cache.ts';
import { computeInterval, decide } from './rate.ts';

/**
 * Options of a cache with up to 200,000 items. `max` would allocate memory for all of them at the start, and most
 * systems have few.
 */
const upTo200k = { maxSize: 200_000, sizeCalculation: () => 1 };

/**
 * Creates the cache of a system that is one process. Its size is bounded: the least recently used item is dropped
 * first.
 */
export function createInProcessCache(now: () => number = () => performance.now()): Cache {
  const entries = new LRUCache<string, { entry: CacheEntry; until: number }>({
    maxSize: 32 * 1024 * 1024,
    // An entry takes some hundred bytes besides its text.
    sizeCalculation: ({ entry }, key) => 300 + 2 * (key.length + entry.subject.length + entry.value.length),
  });
  const buckets = new LRUCache<string, { fullAt: number }>(upTo200k);
  const counters = new LRUCache<string, { count: number; until: number }>(upTo200k);
  // A lost epoch is never issued again, so entries that were read under it are never valid again either.
  const epochs = new LRUCache<string, string>(upTo200k);
  let insertions = 0;

  function newEpoch(subject: string): string {
    const epoch = String(++insertions);
    epochs.set(subject, epoch);
    return epoch;
  }

  function findValidEntry(key: string): CacheEntry | null {
    const stored = entries.get(key);
    const isValid = stored && stored.until > now() && stored.entry.epoch === epochs.get(stored.entry.subject);
    return isValid ? stored.entry : null;
  }

  /** Takes a token. A bucket is one number: the moment at which it is full again. */
  function takeToken(key: string, limit: RateLimit): RateDecision {
    const time = now();
    const bucket = buckets.get(key);
    const fullInMs = Math.max((bucket?.fullAt ?? 0) - time, 0);
    const rate = decide(limit, fullInMs);
    if (!rate.allowed) return rate;
    const fullAt = time + fullInMs + computeInterval(limit);
    if (bucket) bucket.fullAt = fullAt;
    else buckets.set(key, { fullAt });
    return rate;
  }

  return {
    async admit(bucket, limit, keys) {
      return { entries: keys.map(findValidEntry), rate: takeToken(bucket, limit) };
    },
    async put(key, entry, ttlSeconds) {
      entries.set(key, { entry, until: now() + ttlSeconds * 1000 });
    },
    async epoch(subject) {
      return epochs.get(subject) ?? newEpoch(subject);
    },
    async bumpEpoch(subject) {
      newEpoch(subject);
    },
    async takeToken(key, limit) {
      return takeToken(key, limit);
    },
    async count(key, windowSeconds, by) {
      const stored = counters.get(key);
      const counter =
        stored && stored.until > now() ? stored : { count: 0, until: now() + windowSeconds * 1000 };
      counter.count += by;
      if (counter.count > 0) counters.set(key, counter);
      return { count: counter.count, resetSeconds: Math.ceil((counter.until - now()) / 1000) };
    },
    async resetCount(key) {
      counters.delete(key);
    },
    async close() {},
  };
}
