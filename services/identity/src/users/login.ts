import type { FairSemaphore } from '@waybill/kernel';
import type { Transaction } from 'kysely';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { loginLimits } from '../login-limits/login-limits.ts';
import { spendCode } from '../second-factor/second-factor.ts';
import type { Device } from '../sign-ins/queries.ts';
import { recordFailedSignIn, recordSignIn } from '../sign-ins/sign-ins.ts';
import type { Tables } from '../tables.ts';
import { hashOfNobody, verifyPassword } from './passwords.ts';
import { findUserByEmail, findUserForUpdate, type UserRow } from './queries.ts';
import { type Entered, startSession } from './sessions.ts';

/** From so many failures on a network's attempts wait behind those of others: people mistype once or twice. */
const suspectFailures = 3;

/** What somebody says to be a user with. The address in whatever case. */
export interface Credentials {
  email: string;
  password: string;
  /** Of the second factor. */
  code?: string;
  network: string;
}

/** Runs after a wrong password or code; null: nobody has the address. */
type OnFailure = (userId: string | null) => Promise<void>;

/**
 * The user whose address and password these are. Throws `invalid_login` for an unknown address as for a wrong password,
 * after the same work, and `rate_limited` after too many failures, before that work. `decisions.md 8.1`.
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
      // Once more after the wait: of many attempts at once only the first few may be looked into.
      await limits.check();
      return verifyPassword(password, user?.password_hash ?? hashOfNobody);
    },
    { isSuspect },
  );
  if (user && matches) return user;
  await limits.recordFailure();
  await onFailure?.(user?.id ?? null);
  throw errors.invalid_login();
}

/**
 * Does what password and, where there is one, second factor are asked for, in the transaction that uses the code up.
 * Throws as `checkPassword`, and `totp_required`, `invalid_code`, which counts as a failed login. `decisions.md 15.4`.
 */
export async function withCredentials<Result>(
  context: Context,
  hashing: FairSemaphore,
  credentials: Credentials,
  work: (trx: Transaction<Tables>, user: UserRow) => Promise<Result>,
  onFailure?: OnFailure,
): Promise<Result> {
  const { id, email, password_hash } = await checkPassword(context, hashing, credentials, onFailure);
  const limits = loginLimits(context.cache, email, credentials.network);
  const done = await context.transaction(async (trx) => {
    const user = await findUserForUpdate(trx, id);
    // A password that was set meanwhile has ended what the old one could begin.
    if (user?.password_hash !== password_hash) throw errors.invalid_login();
    if (user.totp_confirmed_at) {
      if (!credentials.code) throw errors.totp_required();
      if (!(await spendCode(context, trx, user, credentials.code))) return null;
    }
    return { result: await work(trx, user) };
  });
  if (!done) {
    await limits.recordFailure();
    await onFailure?.(id);
    throw errors.invalid_code();
  }
  await limits.recordSuccess();
  return done.result;
}

/** Starts a session of who has shown to be this user, and records the sign-in, as `startSession` does. */
export async function enterAs(
  trx: Transaction<Tables>,
  user: UserRow,
  device: Device,
  parentId?: string,
): ReturnType<typeof startSession> {
  await recordSignIn(trx, user.id, device);
  return startSession(trx, user, device, parentId);
}

/**
 * Signs a user in, which their list of sign-ins shows, as it does a wrong password or code. Throws as `withCredentials`.
 * `decisions.md 8.1, 15.4, 19.12`.
 */
export async function login(
  context: Context,
  hashing: FairSemaphore,
  credentials: Credentials,
  device: Device,
): Promise<Entered> {
  const { ended, ...entered } = await withCredentials(
    context,
    hashing,
    credentials,
    (trx, user) => enterAs(trx, user, device),
    (userId) => recordFailedSignIn(context, userId, device),
  );
  if (ended) await context.cache.bumpEpoch(entered.user.id);
  return entered;
}
