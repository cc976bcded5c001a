import { idPattern, Name, type Principal, permissions, Timestamp } from '@waybill/contracts';
import { defineRoutes, nullable, pageSchema, paging } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../errors.ts';

export const ApiKey = Type.Object(
  {
    id: Type.String({ pattern: idPattern('apiKey') }),
    name: Type.String(),
    prefix: Type.String({ description: 'The prefix of the secret.' }),
    scopes: Type.Array(Type.String()),
    createdBy: Type.String({ description: 'The ID of a user.', pattern: idPattern('user') }),
    createdAt: Timestamp,
    lastUsedAt: nullable(Timestamp),
    revokedAt: nullable(Timestamp),
  },
  { $id: 'ApiKey' },
);
export type ApiKey = Static<typeof ApiKey>;

const outcomes = ['ok', 'revoked', 'unusable'] as const;
export type KeyOutcome = (typeof outcomes)[number];

const ids = { storeId: 'store' } as const;

/** Routes of API keys: `decisions.md 8.3, 8.4`. */
export const routes = defineRoutes({
  listApiKeys: {
    method: 'GET',
    path: '/api/stores/{storeId}/api-keys',
    access: { member: 'manager' },
    summary: "List a store's API keys, newest first, including revoked ones",
    description: 'Each with its permissions, its creator and its last use. Secrets are never shown again.',
    ids,
    query: Type.Object(paging),
    answer: [200, pageSchema('apiKeys', ApiKey)],
  },
  createApiKey: {
    method: 'POST',
    path: '/api/stores/{storeId}/api-keys',
    access: { member: 'manager' },
    summary: 'Create an API key',
    description: 'Only this answer contains the secret: only its SHA-256 is stored.',
    ids,
    body: Type.Object({
      name: Name(),
      scopes: Type.Array(Type.Enum([...permissions]), { minItems: 1 }),
    }),
    answer: [201, Type.Object({ apiKey: ApiKey, secret: Type.String({ examples: ['wbk_…'] }) })],
    errors: [errors.insufficient_role, errors.too_many_api_keys],
  },
  getApiKey: {
    method: 'GET',
    path: '/api/stores/{storeId}/api-keys/{keyId}',
    access: { member: 'manager' },
    summary: 'Read an API key',
    description:
      'Its ETag is for a conditional revocation, and does not cover `lastUsedAt`: a `304` says nothing about it.',
    ids: { ...ids, keyId: 'apiKey' },
    computed: ['apiKey.lastUsedAt'],
    isRevalidated: true,
    answer: [200, Type.Object({ apiKey: ApiKey })],
  },
  revokeApiKey: {
    method: 'DELETE',
    path: '/api/stores/{storeId}/api-keys/{keyId}',
    access: { member: 'manager' },
    summary: 'Revoke an API key',
    description: 'Effective from the next request, permanently. Revoking again changes nothing.',
    ids: { ...ids, keyId: 'apiKey' },
    answer: [204, null],
  },
  listKeyNames: {
    method: 'POST',
    path: '/internal/api-keys/names',
    access: 'service',
    summary: "List the names of a store's API keys, including revoked ones",
    body: Type.Object({ storeId: Type.String(), ids: Type.Array(Type.String(), { maxItems: 200 }) }),
    answer: [200, Type.Object({ apiKeys: Type.Array(Type.Pick(ApiKey, ['id', 'name'])) })],
  },
  resolveCredential: {
    method: 'POST',
    path: '/internal/credentials/resolve',
    access: 'service',
    summary: 'Read the current rights of a credential, for the gateway',
    description:
      'The epoch was read before the facts, so a change in between invalidates entries cached under it.',
    body: Type.Object({ hash: Type.String({ description: 'The SHA-256 of the credential, hex.' }) }),
    answer: [
      200,
      Type.Object({
        epoch: Type.String(),
        storeId: Type.String(),
        outcome: Type.Enum([...outcomes]),
        principal: Type.Unsafe<Principal>(Type.Object({}, { additionalProperties: true })),
      }),
    ],
  },
});
