import { eventTypes, Timestamp } from '@waybill/contracts';
import { defineRoutes, listOf, nullable, paging } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../errors.ts';

const deliveryFields = {
  id: Type.String(),
  endpointId: Type.String(),
  eventId: Type.String(),
  eventType: Type.Enum([...eventTypes]),
  attempt: Type.Integer({ minimum: 1, description: 'The latest attempt; 1 before the first has ended.' }),
  status: Type.Enum(['pending', 'retrying', 'delivered', 'dead', 'cancelled']),
  nextAttemptAt: nullable(Timestamp),
  createdAt: Timestamp,
  deliveredAt: nullable(Timestamp),
  lastStatusCode: nullable(Type.Integer()),
  lastError: Type.String({ description: 'Empty when there is none.' }),
};

/** `store-api.md 2.9`. */
export const Delivery = Type.Object(deliveryFields, { $id: 'WebhookDelivery' });
export type Delivery = Static<typeof Delivery>;

export const Attempt = Type.Object({
  attempt: Type.Integer({ minimum: 1 }),
  statusCode: nullable(Type.Integer()),
  error: Type.String(),
  durationMs: Type.Integer(),
  endedAt: Timestamp,
});

const endpointId = { id: 'webhookEndpoint' } as const;
const ids = { ...endpointId, deliveryId: 'webhookDelivery' } as const;

export const routes = defineRoutes({
  listDeliveries: {
    method: 'GET',
    path: '/api/v1/webhooks/{id}/deliveries',
    access: { scope: 'webhooks.read' },
    summary: 'List the most recent deliveries of a webhook, newest first',
    ids: endpointId,
    query: Type.Object({ limit: paging.limit }),
    answer: [200, listOf('deliveries', Delivery)],
  },
  getDelivery: {
    method: 'GET',
    path: '/api/v1/webhooks/{id}/deliveries/{deliveryId}',
    access: { scope: 'webhooks.read' },
    summary: 'Read a delivery with the log of its attempts',
    ids,
    answer: [
      200,
      Type.Object({ delivery: Type.Object({ ...deliveryFields, attempts: Type.Array(Attempt) }) }),
    ],
  },
  redeliver: {
    method: 'POST',
    path: '/api/v1/webhooks/{id}/deliveries/{deliveryId}/redeliver',
    access: { scope: 'webhooks.write' },
    summary: 'Make one more attempt now',
    description: 'The same event id, the next attempt number. If it fails there is no further retry.',
    ids,
    answer: [202, Type.Object({ delivery: Delivery })],
    errors: [errors.invalid_state],
  },
});
