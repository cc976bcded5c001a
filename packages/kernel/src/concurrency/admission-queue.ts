import { maxWaitMs } from './queue.ts';

/** Number of requests in flight up to which the next one begins immediately, however long the event loop's turns are. */
const minConcurrency = 300;
/** Maximum length of a turn of the event loop when more than `minConcurrency` requests are in flight. */
const maxTurnMs = 20;
/** Time in each turn that always begins requests: those in flight may all be long ones, such as uploads. */
const minTurnMs = 1;
/** Number of waiting requests up to which there is no overload: each may have sent a megabyte that has to be read. */
const minWaitingToRefuse = 500;
/**
 * How long the first request may have waited before newcomers are refused: a request that begins still has to wait for
 * its data.
 */
const maxQueueMs = maxWaitMs / 4;

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
 * Keeps the turns of the event loop short under any load. Some hundreds of requests are in flight; more begin only while
 * turns are short, and the rest wait here, where they cost nothing and their wait is known. So a request that is admitted
 * is answered soon, a request that has to be refused is refused immediately, and health is answered in time.
 */
export function createAdmissionQueue(now: () => number = () => performance.now()): AdmissionQueue {
  const waiting: { since: number; res: ClosableResponse; begin: () => void }[] = [];
  let inFlight = 0;
  let isTurnDue = false;
  /** When this turn ends for requests beyond `minConcurrency`. */
  let until = 0;
  /** When a request was last begun or looked at. */
  let checkedAt = 0;

  function start(res: ClosableResponse, begin: () => void): void {
    if (res.closed) return;
    inFlight++;
    res.once('close', () => inFlight--);
    begin();
  }

  function runTurn(): void {
    isTurnDue = waiting.length > 0;
    if (!isTurnDue) return;
    const at = now();
    until = at + Math.max(minTurnMs, maxTurnMs - (at - checkedAt));
    checkedAt = at;
    startNext();
    setImmediate(runTurn);
  }

  // One microtask each: the first synchronous work of a request counts as part of the turn.
  function startNext(): void {
    if (waiting.length === 0 || (inFlight >= minConcurrency && now() >= until)) return;
    const { res, begin } = waiting.shift()!;
    start(res, begin);
    checkedAt = now();
    queueMicrotask(startNext);
  }

  return {
    enter(res, begin) {
      if (waiting.length === 0 && inFlight < minConcurrency) return start(res, begin);
      waiting.push({ since: now(), res, begin });
      if (isTurnDue) return;
      isTurnDue = true;
      checkedAt = now();
      setImmediate(runTurn);
    },
    isTooLong: () => waiting.length > minWaitingToRefuse && now() - waiting[0]!.since > maxQueueMs,
  };
}
