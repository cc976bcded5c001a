import { Timestamp } from '@waybill/contracts';
import { defineRoutes, nullable } from '@waybill/kernel';
import Type from 'typebox';

const attempts = Type.Integer({ minimum: 0 });
const milliseconds = nullable(
  Type.Integer({
    minimum: 0,
    description: 'Of all attempts, to within a twentieth; null when there were none.',
  }),
);

export const WebhookStats = Type.Object(
  {
    delivered: Type.Integer({ minimum: 0, description: 'Attempts that were taken.' }),
    failed: Type.Integer({ minimum: 0, description: 'Attempts that were not.' }),
    pending: Type.Integer({ minimum: 0, description: 'Deliveries that are not settled now.' }),
    p50Ms: milliseconds,
    p95Ms: milliseconds,
    buckets: Type.Array(Type.Object({ start: Timestamp, delivered: attempts, failed: attempts }), {
      description: 'By hour, oldest first, those without an attempt included.',
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
    description: 'Of attempts that ended in the hour that runs and those before it, test calls included.',
    ids: { id: 'webhookEndpoint' },
    query: Type.Object({
      hours: Type.Integer({
        minimum: 1,
        maximum: 720,
        default: 24,
        description: 'How many hours. A larger value counts as 720.',
      }),
    }),
    answer: [200, Type.Object({ stats: WebhookStats })],
    isItem: false,
  },
});
