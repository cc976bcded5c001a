import type { FairSemaphore } from '@waybill/kernel';
import type { Context, Write } from '../config.ts';
import { errors } from '../errors.ts';
import { forgetFailures } from '../login-limits/login-limits.ts';
import { queueMail } from '../mail/mail.ts';
import type { Locale } from '../mail/templates.ts';
import { deleteTokens } from '../one-time-tokens/queries.ts';
import { checkPassword } from './login.ts';
import { hashPassword } from './passwords.ts';
import {
  clearSessionParent,
  deleteSessionsOfUser,
  findUserForUpdate,
  type UserRow,
  updateUser,
} from './queries.ts';

/** The user who changes their own account, with the session and network of the request. */
export interface Actor {
  userId: string;
  email: string;
  sessionId: string | undefined;
  network: string;
}

/**
 * Applies the given fields that differ. Throws `user_token_required` if the user no longer exists. `decisions.md 15.3`.
 */
export async function changeProfile(
  { trx }: Write,
  userId: string,
  { name, locale }: { name?: string; locale?: Locale },
): Promise<UserRow> {
  const user = await findUserForUpdate(trx, userId);
  if (!user) throw errors.user_token_required();
  const requested = { name: name ?? user.name, locale: locale ?? user.locale };
  if (requested.name === user.name && requested.locale === user.locale) return user;
  return (await updateUser(trx, userId, requested))!;
}

/**
 * Sets a new password. Ends the other sessions, and deletes the links that could set a password. Throws `invalid_login`
 * for a wrong current password, which counts as a failed login, and `rate_limited`. `decisions.md 15.3`.
 */
export async function changePassword(
  context: Context,
  hashing: FairSemaphore,
  { userId, sessionId, email, network }: Actor,
  { current, password }: { current: string; password: string },
): Promise<void> {
  const user = await checkPassword(context, hashing, { email, password: current, network });
  if (user.id !== userId) throw errors.user_token_required();
  const password_hash = await hashing.run(network, () => hashPassword(password));
  await context.transaction(async (trx) => {
    // Waits for logins in progress, whose sessions must end as well.
    const latest = await findUserForUpdate(trx, userId);
    if (latest?.password_hash !== user.password_hash) throw errors.invalid_login();
    await updateUser(trx, userId, { password_hash });
    // The user has just given the password, so this session no longer depends on the one that it was made from.
    if (sessionId) await clearSessionParent(trx, sessionId);
    await deleteSessionsOfUser(trx, userId, sessionId);
    await deleteTokens(trx, 'reset', userId);
    await queueMail(trx, { template: 'passwordChanged', userId });
  });
  await context.cache.bumpEpoch(userId);
  await forgetFailures(context.cache, email);
}
