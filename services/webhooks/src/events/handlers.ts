import { type EventType, eventTypes, newId } from '@waybill/contracts';
import type { Handlers, ServiceContext } from '@waybill/kernel';
import type { Config } from '../config.ts';
import { errors } from '../errors.ts';
import type { Tables } from '../tables.ts';
import { fanOut } from './fan-out.ts';
import type { routes } from './routes.ts';

export const handlers = (context: ServiceContext<Config, Tables>): Handlers<typeof routes> => ({
  async publishEvent({ body: { storeId, type, data, id = newId('event') } }) {
    if (!(eventTypes as readonly string[]).includes(type)) throw errors.invalid_event();
    const createdAt = new Date().toISOString();
    await fanOut(context, [{ storeId, id, type: type as EventType, createdAt, data: JSON.stringify(data) }]);
    return { event: { id, type } };
  },
});
