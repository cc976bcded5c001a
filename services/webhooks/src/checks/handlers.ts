import type { Handlers } from '@waybill/kernel';
import type { Context } from '../context.ts';
import { checkEndpoint } from './checks.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes> => ({
  async checkWebhook({ storeId, principal, params, body, idempotentWrite }) {
    await idempotentWrite.begin(body);
    const result = await checkEndpoint(context, storeId, principal, params.id);
    // The calls are already made, so only the answer is committed, for repeats of the request.
    return idempotentWrite.commit(async () => result);
  },
});
