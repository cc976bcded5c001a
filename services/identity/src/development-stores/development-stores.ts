import { ownerLimits } from '@waybill/contracts';
import type { Context, Write } from '../config.ts';
import { errors } from '../errors.ts';
import { findRole } from '../members/queries.ts';
import { findStoreForUpdate, type StoreRow } from '../stores/queries.ts';
import { closeStore, createStoreInTransaction, requireKnownUser } from '../stores/stores.ts';
import { countStoresLocked, deleteMembers } from './queries.ts';

/**
 * Asks the app platform for the user's role in an organisation. Throws `not_found` for an unknown organisation and for
 * users who are no members, `resource_unavailable`. `decisions.md 7.2`.
 */
export async function requireOrgMember({ peers }: Context, orgId: string, userId: string): Promise<string> {
  // A system may run without apps, and thus without organisations.
  const found = peers.has('app-platform')
    ? await peers.call<{ role: string }>('app-platform', 'POST', '/internal/orgs/role', { orgId, userId })
    : null;
  if (!found) throw errors.not_found();
  return found.role;
}

/**
 * Creates a development store for an organisation; the requesting member becomes its owner. Throws `too_many_stores`.
 * `decisions.md 14.3`.
 */
export function createDevelopmentStore(
  write: Write,
  orgId: string,
  userId: string,
  name: string,
): Promise<StoreRow> {
  return requireKnownUser(async () => {
    if ((await countStoresLocked(write.trx, orgId)) >= ownerLimits.developmentStores)
      throw errors.too_many_stores();
    const store = await createStoreInTransaction(write, userId, { name }, orgId);
    await write.audit(orgId, 'store.created', store);
    return store;
  });
}

/**
 * Closes a development store and removes its members: its keys stop working and its apps are uninstalled. Throws
 * `not_found` if the organisation has no such open store, `insufficient_role` if the user owns neither the store nor
 * the organisation. `decisions.md 14.3`.
 */
export async function closeDevelopmentStore(
  write: Write,
  { cache }: Context,
  { orgId, storeId }: { orgId: string; storeId: string },
  { userId, orgRole }: { userId: string; orgRole: string },
): Promise<void> {
  const { trx, audit, afterCommit } = write;
  const store = await findStoreForUpdate(trx, storeId);
  if (!store || store.org_id !== orgId || store.closed_at) throw errors.not_found();
  if (orgRole !== 'owner' && (await findRole(trx, storeId, userId)) !== 'owner')
    throw errors.insufficient_role({ message: 'Only owners of the organisation or the store can close it.' });
  await deleteMembers(trx, storeId);
  await audit([orgId, storeId], 'store.closed', store);
  await closeStore(write, storeId);
  afterCommit(() => cache.bumpEpoch(storeId));
}
