import { eventTypes, Timestamp } from '@waybill/contracts';
import { defineRoutes, instantFilter, nullable, paging } from '@waybill/kernel';
import Type from 'typebox';
import { errors } from '../errors.ts';

/** The longest time that a reader may wait, in seconds. */
const maxWaitSeconds = 30;

/** An event as in the body of a call: `store-api.md 6.2`. */
export const Event = Type.Object(
  {
    id: Type.String({ description: 'The same ID as in calls: `webhook-id`.' }),
    type: Type.Enum([...eventTypes]),
    createdAt: Timestamp,
    data: Type.Object(
      {},
      {
        additionalProperties: true,
        description:
          'As described by `GET /api/v1/event-types`; only the ID for readers without permission for that kind of ' +
          'resource.',
      },
    ),
  },
  { $id: 'Event' },
);

/** `decisions.md 12.1`. */
export const routes = defineRoutes({
  listEvents: {
    method: 'GET',
    path: '/api/v1/events',
    access: { scope: 'webhooks.read' },
    summary: 'Read the log of events',
    description:
      'Repeat with `after=<nextCursor>`: no event is skipped, whatever is written meanwhile. A page can be ' +
      'shorter than `limit` if events are large. With `dir=desc` the newest events come first, and ' +
      '`nextCursor` is null after the oldest.',
    query: Type.Object({
      limit: paging.limit,
      after: Type.Optional(Type.String({ description: 'The ID of the previous event: `nextCursor`.' })),
      type: Type.Optional(
        Type.String({
          description: 'Types, separated by commas; unknown types are ignored.',
          examples: ['order.created,order.updated'],
        }),
      ),
      since: instantFilter('Created at this time or later.'),
      until: instantFilter('Created before this time.'),
      dir: Type.Enum(['asc', 'desc'], { default: 'asc' }),
      wait: Type.Integer({
        minimum: 0,
        maximum: maxWaitSeconds,
        default: 0,
        description: 'The maximum number of seconds to wait for an event if there is none yet.',
      }),
    }),
    answer: [
      200,
      Type.Object({
        events: Type.Array(Event),
        nextCursor: nullable(
          Type.String({
            description: 'The ID of the last event; without events `after`, or with `dir=desc` null.',
          }),
        ),
      }),
    ],
    errors: [errors.invalid_cursor, errors.cursor_expired],
  },
  getEvent: {
    method: 'GET',
    path: '/api/v1/events/{id}',
    access: { scope: 'webhooks.read' },
    summary: 'Read an event',
    description:
      'Any event of the last 30 days. Without permission to read its subject, `data` contains only the ID.',
    answer: [200, Type.Object({ event: Event })],
  },
});
