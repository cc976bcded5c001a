import type { Handlers, ServiceContext } from '@waybill/kernel';
import type { Config } from '../config.ts';
import type { Tables } from '../tables.ts';
import type { routes } from './routes.ts';
import { callForTest } from './test-calls.ts';

export const handlers = (context: ServiceContext<Config, Tables>): Handlers<typeof routes> => ({
  testWebhook: async ({ storeId, principal, params, body }) => ({
    delivery: await callForTest(context, storeId, principal, params.id, body.type),
  }),
});
