import type { Handlers } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { createApiKey, resolveKey, revokeApiKey } from './api-keys.ts';
import { type ApiKeyRow, listApiKeys, listKeyNames } from './queries.ts';
import type { ApiKey, routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes> => ({
  async listApiKeys({ storeId, query }) {
    const { rows, ...list } = await listApiKeys(context.db, storeId, query);
    return { apiKeys: rows.map(toApiKey), ...list };
  },
  async createApiKey({ principal, storeId, body }) {
    const { row, secret } = await createApiKey(context, storeId, principal.userId, body);
    return { apiKey: toApiKey(row), secret };
  },
  revokeApiKey: ({ storeId, params }) => revokeApiKey(context, storeId, params.keyId),
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
