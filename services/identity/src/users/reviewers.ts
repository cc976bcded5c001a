import { newId } from '@waybill/contracts';
import type { Config, Context } from '../config.ts';
import { errors } from '../errors.ts';
import { issueToken, type OneTimeToken } from '../one-time-tokens/one-time-tokens.ts';
import { dummyHash } from './passwords.ts';
import { findUserByEmail, insertUser, type UserRow, updateUser } from './queries.ts';

/**
 * Whether a user reviews apps, because an operator made them a reviewer or because the configuration lists their
 * address. Both require a verified address, since the person who registered the address first may not be the intended one.
 * `decisions.md 7.5, 15.2`.
 */
export function isReviewer(
  { reviewerEmails }: Pick<Config, 'reviewerEmails'>,
  { email, email_verified_at, is_reviewer }: UserRow,
): boolean {
  return email_verified_at !== null && (is_reviewer || reviewerEmails.has(email));
}

/**
 * Makes the user with that address a reviewer, and creates the user if necessary. Returns the token of the link by
 * which the owner sets a password, which also verifies the address. For an address that the configuration lists,
 * nothing more is stored.
 */
export async function addReviewer(
  { transaction, cache, config }: Context,
  address: string,
): Promise<OneTimeToken> {
  const email = address.toLowerCase();
  const { userId, ...reset } = await transaction(async (trx) => {
    const user =
      (await findUserByEmail(trx, email)) ??
      (await insertUser(trx, {
        id: newId('user'),
        email,
        name: email.slice(0, 200),
        password_hash: dummyHash,
      }));
    if (!config.reviewerEmails.has(email)) await updateUser(trx, user.id, { is_reviewer: true });
    return { userId: user.id, ...(await issueToken(trx, { purpose: 'reset', subject: user.id })) };
  });
  await cache.bumpEpoch(userId);
  return reset;
}

/**
 * Revokes what `addReviewer` granted. Throws `not_found`, and `invalid_state` for an address that the configuration
 * lists.
 */
export async function removeReviewer({ db, cache, config }: Context, address: string): Promise<void> {
  const email = address.toLowerCase();
  if (config.reviewerEmails.has(email)) {
    throw errors.invalid_state({
      message: 'The configuration lists this address; remove it from PLATFORM_REVIEWER_EMAILS.',
    });
  }
  const user = await findUserByEmail(db, email);
  if (!user?.is_reviewer) throw errors.not_found({ message: 'No reviewer has this e-mail address.' });
  await updateUser(db, user.id, { is_reviewer: false });
  await cache.bumpEpoch(user.id);
}
