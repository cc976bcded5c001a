import type { Handlers, ServiceContext } from '@waybill/kernel';
import type { Config } from '../config.ts';
import { errors } from '../errors.ts';
import type { Tables } from '../tables.ts';
import { createEndpoint, deleteEndpoint, replaceEndpoint, toWebhook } from './endpoints.ts';
import { findEndpoint, listEndpoints } from './queries.ts';
import type { routes } from './routes.ts';

export const handlers = ({
  config,
  db,
  transaction,
}: ServiceContext<Config, Tables>): Handlers<typeof routes> => ({
  async listWebhooks({ storeId, query }) {
    const { rows, total } = await listEndpoints(db, storeId, query);
    return { webhooks: rows.map(toWebhook), total };
  },
  createWebhook: ({ storeId, body }) => createEndpoint(transaction, config, storeId, body),
  async getWebhook({ storeId, params }) {
    const endpoint = await findEndpoint(db, storeId, params.id);
    if (!endpoint) throw errors.not_found();
    return { webhook: toWebhook(endpoint) };
  },
  async replaceWebhook({ storeId, params, body }) {
    return { webhook: await replaceEndpoint(transaction, config, storeId, params.id, body) };
  },
  deleteWebhook: ({ storeId, params }) => deleteEndpoint(transaction, storeId, params.id),
});
