import type { FairSemaphore } from '@waybill/kernel';
import type { Transaction } from 'kysely';
import type { Context, Write } from '../config.ts';
import { errors } from '../errors.ts';
import { loginLimits } from '../login-limits/login-limits.ts';
import { consumeCode } from '../second-factor/second-factor.ts';
import type { Device } from '../sign-ins/queries.ts';
import { recordFailedSignIn, recordSignIn } from '../sign-ins/sign-ins.ts';
import type { Tables } from '../tables.ts';
import { dummyHash, verifyPassword } from './passwords.ts';
import { findUserByEmail, findUserForUpdate, type UserRow } from './queries.ts';
import { type StartedSession, startSession } from './sessions.ts';

/** After this many failures a network's attempts wait behind those of other networks. People mistype once or twice. */
const suspectFailures = 3;

/** The proof that somebody is a user. The address may be in any case. */
export interface Credentials {
  email: string;
  password: string;
  /** Code of the second factor. */
  code?: string;
  network: string;
}

/** Called after a wrong password or code; null: the address is not registered. */
type OnFailure = (userId: string | null) => Promise<void>;

/**
 * Finds the user with this address and password. Throws `invalid_login` both for an unknown address and for a wrong
 * password, after the same work, and `rate_limited` after too many failures, before that work. `decisions.md 8.1`.
 */
export async function checkPassword(
  { db, cache }: Context,
  hashing: FairSemaphore,
  { email: address, password, network }: Credentials,
  onFailure?: OnFailure,
): Promise<UserRow> {
  const email = address.toLowerCase();
  const limits = loginLimits(cache, email, network);
  const isSuspect = (await limits.check()) >= suspectFailures;
  const user = await findUserByEmail(db, email);
  const matches = await hashing.run(
    network,
    async () => {
      // Checked again after the wait, so that of many concurrent attempts only the first few are verified.
      await limits.check();
      return verifyPassword(password, user?.password_hash ?? dummyHash);
    },
    { isSuspect },
  );
  if (user && matches) return user;
  await limits.recordFailure();
  await onFailure?.(user?.id ?? null);
  throw errors.invalid_login();
}

/**
 * Checks the password and, if it is on, the second factor, and runs `work` in the write that spends the code.
 * Throws the errors of `checkPassword`, and `totp_required`, `invalid_code`, which counts as a failed login.
 * `decisions.md 15.4`.
 */
export async function withCredentials<Result>(
  context: Context,
  hashing: FairSemaphore,
  credentials: Credentials,
  work: (write: Write, user: UserRow) => Promise<Result>,
  onFailure?: OnFailure,
): Promise<Result> {
  const { id, email, password_hash } = await checkPassword(context, hashing, credentials, onFailure);
  const limits = loginLimits(context.cache, email, credentials.network);
  const done = await context.write(async (write) => {
    const { trx } = write;
    const user = await findUserForUpdate(trx, id);
    // If the password has changed in the meantime, the old one is no longer valid.
    if (user?.password_hash !== password_hash) throw errors.invalid_login();
    if (user.totp_confirmed_at) {
      if (!credentials.code) throw errors.totp_required();
      if (!(await consumeCode(context, trx, user, credentials.code))) return null;
    }
    return { result: await work(write, user) };
  });
  if (!done) {
    await limits.recordFailure();
    await onFailure?.(id);
    throw errors.invalid_code();
  }
  await limits.recordSuccess();
  return done.result;
}

/** Starts a session for an authenticated user, and records the sign-in. Returns the result of `startSession`. */
export async function startRecordedSession(
  trx: Transaction<Tables>,
  user: UserRow,
  device: Device,
  parentId?: string,
): ReturnType<typeof startSession> {
  await recordSignIn(trx, user.id, device);
  return startSession(trx, user, device, parentId);
}

/**
 * Signs a user in. The user's list of sign-ins shows both success and a wrong password or code. Throws the errors of
 * `withCredentials`. `decisions.md 8.1, 15.4, 19.12`.
 */
export async function login(
  context: Context,
  hashing: FairSemaphore,
  credentials: Credentials,
  device: Device,
): Promise<StartedSession> {
  const { hasEndedOthers, ...entered } = await withCredentials(
    context,
    hashing,
    credentials,
    ({ trx }, user) => startRecordedSession(trx, user, device),
    (userId) => recordFailedSignIn(context, userId, device),
  );
  if (hasEndedOthers) await context.cache.bumpEpoch(entered.user.id);
  return entered;
}
