import type { Kysely, Transaction } from 'kysely';
import type { Context } from '../config.ts';
import type { Tables } from '../tables.ts';
import { abandonCheckouts, deleteOldCheckouts, hashClearKeys, listPlaced } from './queries.ts';

/**
 * Returns for each order whether it was placed. Deletes the checkouts of the others first, so that these orders can
 * never be placed.
 */
export async function resolveCheckouts(
  trx: Transaction<Tables>,
  checkouts: readonly { storeId: string; orderId: string }[],
): Promise<boolean[]> {
  await abandonCheckouts(trx, checkouts);
  return listPlaced(trx, checkouts);
}

/** Hours for which the answer of a key is kept: `decisions.md 3.5`. */
const retentionHours = 24;

/**
 * Minutes after which keys in plain text are hashed. Until then a copy of an older version may still use them to place
 * an order.
 */
const minutesInTheClear = 60;

/** Hashes the keys that older versions wrote in plain text. Returns true if there may be more. */
export const hashOldKeys = ({ db, bus }: Pick<Context, 'db' | 'bus'>): Promise<boolean> =>
  hashClearKeys(db, bus.isSingleProcess ? 0 : minutesInTheClear, 1_000);

/** Deletes old idempotency keys. Returns true if there may be more. */
export const sweepCheckouts = (db: Kysely<Tables>): Promise<boolean> =>
  deleteOldCheckouts(db, retentionHours, 5_000);
