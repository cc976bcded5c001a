import type { Handlers } from '@waybill/kernel';
import { prepareHideFields } from '../bodies/app-fields.ts';
import { reduceBody } from '../bodies/reduction.ts';
import type { Context } from '../context.ts';
import { errors } from '../errors.ts';
import { readClock } from '../lease.ts';
import { createPublisher } from './publish.ts';
import { findBody } from './queries.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes> => ({
  publishEvents: createPublisher(context),
  async getEventBody({ body: { storeId, eventId, isReduced, appId = null } }) {
    const event = await findBody(context.db, storeId, eventId);
    if (!event) throw errors.not_found();
    if (isReduced) return { body: reduceBody(event.type, event.body) };
    const hide = await prepareHideFields(context, storeId, appId, [event.body]);
    return { body: hide(event.type, event.body) };
  },
  readClock: async () => ({ now: await readClock(context.db) }),
});
