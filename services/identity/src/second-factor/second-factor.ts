import { open, seal } from '@waybill/outbound';
import type { Transaction } from 'kysely';
import type { Context, Write } from '../config.ts';
import { errors } from '../errors.ts';
import { loginLimits } from '../login-limits/login-limits.ts';
import { queueMail } from '../mail/mail.ts';
import type { Tables } from '../tables.ts';
import {
  createRecoveryCodes,
  createTotpSecret,
  findTimeStep,
  hashRecoveryCode,
  isTotpCode,
  toTotpUri,
} from './codes.ts';
import {
  countRecoveryCodes,
  deleteRecoveryCode,
  deleteRecoveryCodes,
  findHolderForUpdate,
  insertRecoveryCodes,
  type SecondFactorUser,
  updateHolder,
  updateUsedStep,
} from './queries.ts';

type Trx = Transaction<Tables>;

/**
 * Runs changes of a user's second factor one after the other. Throws `user_token_required` if the user no longer
 * exists.
 */
async function changeHolder<Result>(
  trx: Trx,
  userId: string,
  change: (holder: SecondFactorUser) => Promise<Result>,
): Promise<Result> {
  const holder = await findHolderForUpdate(trx, userId);
  if (!holder) throw errors.user_token_required();
  return change(holder);
}

/**
 * Creates a secret, which replaces an earlier unconfirmed one and takes effect when it is confirmed. Throws
 * `email_unverified`, `invalid_state`. `decisions.md 15.4, 19.12`.
 */
export function startTotp(
  { trx }: Write,
  context: Context,
  userId: string,
): Promise<{ secret: string; uri: string }> {
  return changeHolder(trx, userId, async (holder) => {
    const { id, email, totp_confirmed_at } = holder;
    if (totp_confirmed_at) throw alreadyEnabledError();
    checkVerified(holder);
    const secret = createTotpSecret();
    const totp_secret = seal(context.config.sealingKeys, secret, id);
    await updateHolder(trx, id, { totp_secret, totp_used_step: 0 });
    return { secret, uri: toTotpUri(secret, email) };
  });
}

/**
 * Turns the second factor on with a code of the secret, which is thereby spent. Returns the recovery codes, which
 * cannot be read again. Throws `email_unverified`, `invalid_state`, `invalid_code`. `decisions.md 15.4`.
 */
export function confirmTotp(
  { trx }: Write,
  context: Context,
  userId: string,
  code: string,
): Promise<string[]> {
  return changeHolder(trx, userId, async (holder) => {
    if (holder.totp_confirmed_at) throw alreadyEnabledError();
    checkVerified(holder);
    if (!holder.totp_secret) throw errors.invalid_state({ message: 'Call POST /api/me/totp first.' });
    if (!isTotpCode(code) || !(await spendTotp(context, trx, holder, code))) throw errors.wrong_code();
    const codes = createRecoveryCodes();
    await deleteRecoveryCodes(trx, holder.id);
    await insertRecoveryCodes(trx, holder.id, codes.map(hashRecoveryCode));
    await updateHolder(trx, holder.id, { totp_confirmed_at: new Date() });
    await queueMail(trx, { template: 'totpOn', userId: holder.id });
    return codes;
  });
}

/**
 * Turns the second factor off with one of its codes or a recovery code. Wrong codes count as failed logins, and codes
 * beyond the limit are not checked. Throws `invalid_state`, `invalid_code`, `rate_limited`. `decisions.md 15.4`.
 */
export async function removeTotp(
  { trx }: Write,
  context: Context,
  { userId, email, code, network }: { userId: string; email: string; code: string; network: string },
): Promise<void> {
  const limits = loginLimits(context.cache, email, network);
  await limits.check();
  await changeHolder(trx, userId, async (holder) => {
    if (!holder.totp_confirmed_at) throw errors.invalid_state({ message: 'The second factor is not on.' });
    // Checked again after the wait for the lock, and failures are counted before the next request gets the lock.
    // Otherwise all codes of a flood would be checked.
    await limits.check();
    if (!(await consumeCode(context, trx, holder, code))) {
      await limits.recordFailure();
      throw errors.wrong_code();
    }
    await deleteSecondFactor(trx, holder.id);
    await queueMail(trx, { template: 'totpOff', userId: holder.id });
  });
}

/**
 * Spends a code of a locked user whose second factor is on: six digits, or a recovery code. The user gets a mail about
 * a spent recovery code. Returns whether the code was valid. `decisions.md 15.4`.
 */
export async function consumeCode(
  context: Context,
  trx: Trx,
  holder: SecondFactorUser,
  code: string,
): Promise<boolean> {
  if (isTotpCode(code)) return spendTotp(context, trx, holder, code);
  if (!(await deleteRecoveryCode(trx, holder.id, hashRecoveryCode(code)))) return false;
  const remaining = await countRecoveryCodes(trx, holder.id);
  await queueMail(trx, {
    template: 'recoveryCodeUsed',
    userId: holder.id,
    data: { left: String(remaining) },
  });
  return true;
}

async function spendTotp(
  { config }: Context,
  trx: Trx,
  holder: SecondFactorUser,
  code: string,
): Promise<boolean> {
  const step = findTimeStep(open(config.sealingKeys, holder.totp_secret!, holder.id), code);
  return step !== null && (await updateUsedStep(trx, holder.id, step));
}

/** Removes a user's secret, confirmed or not, and the recovery codes. */
export async function deleteSecondFactor(trx: Trx, userId: string): Promise<void> {
  await updateHolder(trx, userId, { totp_secret: null, totp_confirmed_at: null });
  await deleteRecoveryCodes(trx, userId);
}

/**
 * Requires a verified address, so that nobody sets up a second factor for a stranger's address that its owner could not
 * pass. `decisions.md 19.12`.
 */
function checkVerified({ email_verified_at }: SecondFactorUser): void {
  if (!email_verified_at) throw errors.email_unverified();
}

const alreadyEnabledError = () =>
  errors.invalid_state({ message: 'The second factor is already on; remove it first.' });
