import type { Handlers } from '@waybill/kernel';
import { reduceBody } from '../bodies/reduction.ts';
import { errors } from '../errors.ts';
import { readClock } from '../schedule/queries.ts';
import type { Context } from '../state.ts';
import { createPublisher } from './publish.ts';
import { findBody } from './queries.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes> => ({
  publishEvents: createPublisher(context),
  async giveBody({ body: { storeId, eventId, isReduced } }) {
    const event = await findBody(context.db, storeId, eventId);
    if (!event) throw errors.not_found();
    return { body: isReduced ? reduceBody(event.type, event.body) : event.body };
  },
  tellTime: async () => ({ now: await readClock(context.db) }),
});
