import { eventTypes } from '@waybill/contracts';
import { defineRoutes } from '@waybill/kernel';
import Type from 'typebox';
import { Delivery } from '../deliveries/routes.ts';
import { errors } from '../errors.ts';

export const TestCallInput = Type.Object(
  {
    type: Type.Optional(
      Type.Enum([...eventTypes], {
        errorCode: 'invalid_event',
        description: 'Any event type. By default the first of the webhook’s `events`.',
        examples: ['product.created'],
      }),
    ),
  },
  { $id: 'TestCallInput' },
);

export const routes = defineRoutes({
  testWebhook: {
    method: 'POST',
    path: '/api/v1/webhooks/{id}/test',
    access: { scope: 'webhooks.write' },
    summary: 'Send a sample event to a webhook',
    description:
      'The call contains the sample of the type (`GET /event-types`) and the header `X-WB-Test: 1`. It is not ' +
      'retried and does not count towards `failing`; a disabled webhook can be tested. At most 60 a minute per ' +
      'webhook.',
    ids: { id: 'webhookEndpoint' },
    body: TestCallInput,
    isBodyOptional: true,
    idempotency: 'handler',
    answer: [202, Type.Object({ delivery: Delivery })],
    errors: [errors.invalid_event, errors.rate_limited],
  },
});
