import { type SoleOwnerships, UserDeleted } from '@waybill/contracts';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { queueMail } from '../mail/mail.ts';
import { listMembershipsForUpdate } from '../members/queries.ts';
import { deleteTokens } from '../one-time-tokens/queries.ts';
import { closeStore } from '../stores/stores.ts';
import { type Credentials, withCredentials } from '../users/login.ts';
import { deleteUser, lockUserForDelete } from '../users/queries.ts';

/** Maximum number of stores that the error names. */
const maxListedStores = 100;

/**
 * Deletes a user's account. Closes stores without other members. In stores and organisations with other members,
 * another owner must remain; otherwise throws `last_owner`, which names both. Also throws the errors of signing in.
 * `decisions.md 15.7`.
 */
export async function deleteAccount(
  context: Context,
  userId: string,
  credentials: Credentials,
): Promise<void> {
  const { cache, state } = context;
  const orgIds = await soleOwnerships(context, userId);
  const storeIds = await withCredentials(context, state.hashing.login, credentials, async (write, user) => {
    const { trx, audit, emit } = write;
    // The address may belong to another user by now.
    if (user.id !== userId) throw errors.user_token_required();
    await lockUserForDelete(trx, userId);
    const memberships = await listMembershipsForUpdate(trx, userId);
    const ownedWithOthers = memberships.filter(({ isLastOwner, isAlone }) => isLastOwner && !isAlone);
    if (ownedWithOthers.length > 0 || orgIds.length > 0) {
      const storeIds = ownedWithOthers.slice(0, maxListedStores).map(({ storeId }) => storeId);
      throw errors.last_owner({ fields: { storeIds, orgIds } });
    }
    for (const { storeId, isAlone } of memberships) if (isAlone) await closeStore(write, storeId);
    const shared = memberships.filter(({ isAlone }) => !isAlone).map(({ storeId }) => storeId);
    await audit(shared, 'member.removed', { id: userId });
    await deleteTokens(trx, 'reset', userId);
    await deleteTokens(trx, 'verify', userId);
    await deleteUser(trx, userId);
    await emit(UserDeleted, '', { userId });
    // Sends no mail to an unverified address, because it may be a stranger's.
    if (user.email_verified_at) {
      const { email, locale } = user;
      await queueMail(trx, { template: 'accountDeleted', address: email, data: { locale } });
    }
    return memberships.map(({ storeId }) => storeId);
  });
  // Includes the stores, because the user's API keys there have lost their rights.
  for (const subject of [userId, ...storeIds]) await cache.bumpEpoch(subject);
}

/**
 * Lists the organisations that would be left without an owner. A system may run without apps, and thus without
 * organisations.
 */
async function soleOwnerships({ peers }: Context, userId: string): Promise<string[]> {
  if (!peers.has('app-platform')) return [];
  const path = '/internal/org-members/sole-ownerships';
  const found = await peers.call<SoleOwnerships>('app-platform', 'POST', path, { userId });
  return found?.orgIds ?? [];
}
