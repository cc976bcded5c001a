import { LRUCache } from 'lru-cache';

/** Minimum time between two attempts. */
const pauseMs = 1_000;

/**
 * Tracks pages that could not be made because another service is unavailable. Their visitors get the previous page at
 * once, while another attempt runs in the background. Otherwise each visitor would wait for the full deadline of that
 * service.
 */
export function createFailing() {
  /** Time of the last attempt for each page. */
  const triedAt = new LRUCache<string, number>({ max: 10_000 });
  return {
    has: (key: string): boolean => triedAt.has(key),
    failed: (key: string): void => void triedAt.set(key, Date.now()),
    succeeded: (key: string): void => void triedAt.delete(key),
    /** Makes another attempt in the background, unless it is too soon. */
    tryAgain(key: string, attempt: () => Promise<unknown>): void {
      if (Date.now() - (triedAt.get(key) ?? 0) < pauseMs) return;
      triedAt.set(key, Date.now());
      attempt().catch(() => {});
    },
  };
}
