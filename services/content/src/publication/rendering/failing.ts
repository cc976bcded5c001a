import { LRUCache } from 'lru-cache';

/** How long after a try the next one waits. */
const pauseMs = 1_000;

/**
 * What could not be made when it was tried last, because a neighbour is away: its visitors get what there was at once, and
 * somebody tries again meanwhile. Without it, each of them would wait for as long as a neighbour may take to say nothing.
 */
export function createFailing() {
  /** When each was tried last. */
  const triedAt = new LRUCache<string, number>({ max: 10_000 });
  return {
    has: (key: string): boolean => triedAt.has(key),
    failed: (key: string): void => void triedAt.set(key, Date.now()),
    succeeded: (key: string): void => void triedAt.delete(key),
    /** Tries again, unless that is too soon; nobody waits for it. */
    tryAgain(key: string, attempt: () => Promise<unknown>): void {
      if (Date.now() - (triedAt.get(key) ?? 0) < pauseMs) return;
      triedAt.set(key, Date.now());
      attempt().catch(() => {});
    },
  };
}
