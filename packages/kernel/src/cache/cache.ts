/** The requests that a rate limit allows: `perMinute` on average, up to `burst` at once. */
export interface RateLimit {
  perMinute: number;
  burst: number;
}

export interface RateDecision {
  allowed: boolean;
  /** Whole requests that remain now. */
  remaining: number;
  /** Seconds until the bucket is full again. */
  resetSeconds: number;
  /** Seconds until the next request is allowed; 0 when one is allowed now. */
  retryAfterSeconds: number;
}

/** A cached value about a subject. It is valid as long as the subject's epoch is the one it was read under. */
export interface CacheEntry {
  /** The id of a store or of a user. */
  subject: string;
  epoch: string;
  /** JSON. */
  value: string;
}

/**
 * The entries of the requested keys, with null for a missing entry, and the decision of the rate limit about this
 * request.
 */
export interface AdmissionResult {
  entries: (CacheEntry | null)[];
  rate: RateDecision;
}

/**
 * The data that services share apart from their databases, in Redis or in process. It is never a source of truth: every
 * value may vanish at any time.
 */
export interface Cache {
  /**
   * Admits one request in one round trip: returns the entry under each of `keys`, unless the epoch of its subject has
   * moved on, and takes one token out of a bucket.
   */
  admit(bucket: string, limit: RateLimit, keys: readonly string[]): Promise<AdmissionResult>;

  /** Keeps an entry for `ttlSeconds`. It is read back only while its epoch is the current one of its subject. */
  put(key: string, entry: CacheEntry, ttlSeconds: number): Promise<void>;

  /** Returns the current epoch of a store or user. Read it before the facts from which an entry is made. */
  epoch(subject: string): Promise<string>;

  /** Starts a new epoch: entries of the subject that were made before this call are not read again. */
  bumpEpoch(subject: string): Promise<void>;

  /** Takes one token out of a bucket. */
  takeToken(key: string, limit: RateLimit): Promise<RateDecision>;

  /** Counts events under `key` in a window that starts with the first event; with `by` 0 it only reads the count. */
  count(key: string, windowSeconds: number, by: number): Promise<{ count: number; resetSeconds: number }>;

  /** Resets a counter. */
  resetCount(key: string): Promise<void>;

  close(): Promise<void>;
}
