import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createBatcher } from '../concurrency/batcher.ts';
import type { Log } from '../operations/log.ts';
import type { Admitted, Cache, RateLimit } from './cache.ts';
import { createInProcessCache } from './in-process-cache.ts';
import { decide, intervalOf } from './rate.ts';
import { RedisLink } from './redis-cache-link.ts';

const epochTtlMs = 3_600_000;
/** How long a change waits for Redis to hear of it. */
const bumpMs = 1_000;
const bumpPauseMs = 50;
/** Longer than any entry lives. */
const rememberedMs = 60_000;

/** What `admit` takes. */
interface Admission {
  bucket: string;
  limit: RateLimit;
  keys: readonly string[];
}

export interface RedisCacheOptions {
  url: string;
  /** Prefixes every key. */
  namespace: string;
  log: Log;
  /** After so long without an answer Redis counts as away; 250. */
  commandTimeoutMs?: number;
}

/**
 * The cache of a system of many processes, on one Redis (not a Redis cluster: the script of `admit` finds an
 * epoch by what it reads). No call ever fails.
 *
 * Redis away: each process holds the limits and counters by itself, `admit` gives no entry, `put` does nothing.
 *
 * No entry outlives a change. Epochs are random, so that one that was lost never comes back. After an absence a
 * process uses only entries made since, for it may have missed a change; and who could not announce a change goes
 * on until it can. What remains: a process that alone cannot reach Redis announces its change late, and until then
 * the others use what they have, for as long as an entry lives (30 s); so they may after a Redis has come back with
 * data older than a change that another process made, until that one has connected and repeated it.
 */
export function createRedisCache({ url, namespace, log, commandTimeoutMs = 250 }: RedisCacheOptions): Cache {
  // Made where Redis is away for the first time: it sets room aside for hundreds of thousands.
  let ownCache: Cache | undefined;
  const local = () => (ownCache ??= createInProcessCache());
  const keyOf = (kind: string, key: string) => `${namespace}:${kind}:${key}`;
  let changes = 0;
  /** The last change of a subject that is still to be announced. */
  const due = new Map<string, number>();
  /** When a change of a subject was announced last, the earliest first. */
  const announced = new Map<string, number>();
  let notBefore = 0;

  const link = new RedisLink({
    url,
    log,
    commandTimeoutMs,
    async recover(redis) {
      // Also what was announced shortly before: it may be missing from the data that Redis has come back with.
      forgetOld();
      await Promise.all([...new Set([...due.keys(), ...announced.keys()])].map(announce));
      const [seconds, microseconds] = await redis.time();
      notBefore = Number(seconds) * 1000 + Number(microseconds) / 1000;
    },
  });

  function forgetOld(): void {
    for (const [subject, at] of announced) {
      if (performance.now() - at < rememberedMs) return;
      announced.delete(subject);
    }
  }

  /** Gives the subject a new epoch; resolves to the change up to which that is known. */
  async function announce(subject: string): Promise<number> {
    const upTo = due.get(subject) ?? 0;
    await link.redis.set(keyOf('epoch', subject), newEpoch(), 'PX', epochTtlMs);
    if (due.get(subject) === upTo) due.delete(subject);
    announced.delete(subject);
    announced.set(subject, performance.now());
    forgetOld();
    return upTo;
  }

  // Each alone, requests of one bearer that come together would cost this process and Redis as much again. All have the
  // same entries, and tokens in the order in which they came.
  const admit = createBatcher<Admission, Admitted>((_, all) => {
    const { bucket, limit, keys } = all[0]!;
    return link.ask(
      async (redis) => {
        const [fullInMs, taken, ...facts] = await redis.admitRequest(
          1 + keys.length,
          keyOf('bucket', bucket),
          ...keys.map((key) => keyOf('entry', key)),
          limit.perMinute,
          limit.burst,
          all.length,
          keyOf('epoch', ''),
          notBefore,
        );
        const entries = keys.map((_, i) => {
          const [subject, epoch, value] = facts.slice(3 * i, 3 * i + 3) as string[];
          return subject ? { subject, epoch: epoch!, value: value! } : null;
        });
        const rateOf = (ordinal: number) =>
          decide(limit, Number(fullInMs) + Math.min(ordinal, taken) * intervalOf(limit));
        return all.map((_, ordinal) => ({ entries, rate: rateOf(ordinal) }));
      },
      async () => {
        const rates = await Promise.all(all.map(() => local().take(bucket, limit)));
        return rates.map((rate) => ({ entries: keys.map(() => null), rate }));
      },
    );
  }, Number.POSITIVE_INFINITY);

  return {
    admit: (bucket, limit, keys) => admit([bucket, ...keys].join(' '), { bucket, limit, keys }),

    put: (key, { subject, epoch, value }, ttlSeconds) =>
      link.ask(
        async (redis) => {
          await redis.putEntry(keyOf('entry', key), subject, epoch, value, ttlSeconds * 1000);
        },
        async () => {},
      ),

    epoch: (subject) =>
      link.ask(
        (redis) => redis.epochOf(keyOf('epoch', subject), newEpoch(), epochTtlMs),
        // One that no entry will ever be valid under.
        async () => newEpoch(),
      ),

    async bumpEpoch(subject) {
      const change = ++changes;
      due.set(subject, change);
      const deadline = performance.now() + bumpMs;
      do {
        const upTo = await link.ask(
          () => announce(subject),
          async () => 0,
        );
        if (upTo >= change || !due.has(subject)) return;
        await sleep(bumpPauseMs);
      } while (performance.now() < deadline);
      log.warn({ subject }, 'a change could not be announced; it will be when Redis is back');
    },

    take: (key, limit) =>
      link.ask(
        async (redis) => {
          const [fullInMs] = await redis.takeToken(keyOf('bucket', key), limit.perMinute, limit.burst);
          return decide(limit, Number(fullInMs));
        },
        () => local().take(key, limit),
      ),

    count: (key, windowSeconds, by) =>
      link.ask(
        async (redis) => {
          const [count, leftMs] = await redis.countEvents(keyOf('counter', key), by, windowSeconds * 1000);
          return { count, resetSeconds: Math.ceil(leftMs / 1000) };
        },
        () => local().count(key, windowSeconds, by),
      ),

    async forget(key) {
      await local().forget(key);
      await link.ask(
        async (redis) => {
          await redis.del(keyOf('counter', key));
        },
        async () => {},
      );
    },

    close: () => link.close(),
  };
}

function newEpoch(): string {
  return randomBytes(12).toString('base64url');
}
