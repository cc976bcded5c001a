import type { Handlers } from '@waybill/kernel';
import type { Tables } from '../tables.ts';
import { reportSession } from './app-reports.ts';
import type { routes } from './routes.ts';

export const handlers = (): Handlers<typeof routes, Tables> => ({
  reportPaymentSession: {
    write: ({ storeId, principal, params, body }, write) =>
      reportSession(write, storeId, principal, params.id, body),
  },
});
