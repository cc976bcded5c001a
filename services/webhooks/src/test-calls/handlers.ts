import type { Handlers } from '@waybill/kernel';
import type { Context } from '../state.ts';
import type { routes } from './routes.ts';
import { callForTest } from './test-calls.ts';

export const handlers = (context: Context): Handlers<typeof routes> => ({
  testWebhook: async ({ storeId, principal, params, body }) => ({
    delivery: await callForTest(context, storeId, principal, params.id, body.type),
  }),
});
