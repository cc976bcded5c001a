import type { Handlers } from '@waybill/kernel';
import type { Context } from '../context.ts';
import { checkEndpoint } from './checks.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes> => ({
  checkWebhook: ({ storeId, principal, params }) => checkEndpoint(context, storeId, principal, params.id),
});
