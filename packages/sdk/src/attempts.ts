import { WaybillError } from './errors.ts';

/** How a request is made, and how often. */
export interface Attempts {
  fetch: (request: Request) => Promise<Response>;
  /** How often a request that failed in passing is made again; default 2. */
  retries: number;
  /** Waits, in milliseconds, and no longer than until the signal is aborted. */
  sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** What passes: too many requests, a service that is away for a moment. */
const passing = new Set([429, 502, 503, 504]);
/** So does the first try of the same write, which goes on where its answer was lost: the one conflict that says when. */
const isPassing = ({ status, headers }: Response) =>
  passing.has(status) || (status === 409 && headers.has('retry-after'));
const firstWaitMs = 250;
/** Whoever is told to wait longer than this hears of it instead. */
const longestWaitMs = 20_000;

/**
 * Makes requests again that failed in passing: reads always, writes where they carry an `Idempotency-Key`, so that a
 * repeat changes nothing twice (`decisions.md 11.2`).
 */
export function createAttempts({
  fetch = (request) => globalThis.fetch(request),
  retries = 2,
  sleep = pause,
}: Partial<Attempts>) {
  return async function tried(
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
        const told = Number(response.headers.get('retry-after') ?? 0) * 1000;
        if (isLast || !isPassing(response) || told > longestWaitMs) return response;
        await response.body?.cancel();
        waitMs = Math.max(waitMs, told || 0);
      } catch (cause) {
        if (request.signal.aborted) throw cause;
        if (isLast) throw new WaybillError('unreachable', 'The server cannot be reached.', { cause });
      }
      await sleep(waitMs, request.signal);
      request.signal.throwIfAborted();
    }
  };
}

/** Waits, or until the signal is aborted. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done);
    if (signal?.aborted) done();
  });
}

/** What to wait after so many failures in a row, in milliseconds: longer each time, and no two clients alike. */
export const waitMsAfter = (failures: number): number =>
  firstWaitMs * 2 ** Math.min(failures, 10) * (0.5 + Math.random());

/** Gives a write the key by which the server knows it again (`decisions.md 11.2`), unless it has one. */
export function keyed(request: Request): Request {
  if (isKeyed(request)) request.headers.set('idempotency-key', crypto.randomUUID());
  return request;
}

const isRead = ({ method }: Request) => method === 'GET' || method === 'HEAD';

const isKeyed = (request: Request) =>
  !isRead(request) &&
  /\/api\/(v1|stores|orgs)(\/|$)/.test(new URL(request.url).pathname) &&
  !request.headers.has('idempotency-key');

const isRepeatable = (request: Request) => isRead(request) || request.headers.has('idempotency-key');
