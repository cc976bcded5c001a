import { type CallType, eventTypes, Timestamp } from '@waybill/contracts';
import { after, defineRoutes, nullable, pageSchema, paging } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../errors.ts';
import { maxLoggedAttempts } from './attempt-record.ts';

const statuses = ['pending', 'retrying', 'delivered', 'dead', 'cancelled'] as const;

/** Builds the schema fields of a delivery record about these types. */
export const deliveryFields = (types: readonly CallType[]) => ({
  id: Type.String(),
  endpointId: Type.String(),
  eventId: Type.String(),
  eventType: Type.Unsafe<CallType>(Type.Enum([...types])),
  attempt: Type.Integer({
    minimum: 1,
    description: 'The number of the latest attempt; 1 before the first has ended.',
  }),
  status: Type.Enum([...statuses]),
  isTest: Type.Boolean({ description: 'Whether it was requested as a test.' }),
  nextAttemptAt: nullable(Timestamp),
  createdAt: Timestamp,
  deliveredAt: nullable(Timestamp),
  lastStatusCode: nullable(Type.Integer()),
  lastError: Type.String({ description: 'Empty if there is none.' }),
});

/** `store-api.md 2.9`. */
export const Delivery = Type.Object(deliveryFields(eventTypes), { $id: 'WebhookDelivery' });
export type Delivery = Static<typeof Delivery>;

/** `decisions.md 12.6`. */
export const Attempt = Type.Object(
  {
    attempt: Type.Integer({ minimum: 1 }),
    startedAt: Timestamp,
    durationMs: Type.Integer({ minimum: 0 }),
    statusCode: nullable(Type.Integer({ description: 'Null if no complete reply headers were received.' })),
    error: Type.String({ description: 'Empty if there is none.' }),
    requestHeaders: nullable(
      Type.Record(Type.String(), Type.String(), {
        description:
          'As sent, with secret values as `***`. Null for readers without permission for the event, and for ' +
          'attempts from before headers were stored.',
        examples: [{ 'X-WB-Attempt': '1' }],
      }),
    ),
    responseHeaders: nullable(
      Type.Record(Type.String(), Type.String(), {
        description:
          'By lower-case name, without cookies; long values are truncated. Null if no reply was received.',
        examples: [{ 'content-type': 'text/plain' }],
      }),
    ),
    responseBody: nullable(
      Type.String({
        description: 'The first KiB; null if no reply was received, or if it is not text (UTF-8).',
        examples: ['no such order'],
      }),
    ),
  },
  { $id: 'WebhookAttempt' },
);
export type Attempt = Static<typeof Attempt>;

/** Builds the schema of the query of a list of delivery records about these types. */
export const deliveryQuery = (types: readonly CallType[]) =>
  Type.Object({
    limit: paging.limit,
    ...after,
    status: Type.Optional(Type.Enum([...statuses])),
    eventType: Type.Optional(Type.Unsafe<CallType>(Type.Enum([...types]))),
    eventId: Type.Optional(Type.String({ description: 'Values other than event IDs are ignored.' })),
  });

const request = nullable(
  Type.Object(
    {
      url: Type.String({ examples: ['https://example.com/webhooks'] }),
      body: Type.String({
        description: 'The first 64 KiB of the body.',
        examples: ['{"id":"evt_…","type":"product.created"}'],
      }),
    },
    {
      description:
        'The request of the latest attempt; null before it, and for readers without permission for the event.',
    },
  ),
);
export type DeliveryWithAttempts = Delivery & { request: Static<typeof request>; attempts: Attempt[] };

/** Builds the schema of a record with the log of its attempts. */
export const withAttempts = (types: readonly CallType[]) =>
  Type.Object({
    delivery: Type.Object({
      ...deliveryFields(types),
      request,
      attempts: Type.Array(Attempt, {
        description: `Oldest first; beyond ${maxLoggedAttempts} attempts, the newest ${maxLoggedAttempts}.`,
      }),
    }),
  });

const endpointId = { id: 'webhookEndpoint' } as const;
const ids = { ...endpointId, deliveryId: 'webhookDelivery' } as const;

export const routes = defineRoutes({
  listDeliveries: {
    method: 'GET',
    path: '/api/v1/webhooks/{id}/deliveries',
    access: { scope: 'webhooks.read' },
    summary: 'List the deliveries of a webhook, newest first',
    description: 'Records are kept for 30 days.',
    ids: endpointId,
    query: deliveryQuery(eventTypes),
    answer: [200, pageSchema('deliveries', Delivery)],
    errors: [errors.invalid_cursor],
  },
  getDelivery: {
    method: 'GET',
    path: '/api/v1/webhooks/{id}/deliveries/{deliveryId}',
    access: { scope: 'webhooks.read' },
    summary: 'Read a delivery with the log of its attempts',
    description:
      'The request, and the reply to each attempt: status, time, headers and the first KiB of the body.',
    ids,
    answer: [200, withAttempts(eventTypes)],
  },
  redeliver: {
    method: 'POST',
    path: '/api/v1/webhooks/{id}/deliveries/{deliveryId}/redeliver',
    access: { scope: 'webhooks.write' },
    summary: 'Retry a delivery now',
    description:
      'With the same event ID and the next attempt number. If it fails there is no further retry. `409 ' +
      'invalid_state` while the webhook is disabled, and if the event is no longer stored.',
    ids,
    answer: [202, Type.Object({ delivery: Delivery })],
    errors: [errors.invalid_state],
  },
});
