import { eventTypes, idPattern, Timestamp } from '@waybill/contracts';
import { defineRoutes, nullable, pagesOf, paging } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../errors.ts';
import { settingsInput, shownSettings } from './settings.ts';

export const Webhook = Type.Object(
  {
    id: Type.String(),
    url: nullable(Type.String({ description: 'Null: calls go to the queue that `destination` names.' })),
    events: Type.Array(Type.Enum([...eventTypes])),
    status: Type.Enum(['active', 'disabled', 'failing'], {
      description:
        '`failing`: the last three attempts failed; it keeps receiving, and the next success ends it.',
    }),
    description: Type.String(),
    appId: nullable(
      Type.String({ pattern: idPattern('app'), description: 'The app that made it; null: no app did.' }),
    ),
    reducedEvents: Type.Array(Type.Enum([...eventTypes]), {
      description:
        'Those of `events` whose `data` is the id alone, as whoever made the webhook or last replaced it may not ' +
        'read more at present.',
    }),
    previousSecretExpiresAt: Type.Union([Timestamp, Type.Null()], {
      description:
        'While the secret is rotated: until when calls are signed with the old one as well. Null: they are not.',
    }),
    ...shownSettings,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'Webhook' },
);
export type Webhook = Static<typeof Webhook>;

const endpointFields = {
  url: Type.Optional(
    nullable(
      Type.String({
        description:
          'http or https, no credentials in it, at most 2,048 characters. Required, but beside a `destination` that is ' +
          'a queue, where it is ignored.',
      }),
    ),
  ),
  events: Type.Array(Type.Enum([...eventTypes], { errorCode: 'invalid_event' }), {
    minItems: 1,
    maxItems: 1000,
    errorCode: { required: 'no_events', minItems: 'no_events' },
    description: 'One that is named twice counts once.',
  }),
  description: Type.Optional(Type.String({ maxLength: 200, description: 'Empty when absent.' })),
};

export const WebhookInput = Type.Object({ ...endpointFields, ...settingsInput }, { $id: 'WebhookInput' });
export type WebhookInput = Static<typeof WebhookInput>;

export const WebhookReplacement = Type.Object(
  {
    ...endpointFields,
    status: Type.Optional(
      Type.Enum(['active', 'disabled', 'failing'], {
        errorCode: 'invalid_status',
        description: '`active` when absent; `failing` only while it is.',
      }),
    ),
    ...settingsInput,
  },
  { $id: 'WebhookReplacement' },
);
export type WebhookReplacement = Static<typeof WebhookReplacement>;

export const RotationInput = Type.Object(
  {
    overlapHours: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 168,
        description:
          '24 when absent; with 0 the old secret ends at once, and that of a rotation that overlaps.',
        examples: [24],
      }),
    ),
  },
  { $id: 'RotationInput' },
);

const Item = Type.Object({ webhook: Webhook });
const ids = { id: 'webhookEndpoint' } as const;
const wrongValues = [errors.blocked_url, errors.no_events, errors.invalid_event];

const Secret = Type.String({
  pattern: '^whsec_',
  description: 'Signs the calls; shown this once.',
  examples: ['whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'],
});

/** `store-api.md 4.9`. */
export const routes = defineRoutes({
  listWebhooks: {
    method: 'GET',
    path: '/api/v1/webhooks',
    access: { scope: 'webhooks.read' },
    summary: 'List webhooks',
    description: 'An app sees those it has made.',
    query: Type.Object(paging),
    answer: [200, pagesOf('webhooks', Webhook)],
  },
  createWebhook: {
    method: 'POST',
    path: '/api/v1/webhooks',
    access: { scope: 'webhooks.write' },
    summary: 'Create a webhook',
    description:
      'The signing secret is in this answer and never again. Calls tell what the credential may read when they ' +
      'are made: `reducedEvents`.',
    body: WebhookInput,
    idempotency: 'handler',
    answer: [201, Type.Object({ webhook: Webhook, secret: Secret })],
    errors: [...wrongValues, errors.too_many_webhooks],
  },
  getWebhook: {
    method: 'GET',
    path: '/api/v1/webhooks/{id}',
    access: { scope: 'webhooks.read' },
    summary: 'Read a webhook',
    description: 'Its address, events and state. The secret is shown when it is made, and never again.',
    ids,
    answer: [200, Item],
  },
  replaceWebhook: {
    method: 'PUT',
    path: '/api/v1/webhooks/{id}',
    access: { scope: 'webhooks.write' },
    summary: 'Replace a webhook',
    description:
      'Disabling it cancels the deliveries that wait. Secret and history stay, and so do `filter` and the other ' +
      'settings that are absent; from now on calls tell what this credential may read.',
    ids,
    body: WebhookReplacement,
    idempotency: 'handler',
    answer: [200, Item],
    errors: [...wrongValues, errors.invalid_status],
  },
  deleteWebhook: {
    method: 'DELETE',
    path: '/api/v1/webhooks/{id}',
    access: { scope: 'webhooks.write' },
    summary: 'Delete a webhook',
    description: 'It is called no more; what waits for a retry is cancelled by a job soon after.',
    ids,
    answer: [204, null],
  },
  rotateSecret: {
    method: 'POST',
    path: '/api/v1/webhooks/{id}/rotate-secret',
    access: { scope: 'webhooks.write' },
    summary: 'Create a new signing secret for a webhook',
    description:
      'The new secret is in this answer and never again. During the overlap `X-WB-Signature` is made with the old ' +
      'secret, `X-WB-Signature-Next` with the new one, and `webhook-signature` holds both; afterwards the new one is ' +
      'used alone. `409 invalid_state` while an earlier rotation overlaps, unless `overlapHours` is 0.',
    ids,
    body: RotationInput,
    isBodyOptional: true,
    idempotency: 'handler',
    answer: [200, Type.Object({ webhook: Webhook, secret: Secret })],
    errors: [errors.invalid_state],
  },
  finishRotation: {
    method: 'POST',
    path: '/api/v1/webhooks/{id}/rotate-secret/finish',
    access: { scope: 'webhooks.write' },
    summary: 'End the overlap of a secret rotation',
    description: 'From now on calls are signed with the new secret alone. No overlap: `409 invalid_state`.',
    ids,
    idempotency: 'handler',
    answer: [200, Item],
    errors: [errors.invalid_state],
  },
});
