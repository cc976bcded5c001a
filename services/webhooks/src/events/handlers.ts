import { type EventType, eventTypes, newId } from '@waybill/contracts';
import type { Handlers } from '@waybill/kernel';
import { reduceBody } from '../bodies/reduction.ts';
import { errors } from '../errors.ts';
import { readClock } from '../schedule/queries.ts';
import type { Context } from '../state.ts';
import { fanOut } from './fan-out.ts';
import { findBody } from './queries.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes> => ({
  async publishEvent({ body: { storeId, type, data, id = newId('event') } }) {
    if (!(eventTypes as readonly string[]).includes(type)) throw errors.invalid_event();
    const createdAt = new Date().toISOString();
    await fanOut(context, [{ storeId, id, type: type as EventType, createdAt, data: JSON.stringify(data) }]);
    return { event: { id, type } };
  },
  async giveBody({ body: { storeId, eventId, isReduced } }) {
    const event = await findBody(context.db, storeId, eventId);
    if (!event) throw errors.not_found();
    return { body: isReduced ? reduceBody(event.type, event.body) : event.body };
  },
  tellTime: async () => ({ now: await readClock(context.db) }),
});
