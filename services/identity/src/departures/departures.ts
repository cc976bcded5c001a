import { type SoleOwnerships, UserDeleted } from '@waybill/contracts';
import { audit, emit } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { queueMail } from '../mail/mail.ts';
import { listMembershipsForUpdate } from '../members/queries.ts';
import { deleteTokens } from '../one-time-tokens/queries.ts';
import { closeStore } from '../stores/stores.ts';
import { type Credentials, withCredentials } from '../users/login.ts';
import { deleteUser, lockUserForDelete } from '../users/queries.ts';

/** How many of the stores that stand in the way are named. */
const mostNamed = 100;

/**
 * Deletes a user's account. Stores in which nobody else is are closed; where others are, another owner has to be left,
 * in organisations too. Throws `last_owner`, naming both, and as signing in does. `decisions.md 15.7`.
 */
export async function deleteAccount(
  context: Context,
  userId: string,
  credentials: Credentials,
): Promise<void> {
  const { cache, state } = context;
  const orgIds = await soleOwnerships(context, userId);
  const storeIds = await withCredentials(context, state.hashing.login, credentials, async (trx, user) => {
    // The address may be another's by now.
    if (user.id !== userId) throw errors.user_token_required();
    await lockUserForDelete(trx, userId);
    const memberships = await listMembershipsForUpdate(trx, userId);
    const kept = memberships.filter(({ isLastOwner, isAlone }) => isLastOwner && !isAlone);
    if (kept.length > 0 || orgIds.length > 0) {
      const storeIds = kept.slice(0, mostNamed).map(({ storeId }) => storeId);
      throw errors.last_owner({ fields: { storeIds, orgIds } });
    }
    for (const { storeId, isAlone } of memberships) if (isAlone) await closeStore(trx, storeId);
    const shared = memberships.filter(({ isAlone }) => !isAlone).map(({ storeId }) => storeId);
    await audit(trx, shared, 'member.removed', { id: userId });
    await deleteTokens(trx, 'reset', userId);
    await deleteTokens(trx, 'verify', userId);
    await deleteUser(trx, userId);
    await emit(trx, UserDeleted, '', { userId });
    // An address that nobody has proved may be a stranger's.
    if (user.email_verified_at) {
      const { email, locale } = user;
      await queueMail(trx, { template: 'accountDeleted', address: email, data: { locale } });
    }
    return memberships.map(({ storeId }) => storeId);
  });
  // Of the stores too: what the user's keys may do has ended.
  for (const subject of [userId, ...storeIds]) await cache.bumpEpoch(subject);
}

/** A system may be without apps, and so without organisations. */
async function soleOwnerships({ peers }: Context, userId: string): Promise<string[]> {
  if (!peers.has('app-platform')) return [];
  const path = '/internal/org-members/sole-ownerships';
  const found = await peers.call<SoleOwnerships>('app-platform', 'POST', path, { userId });
  return found?.orgIds ?? [];
}
