import { acting, audit } from '@waybill/kernel';
import type { Transaction } from 'kysely';
import type { Context } from '../config.ts';
import { forgetFailures } from '../login-limits/login-limits.ts';
import { queueMail } from '../mail/mail.ts';
import { mayBeMailed } from '../mail/mail-limits.ts';
import { readToken, spendToken } from '../one-time-tokens/one-time-tokens.ts';
import { dropTotp } from '../second-factor/second-factor.ts';
import type { Tables } from '../tables.ts';
import { hashPassword, type Slots } from './passwords.ts';
import {
  deleteInvitationsOf,
  deleteSessionsOfUser,
  findUserForUpdate,
  type UserRow,
  updateKeysOfAsRevoked,
  updateUser,
} from './queries.ts';

/**
 * Has a link mailed to whoever has that address. Who that is, and whether there is anybody, is looked up when the mail
 * is sent: the same is done for every address, `decisions.md 15.3`.
 */
export async function requestReset({ db, cache }: Context, address: string): Promise<void> {
  const email = address.toLowerCase();
  if (await mayBeMailed(cache, 'reset', email)) await queueMail(db, { template: 'reset', address: email });
}

/**
 * Sets the password of the user whom the token was given to, and ends all of that user's sessions from the next
 * request on. Whoever has the token was given it at the user's address, so that counts as verified. Where it did not
 * before, a stranger may have registered it: what lets in besides the password goes, too.
 * Throws `invalid_token`. `decisions.md 15.2, 15.3, 15.4`.
 */
export async function resetPassword(
  { db, transaction, cache }: Context,
  hashing: Slots,
  { token, password, network }: { token: string; password: string; network: string },
): Promise<void> {
  const found = await readToken(db, 'reset', token);
  const userId = found.subject;
  const password_hash = await hashing(network, () => hashPassword(password));
  const { user, storeIds } = await transaction(async (trx) => {
    await spendToken(trx, found);
    // First: it waits for logins in flight, whose sessions are to end as well.
    const before = await findUserForUpdate(trx, userId);
    const user = await updateUser(trx, userId, { password_hash, email_verified_at: new Date() });
    await deleteSessionsOfUser(trx, userId);
    const storeIds = before && !before.email_verified_at ? await endWaysIn(trx, before) : [];
    await queueMail(trx, { template: 'passwordChanged', userId });
    return { user, storeIds };
  });
  for (const subject of [userId, ...storeIds]) await cache.bumpEpoch(subject);
  if (user) await forgetFailures(cache, user.email);
}

/**
 * Ends what whoever had the account may have left to come back by: the second factor, API keys, and invitations of
 * others, of which its stores are told. Gives the stores.
 */
async function endWaysIn(trx: Transaction<Tables>, user: UserRow): Promise<ReadonlySet<string>> {
  if (user.totp_secret) await dropTotp(trx, user);
  const by = { ...acting(), type: 'user', id: user.id } as const;
  const keys = await updateKeysOfAsRevoked(trx, user.id);
  for (const key of keys) await audit(trx, key.store_id, 'apiKey.revoked', key, { by });
  const invitations = await deleteInvitationsOf(trx, user.id);
  for (const { store_id, id } of invitations)
    await audit(trx, store_id, 'invitation.withdrawn', { id }, { by });
  return new Set(keys.map(({ store_id }) => store_id));
}
