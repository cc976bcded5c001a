import type { Handlers } from '@waybill/kernel';
import type { Context } from '../state.ts';
import type { routes } from './routes.ts';
import { callForTest } from './test-calls.ts';

export const handlers = (context: Context): Handlers<typeof routes> => ({
  async testWebhook({ storeId, principal, params, body, once }) {
    await once.begin(body);
    return callForTest(context, once, storeId, principal, params.id, body.type);
  },
});
