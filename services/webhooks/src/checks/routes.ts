import { type CallCheck, checkIds, checkStates } from '@waybill/contracts';
import { defineRoutes } from '@waybill/kernel';
import Type from 'typebox';
import { errors } from '../errors.ts';

const Check = Type.Unsafe<CallCheck>(
  Type.Object(
    {
      id: Type.Enum([...checkIds]),
      state: Type.Enum([...checkStates]),
      message: Type.String({ examples: ['The name resolves to an address that calls may go to.'] }),
    },
    { $id: 'WebhookCheck' },
  ),
);

/** `decisions.md 24.3`. */
export const routes = defineRoutes({
  checkWebhook: {
    method: 'POST',
    path: '/api/v1/webhooks/{id}/check',
    access: { scope: 'webhooks.write' },
    summary: "Check a webhook's endpoint for problems",
    description:
      'Makes one call with a sample and the header `X-WB-Test: 1`, which is not recorded; for a queue it only ' +
      'connects and signs in. Waits for the receiver as long as any call does: up to 10 seconds. Checks after a ' +
      'failed one are skipped. `409 invalid_state` while a check of the webhook is running.',
    ids: { id: 'webhookEndpoint' },
    idempotency: 'handler',
    answer: [200, Type.Object({ checks: Type.Array(Check) })],
    errors: [errors.invalid_state, errors.resource_unavailable],
  },
});
