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

/** The internal route of webhooks that gives a body: `POST { storeId, eventId, isReduced, appId? }` → `{ body }`. */
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
  /** The app whose endpoint is called: it sees of custom fields its own and public ones. */
  appId?: string;
}

/** Where delivery reports what became of a call. */
export const outcomesQueue = 'webhooks.outcomes';

/** Where jobs of a queue go that travel together in one message: `decisions.md 24.6`. */
export const togetherQueue = (queue: string): string => `${queue}.together`;

/** Every queue of jobs. */
export const jobQueues: readonly string[] = [
  ...Object.values(deliveryLanes),
  outcomesQueue,
  ...[deliveryLanes.quick, outcomesQueue].map(togetherQueue),
];

/** A queue that calls go to in place of a URL, without its secret: `decisions.md 24.2`. */
export type Destination =
  | { kind: 'rabbitmq'; url: string; exchange: string; routingKey: string }
  | { kind: 'sqs'; queueUrl: string; region: string; accessKeyId: string };

/** What a call differs in from the usual, as its endpoint is set: `decisions.md 24.1`. Secrets stand as `***`. */
export interface CallSettings {
  headers?: Record<string, string>;
  format?: 'cloudevents';
  /** PEM; its key is a secret. */
  certificate?: string;
  destination?: Destination;
}

/** The secrets of `CallSettings`, sealed together as JSON for the endpoint's id. */
export interface CallSecrets {
  /** By the name in `headers`. */
  headers?: Record<string, string>;
  /** PEM. */
  certificateKey?: string;
  /** The password of a RabbitMQ, the secret access key of an SQS queue. */
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
  /** The types of its events that are reduced to ids, `decisions.md 12.2`. */
  reducedTypes?: CallType[] | undefined;
  settings?: CallSettings | null;
  sealedSettings?: string | null;
  /**
   * Of an endpoint with a rate: the call may not start after this, by the clock of `clockPath`; one that did not is
   * reported as such and handed over again.
   */
  startsUntil?: number | undefined;
  /** Whether calls about the same thing wait for this one. */
  isOrdered?: boolean | undefined;
  /** The events that go as one; `deliveryId`, `eventId` and `body` are the first one's then. */
  batch?: { id: string; members: BatchMember[] } | undefined;
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
  /** The request as it was sent; missing from copies of delivery that do not tell it yet. */
  request?: SentRequest | undefined;
  /** What `Retry-After` of a 429 or 503 asks for, in seconds. */
  retryAfterSeconds?: number | undefined;
  /** Whether no other attempt can end otherwise. */
  isFinal?: boolean | undefined;
  /** Whether the call was not made, as it came too late for `startsUntil`: it is no attempt. */
  isNotStarted?: boolean | undefined;
  /** Of an endpoint with a rate: when the call started at the latest, by the clock of `clockPath`. */
  startedBy?: number | undefined;
  isOrdered?: boolean | undefined;
  /** The batch, and the deliveries of its other events, which end alike. */
  batch?: { id: string; deliveryIds: string[] } | undefined;
}

/** A request as it is shown to the owner of the endpoint: `decisions.md 24.3`. Secret headers stand as `***`. */
export interface SentRequest {
  url: string;
  headers: Record<string, string>;
  /** The types of its events that were reduced to ids. */
  reducedTypes?: CallType[] | undefined;
  format?: 'cloudevents' | undefined;
}

/** The internal route of delivery that tries a call out: `POST { job }` → `{ checks }`. */
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
