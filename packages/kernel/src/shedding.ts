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

/** For how long of each turn of the event loop something new is begun; what was begun goes on whenever it can. */
const beginningMs = 5;
/** As above: what they have sent may each be a megabyte to read. */
const fewInLine = 500;
/** How long who came first may have waited before nobody more is taken: what is begun has to wait for its data as well. */
const longestLineMs = longestWaitMs / 2;

/** Those who wait for this process to begin with them. */
export interface Line {
  /** Begins now where this turn of the event loop has time for it, or else in a later one, first come first served. */
  enter(begin: () => void): void;
  /** Whether who comes now would wait too long. */
  isTooLong(): boolean;
}

/**
 * Keeps turns of the event loop short, however much comes: all that has come is read in each, a few milliseconds' worth of
 * it is begun, and the rest waits here, where it can be told how long. So health is answered and who is to be refused is
 * refused at once, also while a thousand others wait.
 */
export function createLine(now: () => number = () => performance.now()): Line {
  const waiting: { since: number; begin: () => void }[] = [];
  let until = 0;
  let isTurnKnown = false;

  function takeTurn(): void {
    isTurnKnown = false;
    if (waiting.length === 0) return;
    isTurnKnown = true;
    until = now() + beginningMs;
    do waiting.shift()!.begin();
    while (waiting.length > 0 && now() < until);
    setImmediate(takeTurn);
  }

  return {
    enter(begin) {
      if (!isTurnKnown) {
        isTurnKnown = true;
        until = now() + beginningMs;
        setImmediate(takeTurn);
      }
      if (waiting.length === 0 && now() < until) begin();
      else waiting.push({ since: now(), begin });
    },
    isTooLong: () => waiting.length > fewInLine && now() - waiting[0]!.since > longestLineMs,
  };
}
