import { eventTypes, idPattern, Timestamp } from '@waybill/contracts';
import { defineRoutes, nullable, pageSchema, paging } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../errors.ts';
import { settingsInput, settingsReplacement, shownSettings } from './settings.ts';

export const Webhook = Type.Object(
  {
    id: Type.String(),
    url: nullable(Type.String({ description: 'Null if calls go to the queue in `destination`.' })),
    events: Type.Array(Type.Enum([...eventTypes])),
    status: Type.Enum(['active', 'disabled', 'failing'], {
      description:
        '`failing`: the last three attempts failed; calls continue, and the next success ends this state.',
    }),
    description: Type.String(),
    appId: nullable(
      Type.String({ pattern: idPattern('app'), description: 'The app that created it; null if no app did.' }),
    ),
    reducedEvents: Type.Array(Type.Enum([...eventTypes]), {
      description:
        'The event types in `events` whose `data` contains only the ID, because the creator of the webhook, or ' +
        'the author of its last replacement, currently lacks permission for more.',
    }),
    previousSecretExpiresAt: Type.Union([Timestamp, Type.Null()], {
      description:
        'The time until which calls are also signed with the old secret during a rotation. Null if no rotation ' +
        'is in progress.',
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
          'http or https, without credentials, at most 2,048 characters. Required, except with a `destination` ' +
          'that is a queue, where it is ignored.',
      }),
    ),
  ),
  events: Type.Array(Type.Enum([...eventTypes], { errorCode: 'invalid_event' }), {
    minItems: 1,
    maxItems: 1000,
    errorCode: { required: 'no_events', minItems: 'no_events' },
    description: 'Duplicates count once.',
  }),
  description: Type.Optional(Type.String({ maxLength: 200, description: 'Empty by default.' })),
};

export const WebhookInput = Type.Object({ ...endpointFields, ...settingsInput }, { $id: 'WebhookInput' });
export type WebhookInput = Static<typeof WebhookInput>;

export const WebhookReplacement = Type.Object(
  {
    ...endpointFields,
    status: Type.Optional(
      Type.Enum(['active', 'disabled', 'failing'], {
        errorCode: 'invalid_status',
        description: '`active` by default; `failing` is accepted only while the webhook is failing.',
      }),
    ),
    ...settingsReplacement,
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
          '24 by default; with 0 the old secret ends at once, as does that of an overlapping rotation.',
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
  description: 'Signs the calls; shown only in this answer.',
  examples: ['whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'],
});

/** `store-api.md 4.9`. */
export const routes = defineRoutes({
  listWebhooks: {
    method: 'GET',
    path: '/api/v1/webhooks',
    access: { scope: 'webhooks.read' },
    summary: 'List webhooks',
    description: 'An app sees the webhooks that it created.',
    query: Type.Object(paging),
    answer: [200, pageSchema('webhooks', Webhook)],
  },
  createWebhook: {
    method: 'POST',
    path: '/api/v1/webhooks',
    access: { scope: 'webhooks.write' },
    summary: 'Create a webhook',
    description:
      'Only this answer contains the signing secret. Calls contain the data that the credential can read when ' +
      'they are made: `reducedEvents`.',
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
    description:
      'Its address, events and status. The secret is shown only on creation. Its ETag does not cover ' +
      '`reducedEvents` and `previousSecretExpiresAt`: a `304` says nothing about them.',
    ids,
    computed: ['webhook.reducedEvents', 'webhook.previousSecretExpiresAt'],
    isRevalidated: true,
    answer: [200, Item],
  },
  replaceWebhook: {
    method: 'PUT',
    path: '/api/v1/webhooks/{id}',
    access: { scope: 'webhooks.write' },
    summary: 'Replace a webhook',
    description:
      'Disabling it cancels the waiting deliveries. Secret and history stay, as do `filter` and other omitted ' +
      'settings, and omitted members of `batch`, `failureAlerts`, `clientCertificate` and `destination`; ' +
      '`headers` are replaced as a whole. From now on calls contain the data that this credential can read.',
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
    description: 'Calls stop at once; a job soon cancels deliveries that wait for a retry.',
    ids,
    answer: [204, null],
  },
  rotateSecret: {
    method: 'POST',
    path: '/api/v1/webhooks/{id}/rotate-secret',
    access: { scope: 'webhooks.write' },
    summary: 'Create a new signing secret for a webhook',
    description:
      'Only this answer contains the new secret. During the overlap, `X-WB-Signature` is made with the old ' +
      'secret, `X-WB-Signature-Next` with the new one, and `webhook-signature` contains both; afterwards only ' +
      'the new secret is used. `409 invalid_state` while an earlier rotation overlaps, unless `overlapHours` ' +
      'is 0.',
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
    description:
      'From now on calls are signed only with the new secret. `409 invalid_state` without an overlap.',
    ids,
    idempotency: 'handler',
    answer: [200, Item],
    errors: [errors.invalid_state],
  },
});
