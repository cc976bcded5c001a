import { WaybillError } from './errors.ts';

/** How requests are sent and retried. */
export interface Attempts {
  fetch: (request: Request) => Promise<Response>;
  /** Maximum number of retries after a temporary failure; default 2. */
  retries: number;
  /** Waits for that many milliseconds, or until the signal is aborted. */
  sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Statuses of temporary failures: too many requests, or a service that is briefly unavailable. */
const transientStatuses = new Set([429, 502, 503, 504]);
/**
 * A 409 with `Retry-After` is temporary too: the first attempt of the same write, whose answer was lost, is still
 * running.
 */
const isTransient = ({ status, headers }: Response) =>
  transientStatuses.has(status) || (status === 409 && headers.has('retry-after'));
const firstWaitMs = 250;
/** If the server asks for a longer wait than this, the request fails instead of waiting. */
const longestWaitMs = 20_000;

/**
 * Retries requests after temporary failures. Reads are always retried; writes only with an `Idempotency-Key`, so that a
 * retry changes nothing twice (`decisions.md 11.2`).
 */
export function createAttempts({
  fetch = (request) => globalThis.fetch(request),
  retries = 2,
  sleep = pause,
}: Partial<Attempts>) {
  return async function fetchWithRetries(
    request: Request,
    {
      send = fetch,
      repeatable = isRepeatable(request),
    }: { send?: Attempts['fetch']; repeatable?: boolean } = {},
  ): Promise<Response> {
    for (let attempt = 0; ; attempt++) {
      const isLast = attempt >= retries || !repeatable;
      let waitMs = waitMsAfter(attempt);
      try {
        const response = await send(isLast ? request : request.clone());
        const retryAfterMs = Number(response.headers.get('retry-after') ?? 0) * 1000;
        if (isLast || !isTransient(response) || retryAfterMs > longestWaitMs) return response;
        await response.body?.cancel();
        waitMs = Math.max(waitMs, retryAfterMs || 0);
      } catch (cause) {
        if (request.signal.aborted) throw cause;
        if (isLast) throw new WaybillError('unreachable', 'The server cannot be reached.', { cause });
      }
      await sleep(waitMs, request.signal);
      request.signal.throwIfAborted();
    }
  };
}

/** A longer timer fires at once. */
const longestTimerMs = 2 ** 31 - 1;

/** Waits for the given time, or until the signal is aborted. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, Math.min(ms, longestTimerMs));
    signal?.addEventListener('abort', done);
    if (signal?.aborted) done();
  });
}

/**
 * Returns the wait in milliseconds after a number of failures in a row. It grows each time and is random, so that
 * clients do not retry in step.
 */
export const waitMsAfter = (failures: number): number =>
  firstWaitMs * 2 ** Math.min(failures, 10) * (0.5 + Math.random());

/** Gives a write an `Idempotency-Key` (`decisions.md 11.2`), unless it has one. */
export function withIdempotencyKey(request: Request): Request {
  if (isKeyed(request)) request.headers.set('idempotency-key', crypto.randomUUID());
  return request;
}

const isRead = ({ method }: Request) => method === 'GET' || method === 'HEAD';

const isKeyed = (request: Request) =>
  !isRead(request) &&
  /\/api\/(v1|stores|orgs)(\/|$)/.test(new URL(request.url).pathname) &&
  !request.headers.has('idempotency-key');

const isRepeatable = (request: Request) => isRead(request) || request.headers.has('idempotency-key');
