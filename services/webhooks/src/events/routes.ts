import { clockPath, eventBodyPath, errors as shared } from '@waybill/contracts';
import { defineRoutes } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../errors.ts';

const EventInput = Type.Object({
  storeId: Type.String({ pattern: '^str_[0-9a-hjkmnp-tv-z]{26}$' }),
  type: Type.String({ errorCode: 'invalid_event' }),
  data: Type.Object({}),
  id: Type.Optional(Type.String({ pattern: '^evt_[0-9A-Za-z_-]{1,100}$' })),
});
export type EventInput = Static<typeof EventInput>;

/**
 * One event, or `events` that are published together. It is no union, because that would not tell which field of which
 * event is wrong.
 */
const EventsInput = Type.Object({
  ...Type.Partial(EventInput).properties,
  events: Type.Optional(Type.Array(EventInput, { minItems: 1, maxItems: 1_000 })),
});
export type EventsInput = Static<typeof EventsInput>;

const Published = Type.Object({ id: Type.String(), type: Type.String() });

/**
 * Internal routes, not exposed by the gateway: for delivery and for first-party applications such as the courses
 * application (`decisions.md 6.6`).
 */
export const routes = defineRoutes({
  publishEvents: {
    method: 'POST',
    path: '/internal/events',
    access: 'service',
    summary: 'Publish events, all or none; an id seen before is not delivered twice',
    body: EventsInput,
    maxBodyBytes: 8 * 1024 * 1024,
    answer: [
      202,
      Type.Union([Type.Object({ event: Published }), Type.Object({ events: Type.Array(Published) })]),
    ],
    errors: [errors.invalid_event, shared.invalid_body],
  },
  getEventBody: {
    method: 'POST',
    path: eventBodyPath,
    access: 'service',
    summary: 'Read the request body of an event that is too large for a message, for delivery',
    body: Type.Object({
      storeId: Type.String(),
      eventId: Type.String(),
      isReduced: Type.Boolean(),
      appId: Type.Optional(Type.String({ description: 'The app whose endpoint is called.' })),
    }),
    answer: [200, Type.Object({ body: Type.String() })],
  },
  readClock: {
    method: 'GET',
    path: clockPath,
    access: 'service',
    summary: 'Read the clock of the leases, in milliseconds since the epoch, for delivery',
    answer: [200, Type.Object({ now: Type.Number() })],
  },
});
