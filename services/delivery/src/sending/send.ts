import { checkUrl, type Lookup, type TrustedTarget } from '@waybill/outbound';
import type { Dispatcher } from 'undici';
import {
  type Call,
  CallsInFlight,
  createNotStartedOutcome,
  createOutcome,
  type Destination,
  type Outcome,
} from '../destination.ts';
import { createConnector } from './connector.ts';
import { describeFailure, describeStatus, Refusal } from './failure.ts';
import { createPools } from './pools.ts';
import { maxStoredBodyBytes, toStoredBody, toStoredHeaders } from './reply.ts';

export interface SenderOptions {
  trustedTargets: readonly TrustedTarget[];
  /** Deadline from the start of a call to the end of its reply headers. Reading the body stops at the same time. */
  timeoutMs?: number;
  maxReplyBytes?: number;
  /** How long an unused connection is kept, and roughly how many are kept in all. */
  idleMs?: number;
  idleConnections?: number;
  /** Replaces DNS in tests. */
  lookup?: Lookup;
  /** Certificates to trust instead of the system's. */
  ca?: string;
}

/**
 * Creates a sender that follows the rules of `store-api.md 6.3` and `decisions.md 6.3`: only a 2xx counts as delivered,
 * no redirect is followed, one deadline covers the whole call, and at most `maxReplyBytes` of a reply are read.
 *
 * A receiver may close a kept connection just as a call goes out on it. This looks the same as a receiver that took the
 * call and broke off, so it counts as a failed attempt. Connections are kept too briefly for it to happen often.
 */
export function createSender(options: SenderOptions): Destination {
  const { timeoutMs = 10_000, maxReplyBytes = 65_536, idleMs = 2000, idleConnections = 512 } = options;
  const connector = createConnector({ ...options, timeoutMs });
  const pools = createPools(connector, idleMs);
  const inFlight = new CallsInFlight();
  let closed = false;

  async function attempt({ url: text, headers, body, identity, startBefore }: Call): Promise<Outcome> {
    const started = performance.now();
    const url = checkUrl(text);
    if ('problem' in url) return createOutcome(started, `the URL ${url.message}`);
    const { origin, pathname, search } = url;
    const reset = connector.open() >= idleConnections;
    const request = { path: pathname + search, method: 'POST', headers, body, reset };
    const limits = { deadline: started + timeoutMs, maxReplyBytes, startBefore };
    const reply = await pools.use(origin, identity, (pool) => exchange(pool, request, limits));
    const { startedAt } = reply;
    if (reply.error === tooLate) return createNotStartedOutcome(started);
    if (reply.status === null) return { ...createOutcome(started, describeFailure(reply.error)), startedAt };
    const delivered = reply.status >= 200 && reply.status < 300;
    const storedReply = { headers: toStoredHeaders(reply.headers), body: toStoredBody(reply.body) };
    return {
      ...createOutcome(started, delivered ? '' : describeStatus(reply.status), reply.status, storedReply),
      startedAt,
    };
  }

  return {
    async send(call) {
      // No attempt is made, so there is no outcome.
      if (closed) throw new Error('the sender is closed');
      return inFlight.add(attempt(call));
    },
    async close() {
      closed = true;
      await inFlight.end();
      await pools.close();
    },
  };
}

interface Reply {
  /** Null when the reply headers did not arrive completely. */
  status: number | null;
  headers: Record<string, string | string[] | undefined>;
  /** The beginning of the body, as much as is kept. */
  body: Buffer;
  error: unknown;
  startedAt: number | null;
}

/** Created once, because the stack trace of an error costs up to a tenth of a call. */
const noReplyInTime = new Refusal('no complete reply in time');
const tooLate = new Refusal('the call could not start in time');

/** Sends one request and reads its reply. Always ends by the deadline, and never rejects. */
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
    const abort = (reason = noReplyInTime) => {
      finish(reason);
      running?.abort(reason);
    };
    const timer = setTimeout(() => abort(), deadline - performance.now());

    dispatcher.dispatch(request, {
      onRequestStart(controller) {
        running = controller;
        reply.startedAt = performance.now();
        if (reply.startedAt >= startBefore) abort(tooLate);
        // The call has waited too long for a connection.
        else if (reply.startedAt >= deadline) abort();
      },
      onResponseStart(_, status, headers) {
        // Interim answers (1xx) come before the reply.
        if (status >= 200) Object.assign(reply, { status, headers });
      },
      onResponseData(_, chunk) {
        // Copies the chunk, because its memory belongs to the connection.
        if (read < maxStoredBodyBytes)
          reply.body = Buffer.concat([reply.body, chunk.subarray(0, maxStoredBodyBytes - read)]);
        read += chunk.length;
        if (read > maxReplyBytes) abort();
      },
      onResponseEnd: () => finish(),
      onResponseError: (_, error) => finish(error),
    });
  });
}
