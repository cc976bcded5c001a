import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createBatcher } from '../concurrency/batcher.ts';
import type { Log } from '../operations/log.ts';
import type { AdmissionResult, Cache, CacheEntry, RateDecision, RateLimit } from './cache.ts';
import { createInProcessCache } from './in-process-cache.ts';
import { computeInterval, decide } from './rate.ts';
import { RedisLink } from './redis-cache-link.ts';
import type { ScriptedRedis } from './redis-cache-scripts.ts';

const epochTtlMs = 3_600_000;
/** How long a change waits at most until Redis has taken the new epoch, and the pause between two attempts. */
const bumpMs = 1_000;
const bumpPauseMs = 50;
/** How long a process remembers an announcement, to repeat it: longer than the life of any entry. */
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
  /** How long Redis may take to answer before it counts as unreachable; 250 by default. */
  commandTimeoutMs?: number;
}

/** Creates the cache of a system of many processes. */
export const createRedisCache = (options: RedisCacheOptions): Cache => new RedisCache(options);

/**
 * The cache of a system of many processes, on one Redis. A Redis cluster does not work, because the script of `admit`
 * builds the key of an epoch from data that it reads. No call ever fails.
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
class RedisCache implements Cache {
  readonly #namespace: string;
  readonly #log: Log;
  readonly #link: RedisLink;
  /** Created when Redis is first unreachable, because it reserves memory for hundreds of thousands of items. */
  #localCache: Cache | undefined;
  /** Number of the changes of this process. */
  #changes = 0;
  /** The number of the last unannounced change, by subject. */
  readonly #dueChanges = new Map<string, number>();
  /** When a change of each subject was last announced, the earliest first. */
  readonly #announcedAt = new Map<string, number>();
  /** Time of Redis from which on its entries may be used, in milliseconds. */
  #notBefore = 0;

  constructor({ url, namespace, log, commandTimeoutMs = 250 }: RedisCacheOptions) {
    this.#namespace = namespace;
    this.#log = log;
    this.#link = new RedisLink({
      url,
      log,
      commandTimeoutMs,
      recover: (redis) => this.#recover(redis),
    });
  }

  admit(bucket: string, limit: RateLimit, keys: readonly string[]): Promise<AdmissionResult> {
    return this.#admitTogether([bucket, ...keys].join(' '), { bucket, limit, keys });
  }

  put(key: string, { subject, epoch, value }: CacheEntry, ttlSeconds: number): Promise<void> {
    return this.#link.run(
      async (redis) => {
        await redis.putEntry(this.#createKey('entry', key), subject, epoch, value, ttlSeconds * 1000);
      },
      async () => {},
    );
  }

  epoch(subject: string): Promise<string> {
    return this.#link.run(
      (redis) => redis.ensureEpoch(this.#createKey('epoch', subject), createEpoch(), epochTtlMs),
      // An epoch under which no entry will ever be valid.
      async () => createEpoch(),
    );
  }

  async bumpEpoch(subject: string): Promise<void> {
    const change = ++this.#changes;
    this.#dueChanges.set(subject, change);
    const deadline = performance.now() + bumpMs;
    do {
      const upTo = await this.#link.run(
        () => this.#announce(subject),
        async () => 0,
      );
      if (upTo >= change || !this.#dueChanges.has(subject)) return;
      await sleep(bumpPauseMs);
    } while (performance.now() < deadline);
    this.#log.warn({ subject }, 'a change could not be announced; it will be when Redis is back');
  }

  takeToken(key: string, limit: RateLimit): Promise<RateDecision> {
    return this.#link.run(
      async (redis) => {
        const bucket = this.#createKey('bucket', key);
        const [fullInMs] = await redis.takeToken(bucket, limit.perMinute, limit.burst);
        return decide(limit, Number(fullInMs));
      },
      () => this.#getLocalCache().takeToken(key, limit),
    );
  }

  count(key: string, windowSeconds: number, by: number): Promise<{ count: number; resetSeconds: number }> {
    return this.#link.run(
      async (redis) => {
        const counter = this.#createKey('counter', key);
        const [count, remainingMs] = await redis.countEvents(counter, by, windowSeconds * 1000);
        return { count, resetSeconds: Math.ceil(remainingMs / 1000) };
      },
      () => this.#getLocalCache().count(key, windowSeconds, by),
    );
  }

  async resetCount(key: string): Promise<void> {
    await this.#getLocalCache().resetCount(key);
    await this.#link.run(
      async (redis) => {
        await redis.del(this.#createKey('counter', key));
      },
      async () => {},
    );
  }

  close(): Promise<void> {
    return this.#link.close();
  }

  /**
   * Admits requests of one bearer that arrive together in one call: separate calls would cost this process and Redis as
   * much each. All get the same entries, and tokens in the order of arrival.
   */
  readonly #admitTogether = createBatcher<AdmissionRequest, AdmissionResult>((_, all) => {
    const { bucket, limit, keys } = all[0]!;
    return this.#link.run(
      async (redis) => {
        const [fullInMs, taken, ...facts] = await redis.admitRequest(
          1 + keys.length,
          this.#createKey('bucket', bucket),
          ...keys.map((key) => this.#createKey('entry', key)),
          limit.perMinute,
          limit.burst,
          all.length,
          this.#createKey('epoch', ''),
          this.#notBefore,
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
        const rates = await Promise.all(all.map(() => this.#getLocalCache().takeToken(bucket, limit)));
        return rates.map((rate) => ({ entries: keys.map(() => null), rate }));
      },
    );
  }, Number.POSITIVE_INFINITY);

  #createKey(kind: 'bucket' | 'counter' | 'entry' | 'epoch', key: string): string {
    return `${this.#namespace}:${kind}:${key}`;
  }

  #getLocalCache(): Cache {
    this.#localCache ??= createInProcessCache();
    return this.#localCache;
  }

  /** Repeats recent announcements too: they may be missing from the data with which Redis has come back. */
  async #recover(redis: ScriptedRedis): Promise<void> {
    this.#evictOldAnnouncements();
    const subjects = new Set([...this.#dueChanges.keys(), ...this.#announcedAt.keys()]);
    await Promise.all([...subjects].map((subject) => this.#announce(subject)));
    const [seconds, microseconds] = await redis.time();
    this.#notBefore = Number(seconds) * 1000 + Number(microseconds) / 1000;
  }

  /** Gives the subject a new epoch. Resolves to the number of the last change that Redis now knows. */
  async #announce(subject: string): Promise<number> {
    const upTo = this.#dueChanges.get(subject) ?? 0;
    await this.#link.redis.set(this.#createKey('epoch', subject), createEpoch(), 'PX', epochTtlMs);
    if (this.#dueChanges.get(subject) === upTo) this.#dueChanges.delete(subject);
    // Deleting the subject first puts it at the end of the order.
    this.#announcedAt.delete(subject);
    this.#announcedAt.set(subject, performance.now());
    this.#evictOldAnnouncements();
    return upTo;
  }

  #evictOldAnnouncements(): void {
    for (const [subject, at] of this.#announcedAt) {
      if (performance.now() - at < announcementMemoryMs) return;
      this.#announcedAt.delete(subject);
    }
  }
}

function createEpoch(): string {
  return randomBytes(12).toString('base64url');
}
