import type { FairSemaphore } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { forgetFailures } from '../login-limits/login-limits.ts';
import { queueMail } from '../mail/mail.ts';
import { canMailAddress } from '../mail/mail-limits.ts';
import { consumeToken, readToken } from '../one-time-tokens/one-time-tokens.ts';
import { deleteSecondFactor } from '../second-factor/second-factor.ts';
import { hashPassword } from './passwords.ts';
import { deleteSessionsOfUser, findUserForUpdate, updateUser } from './queries.ts';

/**
 * Queues a mail with a link to an address. Its user, if any, is looked up only when the mail is sent, so every address
 * causes the same work: `decisions.md 15.3`.
 */
export async function requestReset({ db, cache }: Context, address: string): Promise<void> {
  const email = address.toLowerCase();
  if (await canMailAddress(cache, 'reset', email)) await queueMail(db, { template: 'reset', address: email });
}

/**
 * Sets the password of the token's user, and ends all of that user's sessions from the next request on. The token was
 * mailed to the user's address, so the address counts as verified; if it was not before, the second factor is removed
 * too. Throws `invalid_token`. `decisions.md 15.2, 15.3, 19.12`.
 */
export async function resetPassword(
  { db, transaction, cache }: Context,
  hashing: FairSemaphore,
  { token, password, network }: { token: string; password: string; network: string },
): Promise<void> {
  const found = await readToken(db, 'reset', token);
  const userId = found.subject;
  const password_hash = await hashing.run(network, () => hashPassword(password));
  const user = await transaction(async (trx) => {
    await consumeToken(trx, found);
    // Comes first, because it waits for logins in progress, whose sessions must end as well.
    const before = await findUserForUpdate(trx, userId);
    const changed = await updateUser(trx, userId, { password_hash, email_verified_at: new Date() });
    await deleteSessionsOfUser(trx, userId);
    // Somebody who registered a stranger's address may have set up the second factor.
    if (!before?.email_verified_at) await deleteSecondFactor(trx, userId);
    await queueMail(trx, { template: 'passwordChanged', userId });
    return changed;
  });
  await cache.bumpEpoch(userId);
  if (user) await forgetFailures(cache, user.email);
}
