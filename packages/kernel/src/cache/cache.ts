/** What a rate limit allows: `perMinute` on average, up to `burst` at once. */
export interface RateLimit {
  perMinute: number;
  burst: number;
}

export interface RateDecision {
  allowed: boolean;
  /** Whole requests left right now. */
  remaining: number;
  /** Seconds until the bucket is full again. */
  resetSeconds: number;
  /** Seconds until the next request is allowed; 0 when it is. */
  retryAfterSeconds: number;
}

/** A cached value and whom it speaks of: valid while that one's epoch is the one it was read under. */
export interface CacheEntry {
  /** The id of a store or of a user. */
  subject: string;
  epoch: string;
  /** JSON. */
  value: string;
}

/** The entries of the keys asked for, null for what is not there, and what the limit says of this request. */
export interface Admitted {
  entries: (CacheEntry | null)[];
  rate: RateDecision;
}

/**
 * What the services share beside their databases, on Redis or in process. Nothing in it is a source of truth:
 * every value may vanish at any time.
 */
export interface Cache {
  /**
   * One request's admission in one round trip: the entry under each of `keys` unless its subject's epoch moved on,
   * and one token out of a bucket.
   */
  admit(bucket: string, limit: RateLimit, keys: readonly string[]): Promise<Admitted>;

  /** Keeps an entry for `ttlSeconds`. It is read back only while its epoch is its subject's. */
  put(key: string, entry: CacheEntry, ttlSeconds: number): Promise<void>;

  /** The present epoch of a store or user; read it before the facts that an entry is made of. */
  epoch(subject: string): Promise<string>;

  /** Starts a new epoch: entries of that subject made before this call are not read again. */
  bumpEpoch(subject: string): Promise<void>;

  /** Takes one token out of a bucket. */
  take(key: string, limit: RateLimit): Promise<RateDecision>;

  /** Counts events under `key` in a window that starts with the first; `by` 0 only looks. */
  count(key: string, windowSeconds: number, by: number): Promise<{ count: number; resetSeconds: number }>;

  /** Forgets a counter. */
  forget(key: string): Promise<void>;

  close(): Promise<void>;
}
