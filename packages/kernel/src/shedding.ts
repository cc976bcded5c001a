/** Shedding by queueing time: who would wait longer for their turn is refused before anything is done for them. */
const longestWaitMs = 1_000;
/** What is reckoned ahead counts where somebody has waited for so long: what a burst brings may be done sooner than it seems. */
const standingMs = longestWaitMs / 2;
/** So few are no overload, whatever they wait for: on a slow machine a burst takes its time, and is better done than refused. */
const fewWaiting = 250;

/** Those who wait for something of which there is only so much, connections of a pool for one. */
export interface Queue {
  /** Waits for a turn, which `take` gives, first come first served. */
  wait<Result>(take: () => Promise<Result>): Promise<Result>;
  /** Whether who comes now would wait too long. */
  isTooLong(): boolean;
}

/** Tells a wait before it begins: so many as wait, by the time from turn to turn; or as long as the first has waited. */
export function createQueue(now: () => number = () => performance.now()): Queue {
  /** The first is who came first. */
  const waiting = new Set<{ since: number }>();
  let turnAt = now();
  /** From turn to turn while others wait; a mean over some twenty. */
  let turnMs = 0;
  return {
    async wait(take) {
      const one = { since: now() };
      if (waiting.size === 0) turnAt = one.since;
      waiting.add(one);
      try {
        return await take();
      } finally {
        const at = now();
        turnMs += (at - turnAt - turnMs) / 20;
        turnAt = at;
        waiting.delete(one);
      }
    },
    isTooLong() {
      if (waiting.size <= fewWaiting) return false;
      const [first] = waiting;
      const waitedMs = now() - first!.since;
      return waitedMs > longestWaitMs || (waitedMs > standingMs && waiting.size * turnMs > longestWaitMs);
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
