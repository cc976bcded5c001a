import { newId } from '@waybill/contracts';
import { type FairSemaphore, violatedConstraint } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { queueMail } from '../mail/mail.ts';
import type { Locale } from '../mail/templates.ts';
import type { Device } from '../sign-ins/queries.ts';
import { hashPassword, verifyPassword } from './passwords.ts';
import { findUserByEmail, insertUser, type UserRow, updateUser } from './queries.ts';
import { type StartedSession, startSession } from './sessions.ts';

interface NewUser {
  email: string;
  password: string;
  name: string;
}

/**
 * Creates a user, signs the user in, and mails a link that verifies the address. Throws `duplicate_email`.
 * `decisions.md 8.1, 15.2`.
 */
export async function register(
  { db, transaction }: Context,
  hashing: FairSemaphore,
  input: NewUser & { network: string; locale: Locale },
  device: Device,
): Promise<StartedSession> {
  const email = input.email.toLowerCase();
  if (await findUserByEmail(db, email)) throw errors.duplicate_email();
  const password_hash = await hashing.run(input.network, () => hashPassword(input.password));
  const user = { id: newId('user'), email, name: input.name, password_hash, locale: input.locale };
  return withUniqueEmail(() =>
    transaction(async (trx) => {
      const entered = await startSession(trx, await insertUser(trx, user), device);
      await queueMail(trx, { template: 'verify', userId: user.id });
      return entered;
    }),
  );
}

/**
 * Creates a user with a verified address, for which the caller vouches; it may be a reviewer's. If a user with this
 * address and password exists, the address becomes verified. Throws `duplicate_email`.
 */
export async function createVerifiedUser(
  { db, cache }: Context,
  hashing: FairSemaphore,
  input: NewUser,
): Promise<UserRow> {
  const email = input.email.toLowerCase();
  const found = await findUserByEmail(db, email);
  if (found?.email_verified_at) return found;
  if (!found) {
    const password_hash = await hashing.run('', () => hashPassword(input.password));
    const user = { id: newId('user'), email, name: input.name, password_hash, email_verified_at: new Date() };
    return withUniqueEmail(() => insertUser(db, user));
  }
  if (!(await hashing.run('', () => verifyPassword(input.password, found.password_hash))))
    throw errors.duplicate_email();
  const verified = await updateUser(db, found.id, { email_verified_at: new Date() });
  await cache.bumpEpoch(found.id);
  return verified ?? found;
}

async function withUniqueEmail<Result>(insert: () => Promise<Result>): Promise<Result> {
  try {
    return await insert();
  } catch (error) {
    if (violatedConstraint(error) === 'user_account_email_key') throw errors.duplicate_email();
    throw error;
  }
}
