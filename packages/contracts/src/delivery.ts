import type { CallType } from './events.ts';

/**
 * Where webhooks puts calls that are due and delivery takes them: the second lane is for endpoints that took long
 * over their last call, so that those that hang hold up only each other.
 */
export const deliveryLanes = { quick: 'delivery.calls', slow: 'delivery.calls.slow' } as const;

/** An endpoint whose last call took longer is a slow one; a deadline that passed is one that took long. */
export const slowMs = 2_000;

/** No call is begun later than this before its lease ends: it may take ten seconds, and its outcome is to be recorded. */
export const leaseMarginMs = 15_000;

/** The internal route of webhooks that gives a body: `POST { storeId, eventId, isReduced }` → `{ body }`. */
export const eventBodyPath = '/internal/event-bodies';

/**
 * The internal route of webhooks that gives the time of its database, which leases are by: `GET` → `{ now }`, in
 * milliseconds since the epoch.
 */
export const clockPath = '/internal/clock';

/** A body that is too large to stand in a message for each endpoint: delivery fetches it. */
export interface BodyReference {
  bytes: number;
  /** Whether it is to hold ids alone, `decisions.md 12.2`. */
  isReduced: boolean;
}

/** Where delivery reports what became of a call. */
export const outcomesQueue = 'webhooks.outcomes';

/** One webhook call that is due. */
export interface DeliveryJob {
  storeId: string;
  deliveryId: string;
  endpointId: string;
  url: string;
  /** The signing secret, sealed for the endpoint's id: no message holds it in the clear. */
  sealedSecret: string;
  /** While it is rotated: the one before, sealed alike, and until when it counts; RFC 3339. `decisions.md 12.4`. */
  previousSecret?: { sealed: string; expiresAt: string } | null;
  eventId: string;
  eventType: CallType;
  /** 1-based. */
  attempt: number;
  /** The exact bytes that are sent, or where they are. */
  body: string | BodyReference;
  /** When the change that it tells of was committed; milliseconds since the epoch. */
  committedAt: number;
  /**
   * After this it is handed over anew, as its endpoint is by then; milliseconds since the epoch by the clock of
   * `clockPath`: those of the machines may differ. Whoever cannot begin it `leaseMarginMs` before drops it, so that no
   * attempt is made twice.
   */
  leasedUntil: number;
  /** Of a first attempt: the W3C traceparent of the change. */
  trace?: string | undefined;
  /** A test call, which says that it is one: `decisions.md 12.5`. */
  isTest?: boolean | undefined;
}

/** What of a receiver's reply is kept for the owner of the endpoint: `decisions.md 12.6`. */
export interface ReceivedReply {
  /** By lower-case name, without cookies. */
  headers: Record<string, string>;
  /** The first KiB; null where it is no text. */
  body: string | null;
}

/** What became of a call. */
export interface DeliveryOutcome {
  storeId: string;
  deliveryId: string;
  endpointId: string;
  attempt: number;
  delivered: boolean;
  statusCode: number | null;
  /** Empty when delivered. */
  error: string;
  durationMs: number;
  /** RFC 3339. This and `reply` are missing from copies of delivery that do not tell them yet. */
  startedAt?: string;
  /** Null: none came. */
  reply?: ReceivedReply | null;
}
