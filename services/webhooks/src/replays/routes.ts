import { eventTypes, Timestamp } from '@waybill/contracts';
import { after, defineRoutes, nullable, pageSchema, paging } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../errors.ts';

/** The outcome of an event's last call to the endpoint; `never` when there was none. */
const statuses = ['dead', 'cancelled', 'delivered', 'never'] as const;
export type ReplayStatus = (typeof statuses)[number];

/** `decisions.md 12.3`. */
export const Replay = Type.Object(
  {
    id: Type.String(),
    state: Type.Enum(['running', 'done', 'cancelled'], {
      description: '`done`: each call was made once; failed calls are retried like any other.',
    }),
    matched: Type.Integer({ minimum: 0, description: 'The number of matching events so far.' }),
    sent: Type.Integer({
      minimum: 0,
      description:
        'The number of calls that were made, are about to be made, or were cancelled with the replay.',
    }),
    since: Timestamp,
    until: Timestamp,
    types: Type.Array(Type.Enum([...eventTypes])),
    statuses: Type.Array(Type.Enum([...statuses])),
    createdAt: Timestamp,
    finishedAt: nullable(Timestamp),
  },
  { $id: 'WebhookReplay' },
);
export type Replay = Static<typeof Replay>;

const instant = (description: string) =>
  Type.String({ format: 'date-time', description, examples: ['2026-11-20T10:00:00.000Z'] });

export const ReplayInput = Type.Object(
  {
    since: instant('Events created at this time or later.'),
    until: Type.Optional(instant('Events created before this time; by default the time of the request.')),
    types: Type.Optional(
      Type.Array(Type.Enum([...eventTypes], { errorCode: 'invalid_event' }), {
        minItems: 1,
        maxItems: 100,
        description: 'The webhook’s `events` by default.',
        examples: [['product.updated']],
      }),
    ),
    statuses: Type.Optional(
      Type.Array(Type.Enum([...statuses], { errorCode: 'invalid_status' }), {
        minItems: 1,
        maxItems: 10,
        description:
          'The outcome of the last call for the event; `never`: no call, because the webhook was disabled or did ' +
          'not exist. All except `delivered` by default. Records of calls are kept for 30 days, so older events ' +
          'match only if the webhook itself is younger.',
        examples: [['dead', 'never']],
      }),
    ),
  },
  { $id: 'ReplayInput' },
);
export type ReplayInput = Static<typeof ReplayInput>;

const endpointId = { id: 'webhookEndpoint' } as const;
const ids = { ...endpointId, replayId: 'webhookReplay' } as const;

export const routes = defineRoutes({
  replayWebhook: {
    method: 'POST',
    path: '/api/v1/webhooks/{id}/replay',
    access: { scope: 'webhooks.write' },
    summary: 'Replay events to a webhook',
    description:
      'Oldest first, with the same event IDs, alongside new events. Every call has its own delivery, and is ' +
      'retried like any other; while a hundred of them wait for a retry, the replay also waits. Events no ' +
      'longer in the log are skipped. At most five replays of a webhook run at a time.',
    ids: endpointId,
    body: ReplayInput,
    answer: [202, Type.Object({ replay: Replay })],
    errors: [errors.invalid_event, errors.invalid_status, errors.invalid_state],
  },
  listReplays: {
    method: 'GET',
    path: '/api/v1/webhooks/{id}/replays',
    access: { scope: 'webhooks.read' },
    summary: 'List the replays of a webhook, newest first',
    description: 'Records are kept for 30 days.',
    ids: endpointId,
    query: Type.Object({ limit: paging.limit, ...after }),
    answer: [200, pageSchema('replays', Replay)],
    errors: [errors.invalid_cursor],
  },
  getReplay: {
    method: 'GET',
    path: '/api/v1/webhooks/{id}/replays/{replayId}',
    access: { scope: 'webhooks.read' },
    summary: 'Read how far a replay has come',
    description: 'The number of matching events, and the number sent.',
    ids,
    answer: [200, Type.Object({ replay: Replay })],
  },
  stopReplay: {
    method: 'DELETE',
    path: '/api/v1/webhooks/{id}/replays/{replayId}',
    access: { scope: 'webhooks.write' },
    summary: 'Stop a replay',
    description:
      'Makes no further calls: waiting ones are `cancelled`, and one in flight is not retried. A replay that ' +
      'has ended stays unchanged.',
    ids,
    answer: [204, null],
  },
});
