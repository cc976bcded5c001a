import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createBatcher } from '../concurrency/batcher.ts';
import type { Log } from '../operations/log.ts';
import type { AdmissionResult, Cache, RateLimit } from './cache.ts';
import { createInProcessCache } from './in-process-cache.ts';
import { computeInterval, decide } from './rate.ts';
import { RedisLink } from './redis-cache-link.ts';

const epochTtlMs = 3_600_000;
/** Maximum time that a change waits for Redis to take the new epoch. */
const bumpMs = 1_000;
const bumpPauseMs = 50;
/** Longer than the life of any entry. */
const announcementMemoryMs = 60_000;

/** The parameters of `admit`. */
interface AdmissionRequest {
  bucket: string;
  limit: RateLimit;
  keys: readonly string[];
}

export interface RedisCacheOptions {
  url: string;
  /** Prefixes every key. */
  namespace: string;
  log: Log;
  /** How long Redis may take to answer before it counts as unreachable; 250. */
  commandTimeoutMs?: number;
}

/**
 * Creates the cache of a system of many processes, on one Redis. A Redis cluster does not work, because the script of
 * `admit` builds the key of an epoch from data that it reads. No call ever fails.
 *
 * While Redis is unreachable, each process keeps the limits and counters by itself, `admit` returns no entries, and
 * `put` does nothing.
 *
 * No entry outlives a change. Epochs are random, so a lost epoch never comes back. After an absence of Redis, a process
 * uses only entries made since, because it may have missed a change; a process that could not announce a change keeps
 * trying until it can.
 *
 * Two gaps remain. A process that alone cannot reach Redis announces its change late, and until then the others use
 * their entries, for as long as an entry lives (30 s). The same happens when Redis comes back with data older than a
 * change of another process, until that process has connected and repeated its change.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: its functions share the state of one closure
export function createRedisCache({ url, namespace, log, commandTimeoutMs = 250 }: RedisCacheOptions): Cache {
  // Created when Redis is first unreachable, because it reserves memory for hundreds of thousands of items.
  let localCache: Cache | undefined;
  const getLocalCache = () => (localCache ??= createInProcessCache());
  const createKey = (kind: string, key: string) => `${namespace}:${kind}:${key}`;
  let changes = 0;
  /** The number of the last unannounced change, by subject. */
  const dueChanges = new Map<string, number>();
  /** When a change of each subject was last announced, the earliest first. */
  const announcedAt = new Map<string, number>();
  let notBefore = 0;

  const link = new RedisLink({
    url,
    log,
    commandTimeoutMs,
    async recover(redis) {
      // Repeats recent announcements too: they may be missing from the data with which Redis has come back.
      evictOldAnnouncements();
      await Promise.all([...new Set([...dueChanges.keys(), ...announcedAt.keys()])].map(announce));
      const [seconds, microseconds] = await redis.time();
      notBefore = Number(seconds) * 1000 + Number(microseconds) / 1000;
    },
  });

  function evictOldAnnouncements(): void {
    for (const [subject, at] of announcedAt) {
      if (performance.now() - at < announcementMemoryMs) return;
      announcedAt.delete(subject);
    }
  }

  /** Gives the subject a new epoch. Resolves to the number of the last change that Redis now knows. */
  async function announce(subject: string): Promise<number> {
    const upTo = dueChanges.get(subject) ?? 0;
    await link.redis.set(createKey('epoch', subject), createEpoch(), 'PX', epochTtlMs);
    if (dueChanges.get(subject) === upTo) dueChanges.delete(subject);
    announcedAt.delete(subject);
    announcedAt.set(subject, performance.now());
    evictOldAnnouncements();
    return upTo;
  }

  // Admits requests of one bearer that arrive together in one call: separate calls would cost this process and Redis as
  // much each. All get the same entries, and tokens in the order of arrival.
  const admit = createBatcher<AdmissionRequest, AdmissionResult>((_, all) => {
    const { bucket, limit, keys } = all[0]!;
    return link.run(
      async (redis) => {
        const [fullInMs, taken, ...facts] = await redis.admitRequest(
          1 + keys.length,
          createKey('bucket', bucket),
          ...keys.map((key) => createKey('entry', key)),
          limit.perMinute,
          limit.burst,
          all.length,
          createKey('epoch', ''),
          notBefore,
        );
        const entries = keys.map((_, i) => {
          const [subject, epoch, value] = facts.slice(3 * i, 3 * i + 3) as string[];
          return subject ? { subject, epoch: epoch!, value: value! } : null;
        });
        const decideRate = (ordinal: number) =>
          decide(limit, Number(fullInMs) + Math.min(ordinal, taken) * computeInterval(limit));
        return all.map((_, ordinal) => ({ entries, rate: decideRate(ordinal) }));
      },
      async () => {
        const rates = await Promise.all(all.map(() => getLocalCache().takeToken(bucket, limit)));
        return rates.map((rate) => ({ entries: keys.map(() => null), rate }));
      },
    );
  }, Number.POSITIVE_INFINITY);

  return {
    admit: (bucket, limit, keys) => admit([bucket, ...keys].join(' '), { bucket, limit, keys }),

    put: (key, { subject, epoch, value }, ttlSeconds) =>
      link.run(
        async (redis) => {
          await redis.putEntry(createKey('entry', key), subject, epoch, value, ttlSeconds * 1000);
        },
        async () => {},
      ),

    epoch: (subject) =>
      link.run(
        (redis) => redis.ensureEpoch(createKey('epoch', subject), createEpoch(), epochTtlMs),
        // An epoch under which no entry will ever be valid.
        async () => createEpoch(),
      ),

    async bumpEpoch(subject) {
      const change = ++changes;
      dueChanges.set(subject, change);
      const deadline = performance.now() + bumpMs;
      do {
        const upTo = await link.run(
          () => announce(subject),
          async () => 0,
        );
        if (upTo >= change || !dueChanges.has(subject)) return;
        await sleep(bumpPauseMs);
      } while (performance.now() < deadline);
      log.warn({ subject }, 'a change could not be announced; it will be when Redis is back');
    },

    takeToken: (key, limit) =>
      link.run(
        async (redis) => {
          const [fullInMs] = await redis.takeToken(createKey('bucket', key), limit.perMinute, limit.burst);
          return decide(limit, Number(fullInMs));
        },
        () => getLocalCache().takeToken(key, limit),
      ),

    count: (key, windowSeconds, by) =>
      link.run(
        async (redis) => {
          const [count, remainingMs] = await redis.countEvents(
            createKey('counter', key),
            by,
            windowSeconds * 1000,
          );
          return { count, resetSeconds: Math.ceil(remainingMs / 1000) };
        },
        () => getLocalCache().count(key, windowSeconds, by),
      ),

    async resetCount(key) {
      await getLocalCache().resetCount(key);
      await link.run(
        async (redis) => {
          await redis.del(createKey('counter', key));
        },
        async () => {},
      );
    },

    close: () => link.close(),
  };
}

function createEpoch(): string {
  return randomBytes(12).toString('base64url');
}
