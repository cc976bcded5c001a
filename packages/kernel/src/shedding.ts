/** Shedding by queueing time: who would wait longer for their turn is refused before anything is done for them. */
const longestWaitMs = 1_000;
/** A queue's first turns tell little: connections are opened with them. */
const firstTurns = 20;

/** Those who wait for something of which there is only so much, connections of a pool for one. */
export interface Queue {
  /** Waits for a turn, which `take` gives. */
  wait<Result>(take: () => Promise<Result>): Promise<Result>;
  /** Whether who comes now would wait too long. */
  isTooLong(): boolean;
}

/** Tells a wait before it begins: so many as wait, by the time from turn to turn. */
export function createQueue(now: () => number = () => performance.now()): Queue {
  let waiting = 0;
  let turnAt = now();
  let turns = 0;
  /** From turn to turn while others wait; a mean over some twenty. */
  let turnMs = 0;

  return {
    async wait(take) {
      if (waiting++ === 0) {
        turnAt = now();
        turns = 0;
      }
      try {
        return await take();
      } finally {
        const at = now();
        if (++turns > firstTurns) turnMs += (at - turnAt - turnMs) / 20;
        turnAt = at;
        waiting--;
      }
    },
    isTooLong() {
      if (waiting === 0) return false;
      // Where nobody gets a turn at all, the next one is as far away as the last.
      return Math.max(waiting * turnMs, now() - turnAt) > longestWaitMs;
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
