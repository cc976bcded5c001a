import type { Destination as QueueAddress, ReceivedReply } from '@waybill/contracts';
import type { ClientIdentity } from './sending/connector.ts';

/** The outcome of one attempt (`store-api.md 2.9`). */
export interface Outcome {
  delivered: boolean;
  statusCode: number | null;
  /** In words for the store's owner; empty when delivered. */
  error: string;
  durationMs: number;
  /** The part of a reply that is kept; null when none came. */
  reply: ReceivedReply | null;
  /** When the request began to be written, by `performance.now()`; null: it was not. */
  startedAt: number | null;
  /** Whether the call was not made, as it could not begin before `startBefore`. */
  isNotStarted?: boolean;
  /** Whether no other attempt can end otherwise. */
  isFinal?: boolean;
}

/** One attempt at a call. */
export interface Call {
  url: string;
  headers: Record<string, string>;
  body: string | Buffer;
  /** Presented in TLS. */
  identity?: ClientIdentity | undefined;
  /** By `performance.now()`: the request does not begin later. */
  startBefore?: number | undefined;
  /** Where the call goes in place of `url`. */
  queue?: QueueTarget | undefined;
}

/** A queue with its secret, and what a message to it is known by. */
export interface QueueTarget {
  address: QueueAddress;
  secret: string;
  eventId: string;
  /** Of this attempt alone. */
  messageId: string;
  /** The thing that the event tells of; messages about one thing keep their order in a queue that has one. */
  subject: string | null;
}

/** Somewhere that calls go: a URL, or a queue. One call is one request, and no call rejects while it is open. */
export interface Destination {
  send(call: Call): Promise<Outcome>;
  /** Connects and signs in, without a message; empty, or what is wrong. Undefined: this kind of target cannot tell. */
  check?(call: Call): Promise<string>;
  /** Resolves when the calls in flight have ended and every connection is closed. */
  close(): Promise<void>;
}

/** The outcome of an attempt that began at a moment of `performance.now()`. */
export function outcome(
  started: number,
  error: string,
  statusCode: number | null = null,
  reply: ReceivedReply | null = null,
): Outcome {
  const durationMs = Math.round(performance.now() - started);
  return { delivered: error === '', statusCode, error, durationMs, reply, startedAt: null };
}

/** The outcome of a call that came too late for its rate. */
export const notStarted = (started: number): Outcome => ({
  ...outcome(started, 'the call could not start in time'),
  isNotStarted: true,
});

/** The headers of `store-api.md 6.2`, which a message carries as attributes. */
export const attributesOf = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => /^x-wb-/i.test(name)));
