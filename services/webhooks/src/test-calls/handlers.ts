import type { Handlers } from '@waybill/kernel';
import type { Context } from '../context.ts';
import type { routes } from './routes.ts';
import { startTestCall } from './test-calls.ts';

export const handlers = (context: Context): Handlers<typeof routes> => ({
  async testWebhook({ storeId, principal, params, body, once }) {
    await once.begin(body);
    return startTestCall(context, once, storeId, principal, params.id, body.type);
  },
});
