import type { Handlers } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import type { Tables } from '../tables.ts';
import { createApiKey, resolveKey, revokeApiKey } from './api-keys.ts';
import { type ApiKeyRow, findKey, listApiKeys, listKeyNames } from './queries.ts';
import type { ApiKey, routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes, Tables> => ({
  async listApiKeys({ storeId, query }) {
    const { rows, ...list } = await listApiKeys(context.db, storeId, query);
    return { apiKeys: rows.map(toApiKey), ...list };
  },
  createApiKey: {
    async write({ principal, storeId, body }, write) {
      const { row, secret } = await createApiKey(write, context, storeId, principal.userId, body);
      return { apiKey: toApiKey(row), secret };
    },
  },
  async getApiKey({ storeId, params, db }) {
    const row = await findKey(db, storeId, params.keyId);
    if (!row) throw errors.not_found();
    return { apiKey: toApiKey(row) };
  },
  revokeApiKey: {
    write: ({ storeId, params }, write) => revokeApiKey(write, context, storeId, params.keyId),
  },
  listKeyNames: async ({ body }) => ({
    apiKeys: await listKeyNames(context.db, body.storeId, body.ids),
  }),
  resolveCredential: ({ body }) => resolveKey(context, body.hash),
});

function toApiKey(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    scopes: row.scopes,
    createdBy: row.created_by,
    createdAt: row.created_at.toISOString(),
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
    revokedAt: row.revoked_at?.toISOString() ?? null,
  };
}
