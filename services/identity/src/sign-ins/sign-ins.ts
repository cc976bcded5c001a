import type { Kysely, Transaction } from 'kysely';
import type { Context } from '../config.ts';
import type { Tables } from '../tables.ts';
import { type Device, deleteExcessSignIns, deleteOldSignIns, insertSignIn } from './queries.ts';

/** One recording out of this many checks whether the person has too many sign-ins. */
const trimmedEvery = 32;

async function record(
  db: Kysely<Tables>,
  userId: string | null,
  outcome: 'ok' | 'failed',
  device: Device,
): Promise<void> {
  await insertSignIn(db, userId, outcome, device);
  if (userId && Math.random() * trimmedEvery < 1) await deleteExcessSignIns(db, userId);
}

/** Records a sign-in in the transaction that starts its session. `decisions.md 19.12`. */
export const recordSignIn = (trx: Transaction<Tables>, userId: string, device: Device): Promise<void> =>
  record(trx, userId, 'ok', device);

/** Records a failed sign-in; null: the address is not registered. `decisions.md 19.12`. */
export const recordFailedSignIn = (
  { db }: Pick<Context, 'db'>,
  userId: string | null,
  device: Device,
): Promise<void> => record(db, userId, 'failed', device);

const sweepBatch = 1000;

/** Deletes sign-ins that are no longer kept. Returns true if there may be more. */
export const sweepSignIns = (db: Kysely<Tables>): Promise<boolean> => deleteOldSignIns(db, sweepBatch);
