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

/** So many are begun at once, however long the turns of the event loop are: what they wait for leaves it time for others. */
const fewBegun = 300;
/** With more than those a turn is to be no longer than this, */
const turnMs = 20;
/** but for what is begun in each all the same: they may all be of the kind that stays, uploads or streams. */
const leastMs = 1;
/** As above: what they have sent may each be a megabyte to read. */
const fewInLine = 500;
/** How long who came first may have waited before nobody more is taken: what is begun has to wait for its data as well. */
const longestLineMs = longestWaitMs / 4;

/** A response, as far as a line sees it. */
interface Answering {
  closed: boolean;
  once(event: 'close', listener: () => void): unknown;
}

/** Those who wait for this process to begin with them. */
export interface Line {
  /** Begins now, or in a later turn of the event loop, first come first served; not with who has left by then. */
  enter(res: Answering, begin: () => void): void;
  /** Whether who comes now would wait too long. */
  isTooLong(): boolean;
}

/**
 * Keeps the work of this process short, however much comes: some hundreds are under way, and more only while turns of the
 * event loop are short; the rest waits here, where it costs nothing and can be told how long. So who is taken is answered
 * soon, health too, who is to be refused is so at once, and connections do not stand full of those who wait.
 */
export function createLine(now: () => number = () => performance.now()): Line {
  const waiting: { since: number; res: Answering; begin: () => void }[] = [];
  let begun = 0;
  let isTurnDue = false;
  /** When this turn ends for those who are more than few. */
  let until = 0;
  /** When the last one was begun, or it was looked whether to. */
  let lookedAt = 0;

  function start(res: Answering, begin: () => void): void {
    if (res.closed) return;
    begun++;
    res.once('close', () => begun--);
    begin();
  }

  function takeTurn(): void {
    isTurnDue = waiting.length > 0;
    if (!isTurnDue) return;
    const at = now();
    until = at + Math.max(leastMs, turnMs - (at - lookedAt));
    lookedAt = at;
    takeNext();
    setImmediate(takeTurn);
  }

  // One after the other, as what one goes on with at once is to count as well.
  function takeNext(): void {
    if (waiting.length === 0 || (begun >= fewBegun && now() >= until)) return;
    const { res, begin } = waiting.shift()!;
    start(res, begin);
    lookedAt = now();
    queueMicrotask(takeNext);
  }

  return {
    enter(res, begin) {
      if (waiting.length === 0 && begun < fewBegun) return start(res, begin);
      waiting.push({ since: now(), res, begin });
      if (isTurnDue) return;
      isTurnDue = true;
      lookedAt = now();
      setImmediate(takeTurn);
    },
    isTooLong: () => waiting.length > fewInLine && now() - waiting[0]!.since > longestLineMs,
  };
}
