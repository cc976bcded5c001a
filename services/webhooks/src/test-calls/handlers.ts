import type { Handlers } from '@waybill/kernel';
import type { Context } from '../context.ts';
import type { routes } from './routes.ts';
import { startTestCall } from './test-calls.ts';

export const handlers = (context: Context): Handlers<typeof routes> => ({
  async testWebhook({ storeId, principal, params, body, idempotentWrite }) {
    await idempotentWrite.begin(body);
    return startTestCall(context, idempotentWrite, storeId, principal, params.id, body.type);
  },
});
