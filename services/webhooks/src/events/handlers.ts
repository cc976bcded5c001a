import type { Handlers } from '@waybill/kernel';
import { reduceBody } from '../bodies/reduction.ts';
import type { Context } from '../context.ts';
import { errors } from '../errors.ts';
import { readClock } from '../lease.ts';
import { createPublisher } from './publish.ts';
import { findBody } from './queries.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes> => ({
  publishEvents: createPublisher(context),
  async getEventBody({ body: { storeId, eventId, isReduced } }) {
    const event = await findBody(context.db, storeId, eventId);
    if (!event) throw errors.not_found();
    return { body: isReduced ? reduceBody(event.type, event.body) : event.body };
  },
  readClock: async () => ({ now: await readClock(context.db) }),
});
