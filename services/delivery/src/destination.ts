import type { Destination as QueueAddress, ReceivedReply } from '@waybill/contracts';
import type { ClientIdentity } from './sending/connector.ts';

/** The outcome of one attempt (`store-api.md 2.9`). */
export interface Outcome {
  delivered: boolean;
  statusCode: number | null;
  /** A message for the store's owner; empty if the call was delivered. */
  error: string;
  durationMs: number;
  /** The part of the reply that is kept; null if no reply came. */
  reply: ReceivedReply | null;
  /** When writing the request began, by `performance.now()`; null if it never began. */
  startedAt: number | null;
  /** Whether the call was not made because it could not begin before `startBefore`. */
  isNotStarted?: boolean;
  /** Whether no further attempt can end differently. */
  isFinal?: boolean;
}

/** One attempt at a webhook call. */
export interface Call {
  url: string;
  headers: Record<string, string>;
  body: string | Buffer;
  /** The client certificate presented in TLS. */
  identity?: ClientIdentity | undefined;
  /** The latest time at which the request may begin, by `performance.now()`. */
  startBefore?: number | undefined;
  /** The queue that receives the call in place of `url`. */
  queue?: QueueTarget | undefined;
}

/** A queue, its secret, and the ids of the message sent to it. */
export interface QueueTarget {
  address: QueueAddress;
  secret: string;
  eventId: string;
  /** Identifies this attempt alone. */
  messageId: string;
  /** The object that the event is about. A queue with ordering keeps the order of messages about the same object. */
  subject: string | null;
}

/** A target for calls: a URL or a queue. One call is one request, and no call rejects while the destination is open. */
export interface Destination {
  send(call: Call): Promise<Outcome>;
  /**
   * Connects and signs in without sending a message. Resolves to an empty string, or to a description of the problem.
   * Undefined for kinds of targets that cannot be checked.
   */
  check?(call: Call): Promise<string>;
  /** Resolves once all calls in flight have ended and every connection is closed. */
  close(): Promise<void>;
}

/** The calls of a destination that have not ended, so that closing it can wait for them. */
export class CallsInFlight {
  readonly #calls = new Set<Promise<Outcome>>();

  /** Adds a call until it ends, and returns it. */
  add(call: Promise<Outcome>): Promise<Outcome> {
    this.#calls.add(call);
    return call.finally(() => this.#calls.delete(call));
  }

  /** Resolves once all calls have ended. */
  async end(): Promise<void> {
    await Promise.allSettled(this.#calls);
  }
}

/** Builds the outcome of an attempt that began at `started`, a time of `performance.now()`. */
export function createOutcome(
  started: number,
  error: string,
  statusCode: number | null = null,
  reply: ReceivedReply | null = null,
): Outcome {
  const durationMs = Math.round(performance.now() - started);
  return { delivered: error === '', statusCode, error, durationMs, reply, startedAt: null };
}

/** Builds the outcome of a call that could not start in time for its rate limit. */
export const createNotStartedOutcome = (started: number): Outcome => ({
  ...createOutcome(started, 'the call could not start in time'),
  isNotStarted: true,
});

/** Returns the `X-WB-` headers of `store-api.md 6.2`, which a queue message carries as attributes. */
export const toAttributes = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => /^x-wb-/i.test(name)));
