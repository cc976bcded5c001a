import { eventTypes, Timestamp } from '@waybill/contracts';
import { defineRoutes, instantFilter, nullable, paging } from '@waybill/kernel';
import Type from 'typebox';
import { errors } from '../errors.ts';

/** The longest time that a reader may wait, in seconds. */
const maxWaitSeconds = 30;

/** An event as in the body of a call: `store-api.md 6.2`. */
export const Event = Type.Object(
  {
    id: Type.String({ description: 'The same as in calls: `webhook-id`.' }),
    type: Type.Enum([...eventTypes]),
    createdAt: Timestamp,
    data: Type.Object(
      {},
      {
        additionalProperties: true,
        description:
          'As `GET /api/v1/event-types` describes it; the id alone for who may not read that kind of thing.',
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
      'Ask for `after=<nextCursor>` again and again: no event is skipped, whatever is written meanwhile. A page may ' +
      'be shorter than `limit` where events are large. With `dir=desc` the newest come first, and `nextCursor` is null ' +
      'once there is none older.',
    query: Type.Object({
      limit: paging.limit,
      after: Type.Optional(Type.String({ description: 'The id of the event before: `nextCursor`.' })),
      type: Type.Optional(
        Type.String({
          description: 'Types, separated by commas; what is none is ignored.',
          examples: ['order.created,order.updated'],
        }),
      ),
      since: instantFilter('Created then or later.'),
      until: instantFilter('Created before then.'),
      dir: Type.Enum(['asc', 'desc'], { default: 'asc' }),
      wait: Type.Integer({
        minimum: 0,
        maximum: maxWaitSeconds,
        default: 0,
        description: 'How many seconds at most to wait for an event, when there is none yet.',
      }),
    }),
    answer: [
      200,
      Type.Object({
        events: Type.Array(Event),
        nextCursor: nullable(
          Type.String({
            description: 'The last event’s id; when there is none `after`, or with `dir=desc` null.',
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
      'Any event of the last 30 days. Without the permission to read its subject, `data` is the id alone.',
    answer: [200, Type.Object({ event: Event })],
  },
});
