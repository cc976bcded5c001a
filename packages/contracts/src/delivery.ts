import type { EventType } from './events.ts';

/**
 * Where webhooks puts calls that are due and delivery takes them: the second lane is for endpoints whose last
 * call failed, so that those that hang hold up only each other.
 */
export const deliveryLanes = { healthy: 'delivery.jobs', failing: 'delivery.jobs.failing' } as const;

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
  eventId: string;
  eventType: EventType;
  /** 1-based. */
  attempt: number;
  /** The exact bytes that are sent. */
  body: string;
  /** When the change that it tells of was committed; milliseconds since the epoch. */
  committedAt: number;
  /** After this it is handed over anew, as its endpoint is by then; milliseconds since the epoch. */
  leasedUntil: number;
  /** Of a first attempt: the W3C traceparent of the change. */
  trace?: string | undefined;
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
}
