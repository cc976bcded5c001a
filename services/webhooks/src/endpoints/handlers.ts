import type { Handlers } from '@waybill/kernel';
import { errors } from '../errors.ts';
import type { Context } from '../state.ts';
import {
  checkFields,
  createEndpoint,
  deleteEndpoint,
  replaceEndpoint,
  showEndpoint,
  showEndpoints,
} from './endpoints.ts';
import { findEndpoint, listEndpoints } from './queries.ts';
import { finishRotation, rotateSecret } from './rotation.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes> => ({
  async listWebhooks({ storeId, principal, query }) {
    const { rows, ...list } = await listEndpoints(context.db, storeId, principal, query);
    return { webhooks: await showEndpoints(context, storeId, rows), ...list };
  },
  async createWebhook({ storeId, principal, body, once }) {
    await once.begin(body);
    const fields = await checkFields(context.config, body);
    return once.commit(() => createEndpoint(context, storeId, principal, fields));
  },
  async getWebhook({ storeId, principal, params }) {
    const endpoint = await findEndpoint(context.db, storeId, principal, params.id);
    if (!endpoint) throw errors.not_found();
    return { webhook: await showEndpoint(context, storeId, endpoint) };
  },
  async replaceWebhook({ storeId, principal, params, body, once }) {
    await once.begin(body);
    const fields = await checkFields(context.config, body);
    return once.commit(async () => ({
      webhook: await replaceEndpoint(context, storeId, principal, params.id, fields, body.status),
    }));
  },
  deleteWebhook: ({ storeId, principal, params }) => deleteEndpoint(context, storeId, principal, params.id),
  rotateSecret: ({ storeId, principal, params, body: { overlapHours = 24 } }) =>
    rotateSecret(context, storeId, principal, params.id, overlapHours),
  finishRotation: async ({ storeId, principal, params }) => ({
    webhook: await finishRotation(context, storeId, principal, params.id),
  }),
});
