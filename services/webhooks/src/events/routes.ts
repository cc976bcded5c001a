import { clockPath, eventBodyPath, errors as shared } from '@waybill/contracts';
import { defineRoutes } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../errors.ts';

export const EventInput = Type.Object({
  storeId: Type.String({ pattern: '^str_[0-9a-hjkmnp-tv-z]{26}$' }),
  type: Type.String({ errorCode: 'invalid_event' }),
  data: Type.Object({}),
  id: Type.Optional(Type.String({ pattern: '^evt_[0-9A-Za-z_-]{1,100}$' })),
});
export type EventInput = Static<typeof EventInput>;

/** Not behind the gateway: for first-party applications, the courses application for one (`decisions.md 6.6`), and delivery. */
export const routes = defineRoutes({
  publishEvent: {
    method: 'POST',
    path: '/internal/events',
    access: 'service',
    summary: 'Publish an event of the catalogue; an id seen before is not delivered twice',
    body: EventInput,
    answer: [202, Type.Object({ event: Type.Object({ id: Type.String(), type: Type.String() }) })],
    errors: [errors.invalid_event, shared.invalid_body],
  },
  giveBody: {
    method: 'POST',
    path: eventBodyPath,
    access: 'service',
    summary: 'The body of the calls for an event, for delivery, where it is too large for a message',
    body: Type.Object({ storeId: Type.String(), eventId: Type.String(), isReduced: Type.Boolean() }),
    answer: [200, Type.Object({ body: Type.String() })],
  },
  tellTime: {
    method: 'GET',
    path: clockPath,
    access: 'service',
    summary: 'The time by which calls are leased, for delivery; milliseconds since the epoch',
    answer: [200, Type.Object({ now: Type.Number() })],
  },
});
