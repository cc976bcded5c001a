import type { Handlers } from '@waybill/kernel';
import { errors } from '../errors.ts';
import type { Context } from '../state.ts';
import { createEndpoint, deleteEndpoint, replaceEndpoint, showEndpoints } from './endpoints.ts';
import { findEndpoint, listEndpoints } from './queries.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes> => ({
  async listWebhooks({ storeId, principal, query }) {
    const { rows, total } = await listEndpoints(context.db, storeId, principal, query);
    return { webhooks: await showEndpoints(context, storeId, rows), total };
  },
  createWebhook: ({ storeId, principal, body }) => createEndpoint(context, storeId, principal, body),
  async getWebhook({ storeId, principal, params }) {
    const endpoint = await findEndpoint(context.db, storeId, principal, params.id);
    if (!endpoint) throw errors.not_found();
    const [webhook] = await showEndpoints(context, storeId, [endpoint]);
    return { webhook: webhook! };
  },
  replaceWebhook: async ({ storeId, principal, params, body }) => ({
    webhook: await replaceEndpoint(context, storeId, principal, params.id, body),
  }),
  deleteWebhook: ({ storeId, principal, params }) => deleteEndpoint(context, storeId, principal, params.id),
});
