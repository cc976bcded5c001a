import type { CallType } from './events.ts';

/**
 * The queues in which webhooks puts due calls and from which delivery takes them. The second one is for endpoints whose
 * last call was slow, so that hanging endpoints hold up only each other.
 */
export const deliveryLanes = { quick: 'delivery.calls', slow: 'delivery.calls.slow' } as const;

/** An endpoint whose last call took longer than this is slow; a call that timed out counts as such. */
export const slowMs = 2_000;

/**
 * Minimum time that a call needs before its lease ends: it may take ten seconds, and its outcome has to be recorded.
 */
export const leaseMarginMs = 15_000;

/** The internal route of webhooks that returns a body: `POST { storeId, eventId, isReduced, appId? }` → `{ body }`. */
export const eventBodyPath = '/internal/event-bodies';

/**
 * The internal route of webhooks that returns the time of its database, to which leases refer: `GET` → `{ now }`, in
 * milliseconds since the epoch.
 */
export const clockPath = '/internal/clock';

/** A reference to a body that is too large for a message for each endpoint: delivery fetches it. */
export interface BodyReference {
  bytes: number;
  /** Whether the body should contain only ids, `decisions.md 12.2`. */
  isReduced: boolean;
  /** The app whose endpoint is called: of the custom fields, it sees its own and the public ones. */
  appId?: string;
}

/** The queue in which delivery reports the outcomes of calls. */
export const outcomesQueue = 'webhooks.outcomes';

/** Returns the queue for jobs or events that travel together in one message: `decisions.md 24.6`. */
export const getBatchQueue = (queue: string): string => `${queue}.together`;

/** Every queue of jobs. */
export const jobQueues: readonly string[] = [
  ...Object.values(deliveryLanes),
  outcomesQueue,
  ...[deliveryLanes.quick, outcomesQueue].map(getBatchQueue),
];

/** A queue that gets the calls in place of a URL, without its secret: `decisions.md 24.2`. */
export type Destination =
  | { kind: 'rabbitmq'; url: string; exchange: string; routingKey: string }
  | { kind: 'sqs'; queueUrl: string; region: string; accessKeyId: string };

/**
 * Settings of an endpoint that change its calls from the default: `decisions.md 24.1`. Secrets are written as
 * `***`.
 */
export interface CallSettings {
  headers?: Record<string, string>;
  format?: 'cloudevents';
  /** PEM; its key is a secret. */
  certificate?: string;
  destination?: Destination;
}

/** The secrets of `CallSettings`, sealed together as JSON for the endpoint's id. */
export interface CallSecrets {
  /** Secret headers by their name in `headers`. */
  headers?: Record<string, string>;
  /** PEM. */
  certificateKey?: string;
  /** The password of a RabbitMQ user, or the secret access key of an SQS queue. */
  destination?: string;
}

/** One event of a batch. */
export interface BatchMember {
  deliveryId: string;
  eventId: string;
  eventType: CallType;
  body: string | BodyReference;
}

/** One webhook call that is due. */
export interface DeliveryJob {
  storeId: string;
  deliveryId: string;
  endpointId: string;
  url: string;
  /** The signing secret, sealed for the endpoint's id: no message contains it in the clear. */
  sealedSecret: string;
  /** During a rotation: the previous secret, sealed in the same way, and its expiry; RFC 3339. `decisions.md 12.4`. */
  previousSecret?: { sealed: string; expiresAt: string } | null;
  eventId: string;
  eventType: CallType;
  /** 1-based. */
  attempt: number;
  /** The exact bytes to send, or a reference to them. */
  body: string | BodyReference;
  /** When the reported change was committed, in milliseconds since the epoch. */
  committedAt: number;
  /**
   * When the lease ends, in milliseconds since the epoch by the clock of `clockPath`, because the clocks of machines
   * may differ. After that, the call is handed over again, with the endpoint's settings of that time. A worker that
   * cannot begin it `leaseMarginMs` earlier drops it, so that no attempt is made twice.
   */
  leasedUntil: number;
  /** For a first attempt: the W3C traceparent of the change. */
  trace?: string | undefined;
  /** Whether this is a test call, which is marked as such: `decisions.md 12.5`. */
  isTest?: boolean | undefined;
  /** The types of its events that are reduced to ids, `decisions.md 12.2`. */
  reducedTypes?: CallType[] | undefined;
  settings?: CallSettings | null;
  sealedSettings?: string | null;
  /**
   * For an endpoint with a rate limit: the latest start of the call, by the clock of `clockPath`. A call that has not
   * started by then is reported as such and handed over again.
   */
  startsUntil?: number | undefined;
  /** Whether calls about the same thing wait for this one. */
  isOrdered?: boolean | undefined;
  /** The events that are sent as one call; `deliveryId`, `eventId` and `body` are then those of the first event. */
  batch?: { id: string; members: BatchMember[] } | undefined;
}

/** The part of a receiver's reply that is stored for the owner of the endpoint: `decisions.md 12.6`. */
export interface ReceivedReply {
  /** By lower-case name, without cookies. */
  headers: Record<string, string>;
  /** The first KiB; null if it is not text. */
  body: string | null;
}

/** The outcome of a call. */
export interface DeliveryOutcome {
  storeId: string;
  deliveryId: string;
  endpointId: string;
  attempt: number;
  delivered: boolean;
  statusCode: number | null;
  /** Empty if the call was delivered. */
  error: string;
  durationMs: number;
  /** RFC 3339. Older copies of delivery leave out this field and `reply`. */
  startedAt?: string;
  /** Null if no reply came. */
  reply?: ReceivedReply | null;
  /** The request as it was sent; older copies of delivery leave it out. */
  request?: SentRequest | undefined;
  /** The seconds that `Retry-After` of a 429 or 503 asks for. */
  retryAfterSeconds?: number | undefined;
  /** Whether a further attempt cannot have another outcome. */
  isFinal?: boolean | undefined;
  /** Whether the call was too late for `startsUntil` and was not made, so it counts as no attempt. */
  isNotStarted?: boolean | undefined;
  /** For an endpoint with a rate limit: the latest time at which the call started, by the clock of `clockPath`. */
  startedBy?: number | undefined;
  isOrdered?: boolean | undefined;
  /** The batch, and the deliveries of its other events, which have the same outcome. */
  batch?: { id: string; deliveryIds: string[] } | undefined;
}

/** A request as the owner of the endpoint sees it: `decisions.md 24.3`. Secret headers are written as `***`. */
export interface SentRequest {
  url: string;
  headers: Record<string, string>;
  /** The types of its events that were reduced to ids. */
  reducedTypes?: CallType[] | undefined;
  format?: 'cloudevents' | undefined;
}

/** The internal route of delivery that tries a call: `POST { job }` → `{ checks }`. */
export const checkPath = '/internal/call-checks';

export const checkIds = ['name', 'connection', 'tls', 'answer', 'clock'] as const;
export const checkStates = ['ok', 'warning', 'failed'] as const;
export type CallCheckState = (typeof checkStates)[number];

/** One step of a check: `decisions.md 24.3`. */
export interface CallCheck {
  id: (typeof checkIds)[number];
  state: CallCheckState;
  message: string;
}
