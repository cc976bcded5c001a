import { longestWaitMs } from './queue.ts';

/** Number of requests that begin at once, however long the turns of the event loop are. */
const fewBegun = 300;
/** Maximum length of a turn of the event loop when more than `fewBegun` requests are under way. */
const turnMs = 20;
/** Time in each turn that begins requests in any case: the requests under way may all be long ones, such as uploads. */
const leastMs = 1;
/** Number of waiting requests up to which there is no overload: each may have sent a megabyte that has to be read. */
const fewWaiting = 500;
/**
 * How long the first request may have waited before newcomers are refused: a request that begins still has to wait for
 * its data.
 */
const longestLineMs = longestWaitMs / 4;

/** The part of a response that the queue needs. */
interface ClosableResponse {
  closed: boolean;
  once(event: 'close', listener: () => void): unknown;
}

/** Requests that wait for this process to begin their work. */
export interface AdmissionQueue {
  /** Begins now or in a later turn of the event loop, first come, first served; never for a client that has left. */
  enter(res: ClosableResponse, begin: () => void): void;
  /** Whether a newcomer would wait too long. */
  isTooLong(): boolean;
}

/**
 * Keeps the turns of the event loop short under any load. Some hundreds of requests are under way; more begin only while
 * turns are short, and the rest wait here, where they cost nothing and their wait is known. So a request that is admitted
 * is answered soon, a request that has to be refused is refused at once, and health is answered in time.
 */
export function createAdmissionQueue(now: () => number = () => performance.now()): AdmissionQueue {
  const waiting: { since: number; res: ClosableResponse; begin: () => void }[] = [];
  let begun = 0;
  let isTurnDue = false;
  /** When this turn ends for requests beyond `fewBegun`. */
  let until = 0;
  /** When a request was last begun or looked at. */
  let checkedAt = 0;

  function start(res: ClosableResponse, begin: () => void): void {
    if (res.closed) return;
    begun++;
    res.once('close', () => begun--);
    begin();
  }

  function takeTurn(): void {
    isTurnDue = waiting.length > 0;
    if (!isTurnDue) return;
    const at = now();
    until = at + Math.max(leastMs, turnMs - (at - checkedAt));
    checkedAt = at;
    takeNext();
    setImmediate(takeTurn);
  }

  // One microtask each: the synchronous work that a request does at once counts as part of the turn.
  function takeNext(): void {
    if (waiting.length === 0 || (begun >= fewBegun && now() >= until)) return;
    const { res, begin } = waiting.shift()!;
    start(res, begin);
    checkedAt = now();
    queueMicrotask(takeNext);
  }

  return {
    enter(res, begin) {
      if (waiting.length === 0 && begun < fewBegun) return start(res, begin);
      waiting.push({ since: now(), res, begin });
      if (isTurnDue) return;
      isTurnDue = true;
      checkedAt = now();
      setImmediate(takeTurn);
    },
    isTooLong: () => waiting.length > fewWaiting && now() - waiting[0]!.since > longestLineMs,
  };
}
