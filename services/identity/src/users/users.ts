import { newId } from '@waybill/contracts';
import { violatedConstraint } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { loginLimits } from './login-limits.ts';
import { hashOfNobody, hashPassword, type Slots, verifyPassword } from './passwords.ts';
import { findUserByEmail, insertUser, type UserRow } from './queries.ts';
import { startSession } from './sessions.ts';

interface Entered {
  user: UserRow;
  refreshToken: string;
}

/** Makes a user and signs it in. Throws `duplicate_email`. `decisions.md 8.1`. */
export async function register(
  { db, transaction }: Context,
  slots: Slots,
  input: { email: string; password: string; name: string },
): Promise<Entered> {
  const email = input.email.toLowerCase();
  if (await findUserByEmail(db, email)) throw errors.duplicate_email();
  const password_hash = await slots(() => hashPassword(input.password));
  try {
    return await transaction(async (trx) => {
      const user = await insertUser(trx, { id: newId('user'), email, name: input.name, password_hash });
      return { user, refreshToken: await startSession(trx, user.id) };
    });
  } catch (error) {
    if (violatedConstraint(error) === 'user_account_email_key') throw errors.duplicate_email();
    throw error;
  }
}

/**
 * Signs a user in. Throws `invalid_login` for an unknown address as for a wrong password, after the same work,
 * and `rate_limited` after too many failures, before that work. `decisions.md 8.1`.
 */
export async function login(
  { db, transaction, cache }: Context,
  slots: Slots,
  input: { email: string; password: string; address: string },
): Promise<Entered> {
  const email = input.email.toLowerCase();
  const limits = loginLimits(cache, email, input.address);
  await limits.check();
  const user = await findUserByEmail(db, email);
  const matches = await slots(async () => {
    // Once more after the wait: of many attempts at once only the first few may be looked into.
    await limits.check();
    return verifyPassword(input.password, user?.password_hash ?? hashOfNobody);
  });
  if (!user || !matches) {
    await limits.recordFailure();
    throw errors.invalid_login();
  }
  await limits.recordSuccess();
  return { user, refreshToken: await transaction((trx) => startSession(trx, user.id)) };
}
