import { Timestamp } from '@waybill/contracts';
import { defineRoutes, nullable } from '@waybill/kernel';
import Type from 'typebox';

const attempts = Type.Integer({ minimum: 0 });
const milliseconds = nullable(
  Type.Integer({
    minimum: 0,
    description: 'Over all attempts, accurate to within a twentieth; null if there were none.',
  }),
);

export const WebhookStats = Type.Object(
  {
    delivered: Type.Integer({ minimum: 0, description: 'The number of accepted attempts.' }),
    failed: Type.Integer({ minimum: 0, description: 'The number of failed attempts.' }),
    pending: Type.Integer({ minimum: 0, description: 'The number of deliveries that are still open.' }),
    p50Ms: milliseconds,
    p95Ms: milliseconds,
    buckets: Type.Array(Type.Object({ start: Timestamp, delivered: attempts, failed: attempts }), {
      description: 'By hour, oldest first, including hours without attempts.',
    }),
  },
  { $id: 'WebhookStats' },
);

/** `decisions.md 12.6`. */
export const routes = defineRoutes({
  getWebhookStats: {
    method: 'GET',
    path: '/api/v1/webhooks/{id}/stats',
    access: { scope: 'webhooks.read' },
    summary: 'Read recent delivery statistics of a webhook',
    description:
      'Covers attempts that ended in the current hour and the hours before it, including test calls.',
    ids: { id: 'webhookEndpoint' },
    query: Type.Object({
      hours: Type.Integer({
        minimum: 1,
        maximum: 720,
        default: 24,
        description: 'The number of hours. Values above 720 count as 720.',
      }),
    }),
    answer: [200, Type.Object({ stats: WebhookStats })],
    isItem: false,
  },
});
