/** Requests that would wait longer than this for their turn are refused before any work is done for them. */
export const maxWaitMs = 1_000;
/** The estimate counts only after a request has waited for this long, because a burst may end sooner than it seems. */
const minWaitToRefuseMs = maxWaitMs / 2;
/** Up to this many waiting requests are no overload: on a slow machine a burst is better served late than refused. */
const minWaitingToRefuse = 250;

/** A queue for a limited resource, such as the connections of a pool. */
export interface Queue {
  /** Waits for a turn, which `acquire` grants, first come, first served. */
  wait<Result>(acquire: () => Promise<Result>): Promise<Result>;
  /** Whether a newcomer would wait too long. */
  isTooLong(): boolean;
}

/** Sheds load by queueing time, which is estimated from the queue's length and pace, or from the wait of its first. */
export function createQueue(now: () => number = () => performance.now()): Queue {
  /** In the order of arrival. */
  const waiting = new Set<{ since: number }>();
  let turnAt = now();
  /** The time from turn to turn while requests wait, averaged over some twenty turns. */
  let turnMs = 0;
  return {
    async wait(acquire) {
      const entry = { since: now() };
      if (waiting.size === 0) turnAt = entry.since;
      waiting.add(entry);
      try {
        return await acquire();
      } finally {
        const at = now();
        turnMs += (at - turnAt - turnMs) / 20;
        turnAt = at;
        waiting.delete(entry);
      }
    },
    isTooLong() {
      if (waiting.size <= minWaitingToRefuse) return false;
      const [first] = waiting;
      const waitedMs = now() - first!.since;
      return waitedMs > maxWaitMs || (waitedMs > minWaitToRefuseMs && waiting.size * turnMs > maxWaitMs);
    },
  };
}
