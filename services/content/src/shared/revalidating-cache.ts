import { LRUCache } from 'lru-cache';

/** Minimum time between two attempts to load a value whose last attempt failed. */
const retryAfterMs = 1_000;

interface Options<Value> {
  maxBytes: number;
  /** Estimates the memory of a value, which is at least 1 byte. */
  measureBytes(value: Value): number;
}

/** How one caller uses a value. */
export interface Revalidation<Value> {
  /** The revisions that the caller has seen. Callers with the same ones share one `load`. */
  revisions: string;
  /** Whether everything that the cached value stems from is unchanged. */
  isCurrent(value: Value): boolean | Promise<boolean>;
  /** Loads the value; undefined when it does not exist, which is not cached. */
  load(): Promise<Value | undefined>;
  /** Decides whether this caller may wait for a new value; throws when not. */
  admit?: (() => Promise<void>) | undefined;
  /**
   * Returns the value to use when `load` throws, given the cached one; undefined passes the error on. Later callers get
   * it at once, while one attempt a second runs in the background: otherwise each would wait for the full deadline of
   * the service that is unavailable.
   */
  fallback?: (cached: Value | undefined) => Value | undefined | Promise<Value | undefined>;
  /** Reports an error that a fallback hides. */
  onError?: (error: unknown) => void;
}

/**
 * Keeps values in memory and checks each before it is used, so that every process serves the current one without being
 * informed of changes. Callers of a value that is being loaded wait for it together.
 *
 * It stands on lru-cache, but not on its `fetchMethod`, which shares a running fetch by key alone: a caller who has seen
 * a newer revision would get the older value.
 */
export class RevalidatingCache<Value extends object> {
  readonly #values: LRUCache<string, Value>;
  /** Time of the last failed attempt by key. */
  readonly #failedAt = new LRUCache<string, number>({ max: 10_000 });
  /** The values that are being loaded, by key and revisions. */
  readonly #loading = new Map<string, Promise<Value | undefined>>();

  constructor({ maxBytes, measureBytes }: Options<Value>) {
    this.#values = new LRUCache<string, Value>({ maxSize: maxBytes, sizeCalculation: measureBytes });
  }

  /** Returns the current value of a key; undefined when it does not exist. Throws what `load` or `admit` throws. */
  async get(key: string, how: Revalidation<Value>): Promise<Value | undefined> {
    const cached = this.#values.get(key);
    if (cached && (await how.isCurrent(cached))) return cached;
    if (this.#failedAt.has(key)) {
      const substitute = await how.fallback?.(cached);
      if (substitute) {
        this.#retryInBackground(key, how);
        return substitute;
      }
    }
    await how.admit?.();
    return this.#loadOnce(key, how);
  }

  #retryInBackground(key: string, how: Revalidation<Value>): void {
    if (Date.now() - (this.#failedAt.get(key) ?? 0) < retryAfterMs) return;
    this.#failedAt.set(key, Date.now());
    this.#loadOnce(key, how).catch(() => {});
  }

  #loadOnce(key: string, how: Revalidation<Value>): Promise<Value | undefined> {
    const flight = `${key}\n${how.revisions}`;
    const running = this.#loading.get(flight);
    if (running) return running;
    const loading = this.#load(key, how).finally(() => this.#loading.delete(flight));
    this.#loading.set(flight, loading);
    return loading;
  }

  async #load(
    key: string,
    { load: make, fallback, onError }: Revalidation<Value>,
  ): Promise<Value | undefined> {
    try {
      const value = await make();
      if (value) this.#values.set(key, value);
      this.#failedAt.delete(key);
      return value;
    } catch (error) {
      const substitute = await fallback?.(this.#values.peek(key));
      if (!substitute) throw error;
      onError?.(error);
      this.#failedAt.set(key, Date.now());
      return substitute;
    }
  }
}
