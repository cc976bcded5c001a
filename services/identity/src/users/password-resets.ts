import { randomBytes } from 'node:crypto';
import { hashCredential } from '@waybill/contracts';
import type { Transaction } from 'kysely';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import type { Tables } from '../tables.ts';
import { forgetFailures } from './login-limits.ts';
import { hashPassword, type Slots } from './passwords.ts';
import {
  deleteResets,
  deleteSessionsOfUser,
  findUserOfReset,
  insertPasswordReset,
  updateUser,
} from './queries.ts';

const lifeMs = 3_600_000;

export interface Reset {
  /** Only its hash is stored. */
  token: string;
  expiresAt: Date;
}

/** Gives a token that sets the user's password, once, within an hour. */
export async function issueReset(trx: Transaction<Tables>, userId: string): Promise<Reset> {
  const token = randomBytes(32).toString('base64url');
  const expiresAt = new Date(Date.now() + lifeMs);
  await insertPasswordReset(trx, { hash: hashCredential(token), user_id: userId, expires_at: expiresAt });
  return { token, expiresAt };
}

/**
 * Sets the password of the user whom the token was given to, and ends all of that user's sessions from the next
 * request on. Whoever has the token was given it at the user's address, so that counts as verified.
 * Throws `invalid_token`. `decisions.md 15.2, 15.3`.
 */
export async function resetPassword(
  { db, transaction, cache }: Context,
  hashing: Slots,
  { token, password, network }: { token: string; password: string; network: string },
): Promise<void> {
  const hash = hashCredential(token);
  const userId = await findUserOfReset(db, hash);
  if (!userId) throw errors.invalid_token();
  const password_hash = await hashing(network, () => hashPassword(password));
  const user = await transaction(async (trx) => {
    if (!(await deleteResets(trx, userId, hash))) throw errors.invalid_token();
    // First: it waits for logins in flight, whose sessions are to end as well.
    const changed = await updateUser(trx, userId, { password_hash, email_verified_at: new Date() });
    await deleteSessionsOfUser(trx, userId);
    return changed;
  });
  await cache.bumpEpoch(userId);
  if (user) await forgetFailures(cache, user.email);
}
