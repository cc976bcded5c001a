import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from '../operations/config.ts';
import type { Log } from '../operations/log.ts';
import { Gauge, metrics } from '../operations/metrics.ts';
import { createScriptedRedis, type ScriptedRedis } from './redis-cache-scripts.ts';

const isReachable = new Gauge({
  name: 'waybill_cache_reachable',
  help: '1 while Redis answers; 0: limits are held by each process and principals are asked of their owners.',
  registers: [metrics],
});

const probeMs = 250;
/** Number of probes without an answer after which the link opens a new connection. */
const probesPerConnection = 8;
const maxPauseMs = 2_000;

/**
 * A connection to Redis that knows whether Redis is reachable. The first call that fails stops all calls, and a probe
 * in the background resumes them.
 */
export class RedisLink {
  readonly redis: ScriptedRedis;
  readonly #log: Log;
  readonly #commandTimeoutMs: number;
  readonly #recover: (redis: ScriptedRedis) => Promise<void>;
  readonly #settled: Promise<void>;
  #settle = () => {};
  #isConnected = false;
  #isClosed = false;
  #probing: Promise<void> | null = null;

  /**
   * `commandTimeoutMs` is the time that a request may lose, once, when Redis hangs; the calls after it do not wait.
   * `recover` runs whenever Redis is back, before the first other call.
   */
  constructor(options: {
    url: string;
    log: Log;
    commandTimeoutMs: number;
    recover(redis: ScriptedRedis): Promise<void>;
  }) {
    const parsed = URL.parse(options.url);
    if (!parsed?.hostname || !['redis:', 'rediss:'].includes(parsed.protocol))
      throw new StartError('REDIS_URL: must be like redis://host:6379');
    this.#log = options.log;
    this.#commandTimeoutMs = options.commandTimeoutMs;
    this.#recover = options.recover;
    this.#settled = new Promise((resolve) => {
      this.#settle = resolve;
    });
    setTimeout(this.#settle, 4 * options.commandTimeoutMs).unref();
    this.redis = createScriptedRedis(options.url, {
      connectTimeout: 2_000,
      // A call that cannot be sent now has a fallback.
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
      retryStrategy: (attempt) => Math.min(50 * 2 ** attempt, maxPauseMs) * (0.5 + Math.random() / 2),
    });
    this.redis.on('ready', () => this.#probe());
    this.redis.on('error', (err) => this.#onUnreachable(err));
    this.redis.on('close', () => this.#onUnreachable(new Error('the connection was closed')));
  }

  /** Returns the result of `run` from Redis, or of `fallback` if Redis is unreachable. Never throws. */
  async run<Result>(
    run: (redis: ScriptedRedis) => Promise<Result>,
    fallback: () => Promise<Result>,
  ): Promise<Result> {
    // Only the first connection is worth a wait.
    await this.#settled;
    if (!this.#isConnected) return fallback();
    try {
      return await this.#withTimeout(run(this.redis));
    } catch (error) {
      this.#onUnreachable(error);
      return fallback();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#isConnected) await this.#withTimeout(this.redis.quit()).catch(() => {});
    this.redis.disconnect();
    await this.#probing;
  }

  #onUnreachable(err: unknown): void {
    if (this.#isConnected && !this.#isClosed) {
      this.#log.warn({ err }, 'Redis is unreachable: each process keeps limits by itself until it is back');
      isReachable.set(0);
    }
    this.#isConnected = false;
    this.#settle();
    if (this.redis.status === 'ready') this.#probe();
  }

  #probe(): void {
    this.#probing ??= this.#probeUntilBack().finally(() => {
      this.#probing = null;
    });
  }

  async #probeUntilBack(): Promise<void> {
    for (let probe = 1; !this.#isClosed && this.redis.status === 'ready'; probe++) {
      try {
        await this.#withTimeout(this.#recover(this.redis));
        this.#isConnected = true;
        isReachable.set(1);
        this.#settle();
        this.#log.info('Redis answers');
        return;
      } catch (err) {
        this.#log.debug({ err }, 'Redis does not answer yet');
        if (probe % probesPerConnection === 0) this.redis.disconnect(true);
        await sleep(probeMs, undefined, { ref: false });
      }
    }
  }

  async #withTimeout<Result>(reply: Promise<Result>): Promise<Result> {
    const timeout = Promise.withResolvers<never>();
    const rejectOnTimeout = () => timeout.reject(new Error(`no answer within ${this.#commandTimeoutMs} ms`));
    // The process gives up one turn later: if this process itself was blocked, the reply has arrived and is only
    // unread.
    const timer = setTimeout(() => setImmediate(rejectOnTimeout), this.#commandTimeoutMs);
    try {
      return await Promise.race([reply, timeout.promise]);
    } finally {
      clearTimeout(timer);
    }
  }
}
