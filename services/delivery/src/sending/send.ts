import { checkUrl, type Lookup, type TrustedTarget } from '@waybill/outbound';
import type { Dispatcher } from 'undici';
import { type Call, type Destination, notStarted, type Outcome, outcome } from '../destination.ts';
import { createConnector } from './connector.ts';
import { describeFailure, describeStatus, Refusal } from './failure.ts';
import { createPools } from './pools.ts';
import { keepBody, keepHeaders, keptBytes } from './reply.ts';

export interface SenderOptions {
  trustedTargets: readonly TrustedTarget[];
  /** From the start of a call to complete reply headers, and at most to the end of the body. */
  timeoutMs?: number;
  maxReplyBytes?: number;
  /** How long an unused connection is kept, and about how many in all. */
  idleMs?: number;
  idleConnections?: number;
  /** Stands in for DNS in tests. */
  lookup?: Lookup;
  /** Certificates to trust in place of the system's. */
  ca?: string;
}

/**
 * Sends webhook calls by the rules of `store-api.md 6.3` and `decisions.md 6.3`: only a 2xx is a delivery, no
 * redirect is followed, one deadline covers everything, no more of a reply is read than `maxReplyBytes`.
 * A receiver may close a kept connection just as a call goes out on it. Nobody can tell that from one that took the
 * call and broke off, so that is a failed attempt, too; connections are not kept long enough for it to happen often.
 */
export function createSender(options: SenderOptions): Destination {
  const { timeoutMs = 10_000, maxReplyBytes = 65_536, idleMs = 2000, idleConnections = 512 } = options;
  const connector = createConnector({ ...options, timeoutMs });
  const pools = createPools(connector, idleMs);
  const inFlight = new Set<Promise<Outcome>>();
  let closed = false;

  async function attempt({ url: text, headers, body, identity, startBefore }: Call): Promise<Outcome> {
    const started = performance.now();
    const url = checkUrl(text);
    if ('problem' in url) return outcome(started, url.message);
    const { origin, pathname, search } = url;
    const reset = connector.open() >= idleConnections;
    const request = { path: pathname + search, method: 'POST', headers, body, reset };
    const limits = { deadline: started + timeoutMs, maxReplyBytes, startBefore };
    const reply = await pools.use(origin, identity, (pool) => exchange(pool, request, limits));
    const { startedAt } = reply;
    if (reply.error === tooLate) return notStarted(started);
    if (reply.status === null) return { ...outcome(started, describeFailure(reply.error)), startedAt };
    const delivered = reply.status >= 200 && reply.status < 300;
    const kept = { headers: keepHeaders(reply.headers), body: keepBody(reply.body) };
    return {
      ...outcome(started, delivered ? '' : describeStatus(reply.status), reply.status, kept),
      startedAt,
    };
  }

  return {
    async send(call) {
      if (closed) throw new Error('the sender is closed'); // no attempt was made: not an outcome
      const attempted = attempt(call);
      inFlight.add(attempted);
      return attempted.finally(() => inFlight.delete(attempted));
    },
    async close() {
      closed = true;
      await Promise.allSettled(inFlight);
      await pools.close();
    },
  };
}

interface Reply {
  /** Null when complete reply headers did not come. */
  status: number | null;
  headers: Record<string, string | string[] | undefined>;
  /** As much of its beginning as is kept. */
  body: Buffer;
  error: unknown;
  startedAt: number | null;
}

/** Made once: an error's stack trace costs as much as a tenth of a call. */
const over = new Refusal('no complete reply in time');
const tooLate = new Refusal('the call could not start in time');

/** One request and its reply, over by the deadline whatever the other side does; never rejects. */
function exchange(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  {
    deadline,
    maxReplyBytes,
    startBefore = Infinity,
  }: { deadline: number; maxReplyBytes: number; startBefore: number | undefined },
): Promise<Reply> {
  return new Promise((resolve) => {
    const reply: Reply = {
      status: null,
      headers: {},
      body: Buffer.alloc(0),
      error: undefined,
      startedAt: null,
    };
    let running: Dispatcher.DispatchController | undefined;
    let read = 0;

    const finish = (error?: unknown) => {
      clearTimeout(timer);
      reply.error ??= error;
      resolve(reply);
    };
    const stop = (reason = over) => {
      finish(reason);
      running?.abort(reason);
    };
    const timer = setTimeout(() => stop(), deadline - performance.now());

    dispatcher.dispatch(request, {
      onRequestStart(controller) {
        running = controller;
        reply.startedAt = performance.now();
        if (reply.startedAt >= startBefore) stop(tooLate);
        else if (reply.startedAt >= deadline) stop(); // it waited for its connection for too long
      },
      onResponseStart(_, status, headers) {
        if (status >= 200) Object.assign(reply, { status, headers }); // 1xx come before the reply
      },
      onResponseData(_, chunk) {
        // A copy: the chunk's memory is the connection's.
        if (read < keptBytes) reply.body = Buffer.concat([reply.body, chunk.subarray(0, keptBytes - read)]);
        read += chunk.length;
        if (read > maxReplyBytes) stop();
      },
      onResponseEnd: () => finish(),
      onResponseError: (_, error) => finish(error),
    });
  });
}
