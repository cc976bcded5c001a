import { changedAt } from '@waybill/kernel';
import type { Kysely, Selectable, Transaction } from 'kysely';
import type { Tables } from '../tables.ts';

// Users and their credentials belong to no store.
type Trx = Transaction<Tables>;

/** The columns of a user that the second factor needs. */
export type SecondFactorUser = Pick<
  Selectable<Tables['user_account']>,
  'id' | 'email' | 'email_verified_at' | 'totp_secret' | 'totp_confirmed_at' | 'totp_used_step'
>;

/** Finds a user and locks it, so that changes of the second factor run one after the other. */
export function findHolderForUpdate(trx: Trx, userId: string): Promise<SecondFactorUser | undefined> {
  return trx
    .selectFrom('user_account')
    .select(['id', 'email', 'email_verified_at', 'totp_secret', 'totp_confirmed_at', 'totp_used_step'])
    .where('id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/** A user's secret as stored. */
export interface SealedSecret {
  id: string;
  totp_secret: string;
}

/** Lists the secrets of the next users after an id; null starts at the first one. */
export async function listSealedSecrets(
  db: Kysely<Tables>,
  after: SealedSecret | null,
  limit: number,
): Promise<SealedSecret[]> {
  const rows = await db
    .selectFrom('user_account')
    .select(['id', 'totp_secret'])
    .where('totp_secret', 'is not', null)
    .where('id', '>', after?.id ?? '')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows as SealedSecret[];
}

/** Replaces a sealed secret by the same secret with a new seal, unless the row has changed since it was read. */
export async function replaceSealedSecret(
  db: Kysely<Tables>,
  was: SealedSecret,
  totp_secret: string,
): Promise<void> {
  await db
    .updateTable('user_account')
    .set({ totp_secret })
    .where('id', '=', was.id)
    .where('totp_secret', '=', was.totp_secret)
    .execute();
}

/** Updates the given columns. */
export async function updateHolder(
  trx: Trx,
  userId: string,
  change: Partial<Omit<SecondFactorUser, 'id' | 'email' | 'email_verified_at'>>,
): Promise<void> {
  await trx
    .updateTable('user_account')
    .set({ ...change, updated_at: changedAt(new Date()) })
    .where('id', '=', userId)
    .execute();
}

/** Records a time step as used. Returns false if a code of this or a later step was already used. */
export async function updateUsedStep(trx: Trx, userId: string, step: number): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('user_account')
    .set({ totp_used_step: step })
    .where('id', '=', userId)
    .where('totp_used_step', '<', step)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

export async function insertRecoveryCodes(trx: Trx, userId: string, hashes: string[]): Promise<void> {
  await trx
    .insertInto('recovery_code')
    .values(hashes.map((hash) => ({ user_id: userId, hash })))
    .execute();
}

/** Deletes a recovery code. Returns whether the user had it. */
export async function deleteRecoveryCode(trx: Trx, userId: string, hash: string): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('recovery_code')
    .where('user_id', '=', userId)
    .where('hash', '=', hash)
    .executeTakeFirstOrThrow();
  return numDeletedRows === 1n;
}

export async function countRecoveryCodes(db: Kysely<Tables>, userId: string): Promise<number> {
  const { count } = await db
    .selectFrom('recovery_code')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function deleteRecoveryCodes(trx: Trx, userId: string): Promise<void> {
  await trx.deleteFrom('recovery_code').where('user_id', '=', userId).execute();
}
