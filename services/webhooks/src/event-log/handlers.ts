import { type Handlers, rawJson } from '@waybill/kernel';
import type { Context } from '../context.ts';
import { readEvent, readLog } from './event-log.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes> => ({
  async listEvents({ storeId, principal, query, signal }) {
    return rawJson(await readLog(context, storeId, principal, query, signal));
  },
  async getEvent({ storeId, principal, params }) {
    return rawJson(await readEvent(context, storeId, principal, params.id));
  },
});
