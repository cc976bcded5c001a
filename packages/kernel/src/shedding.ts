/** Shedding by queueing time: who would wait longer for their turn is refused before anything is done for them. */
const longestWaitMs = 1_000;

/** Those who wait for something of which there is only so much, connections of a pool for one. */
export interface Queue {
  /** Waits for a turn, which `take` gives, first come first served. */
  wait<Result>(take: () => Promise<Result>): Promise<Result>;
  /** Whether who comes now would wait too long. */
  isTooLong(): boolean;
}

/**
 * Who has waited longest tells how long a wait is at present: who comes now is behind all who came meanwhile. Reckoned
 * ahead, from how many wait and how quick turns are, it was wrong on a busy machine, and refused bursts that were done
 * in a second.
 */
export function createQueue(now: () => number = () => performance.now()): Queue {
  /** The first is who came first. */
  const waiting = new Set<{ since: number }>();
  return {
    async wait(take) {
      const one = { since: now() };
      waiting.add(one);
      try {
        return await take();
      } finally {
        waiting.delete(one);
      }
    },
    isTooLong() {
      const [first] = waiting;
      return first !== undefined && now() - first.since > longestWaitMs;
    },
  };
}

const lookEveryMs = 20;
/** Turns of the event loop that are longer keep everybody waiting. */
const longTurnMs = 50;
const longestBusyMs = 200;

/** Looks how long the event loop takes from turn to turn. */
export interface EventLoopWatch {
  /** Whether every turn of the last fifth of a second was a long one: one alone is a pause, and no queue. */
  isBusy(): boolean;
  stop(): void;
}

/** Begins to watch the event loop of this process. */
export function watchEventLoop(): EventLoopWatch {
  let lookedAt = performance.now();
  let shortAt = lookedAt;
  const timer = setInterval(() => {
    const at = performance.now();
    if (at - lookedAt < lookEveryMs + longTurnMs) shortAt = at;
    lookedAt = at;
  }, lookEveryMs).unref();
  return {
    isBusy: () => lookedAt - shortAt > longestBusyMs,
    stop: () => clearInterval(timer),
  };
}
