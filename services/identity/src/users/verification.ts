import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { queueMail } from '../mail/mail.ts';
import { canMailAddress } from '../mail/mail-limits.ts';
import { consumeToken, readToken } from '../one-time-tokens/one-time-tokens.ts';
import { findUser, type UserRow, updateUser } from './queries.ts';

/**
 * Verifies the address that the token was mailed to. Rights that depend on it, such as reviewing apps, hold from the
 * next request on. Throws `invalid_token`. `decisions.md 15.2`.
 */
export async function verifyEmail({ db, transaction, cache }: Context, token: string): Promise<UserRow> {
  const found = await readToken(db, 'verify', token);
  const user = await transaction(async (trx) => {
    await consumeToken(trx, found);
    return updateUser(trx, found.subject, { email_verified_at: new Date() });
  });
  // The user was deleted after requesting the mail.
  if (!user) throw errors.invalid_token();
  await cache.bumpEpoch(user.id);
  return user;
}

/** Mails another link to a user, unless the address is verified. Throws `user_token_required`. `decisions.md 15.2`. */
export async function requestVerification({ db, cache }: Context, userId: string): Promise<void> {
  const user = await findUser(db, userId);
  if (!user) throw errors.user_token_required();
  if (user.email_verified_at || !(await canMailAddress(cache, 'verify', user.email))) return;
  await queueMail(db, { template: 'verify', userId });
}
