import {
  createCredential,
  hashCredential,
  managesStore,
  newId,
  type Permission,
  type Principal,
  permissions,
  rolePermissions,
  storeLimits,
} from '@waybill/contracts';
import type { Context, Write } from '../config.ts';
import { errors } from '../errors.ts';
import { findRole } from '../members/queries.ts';
import { findStoreForUpdate } from '../stores/queries.ts';
import {
  type ApiKeyRow,
  countKeysInUse,
  deleteOldRevoked,
  findKeyByHash,
  findStoreByKeyHash,
  insertApiKey,
  lockKey,
  markKeyRevoked,
  updateLastUse,
} from './queries.ts';
import type { KeyOutcome } from './routes.ts';

const prefixLength = 12;

/**
 * Creates a key and returns its secret, which cannot be read again. Throws `insufficient_role` for a scope that its
 * creator's role lacks, `too_many_api_keys`. `decisions.md 8.3, 8.4`.
 */
export async function createApiKey(
  { trx, audit, afterCommit }: Write,
  { cache }: Context,
  storeId: string,
  creatorId: string,
  { name, scopes }: { name: string; scopes: Permission[] },
): Promise<{ row: ApiKeyRow; secret: string }> {
  const role = await findRole(trx, storeId, creatorId);
  if (!role) throw errors.not_found();
  const mayGrant = managesStore(role) && scopes.every((scope) => rolePermissions[role].includes(scope));
  if (!mayGrant) throw errors.insufficient_role();
  const secret = createCredential('wbk');
  const key = {
    id: newId('apiKey'),
    name,
    prefix: secret.slice(0, prefixLength),
    hash: hashCredential(secret),
    scopes: [...new Set(scopes)],
    created_by: creatorId,
  };
  // The lock makes concurrent creates wait for each other, so that the count is exact.
  await findStoreForUpdate(trx, storeId);
  if ((await countKeysInUse(trx, storeId)) >= storeLimits.apiKeys) throw errors.too_many_api_keys();
  await audit(storeId, 'apiKey.created', key);
  const row = await insertApiKey(trx, storeId, key);
  afterCommit(() => cache.bumpEpoch(storeId));
  return { row, secret };
}

/** Number of revoked keys that a store keeps. Older ones remain visible in the audit log. */
const maxRevokedKeys = 10_000;

/** Revokes a key with effect from the next request. Throws `not_found`. `decisions.md 8.3`. */
export async function revokeApiKey(
  { trx, audit, afterCommit }: Write,
  { cache }: Context,
  storeId: string,
  id: string,
): Promise<void> {
  const key = await lockKey(trx, storeId, id);
  if (!key) throw errors.not_found();
  afterCommit(() => cache.bumpEpoch(storeId));
  if (key.revoked_at) return;
  await markKeyRevoked(trx, storeId, id);
  await deleteOldRevoked(trx, storeId, maxRevokedKeys);
  await audit(storeId, 'apiKey.revoked', key);
}

/**
 * Returns what a key may do at present, with the epoch under which it was read. A caller that caches the answer under
 * that epoch never keeps outdated facts. Throws `not_found`. `store-api.md 5.2`.
 */
export async function resolveKey({ db, cache, log }: Context, hash: string) {
  const storeId = await findStoreByKeyHash(db, hash);
  if (!storeId) throw errors.not_found();
  const epoch = await cache.epoch(storeId);
  const key = await findKeyByHash(db, storeId, hash);
  if (!key) throw errors.not_found();
  const outcome = describeOutcome(key);
  if (outcome === 'ok') {
    // Records the use after the answer, so that no request waits for it.
    setImmediate(() => {
      updateLastUse(db, storeId, key.id).catch((err) =>
        log.warn({ err, keyId: key.id }, 'the use of an API key was not recorded'),
      );
    });
  }
  const principal: Principal = {
    kind: 'apiKey',
    storeId,
    keyId: key.id,
    scopes: key.scopes.filter(isPermission),
    creatorPermissions: key.creator_role ? rolePermissions[key.creator_role] : [],
  };
  return { epoch, storeId, outcome, principal };
}

function describeOutcome(key: ApiKeyRow): KeyOutcome {
  if (key.revoked_at) return 'revoked';
  return key.scopes.length > 0 && key.scopes.every(isPermission) ? 'ok' : 'unusable';
}

function isPermission(scope: string): scope is Permission {
  return (permissions as readonly string[]).includes(scope);
}
