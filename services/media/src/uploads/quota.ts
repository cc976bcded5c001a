import type { ServiceContext } from '@waybill/kernel';
import type { Transaction } from 'kysely';
import { type Asset, insertAsset, type NewAsset } from '../assets/queries.ts';
import type { Config } from '../config.ts';
import { errors } from '../errors.ts';
import { lockFolder } from '../folders/queries.ts';
import { originalKey } from '../store.ts';
import type { Tables } from '../tables.ts';
import { changeUsage, lockUsage } from '../usage/queries.ts';
import { removeVariants } from '../variants/share.ts';
import {
  deleteReservation,
  endExpiredRemoval,
  endRemoval,
  insertReservation,
  isBeingRemoved,
  type Reservation,
  renewRemoval,
  startRemoval,
} from './queries.ts';

type Context = Pick<ServiceContext<Config, Tables>, 'config' | 'db' | 'transaction'>;
type RunTransaction = ServiceContext<Config, Tables>['transaction'];

/** Builds the error for the time in which the object store does not answer. */
const createRetryError = () => errors.resource_unavailable({ headers: { 'retry-after': '5' } });

/**
 * Reserves bytes of the store's quota before anything is stored.
 * @throws quota_exceeded with `used`, `limit` and `incoming`, in bytes; resource_unavailable while the same bytes are
 * being removed, because they would be gone after they were stored
 */
export function reserveQuota(
  transaction: RunTransaction,
  storeId: string,
  reservation: Reservation,
  limit: number,
): Promise<void> {
  return transaction(async (trx) => {
    const { usedBytes: used } = await lockUsage(trx, storeId);
    const incoming = reservation.sizeBytes;
    if (used + incoming > limit) throw errors.quota_exceeded({ fields: { used, limit, incoming } });
    if (await isBeingRemoved(trx, storeId, reservation.sha256)) throw createRetryError();
    await changeUsage(trx, storeId, incoming);
    await insertReservation(trx, storeId, reservation);
  });
}

/**
 * Turns a reservation whose bytes are stored into an asset.
 * @throws resource_unavailable when the reservation has expired, not_found when the folder is gone
 */
export async function claimReservation(
  trx: Transaction<Tables>,
  storeId: string,
  reservation: Reservation,
  asset: Omit<NewAsset, 'id' | 'sha256' | 'size_bytes'>,
): Promise<Asset> {
  const { id, sha256, sizeBytes } = reservation;
  if (!(await deleteReservation(trx, storeId, id))) throw createRetryError();
  // The folder may have been deleted since the upload began.
  if (!(await lockFolder(trx, storeId, asset.folder_id ?? null)))
    throw errors.not_found({ message: 'This media folder does not exist.' });
  return insertAsset(trx, storeId, { id, sha256, size_bytes: sizeBytes, ...asset }, new Date());
}

/**
 * Releases a reservation that became no asset, or a deleted asset, and removes its bytes and variants unless something
 * else has the same bytes. The quota is free at once, and no lock is held while the object store is called. A removal
 * that fails, or waits for a variant being made, is left to the sweep. If several processes sweep it, only one removes:
 * once the bytes may be stored again, no process is still about to remove them.
 */
export async function releaseReservation(
  context: Context,
  storeId: string,
  reservation: Reservation,
): Promise<void> {
  const { config, db, transaction } = context;
  const { id, sha256, sizeBytes } = reservation;
  const expiresAt = await transaction(async (trx) => {
    // After this transaction nobody can reserve the same bytes and rely on them being stored.
    await lockUsage(trx, storeId);
    if (await deleteReservation(trx, storeId, id)) await changeUsage(trx, storeId, -sizeBytes);
    return startRemoval(trx, storeId, reservation);
  });
  if (!expiresAt) return endExpiredRemoval(db, storeId, id);
  if (!config.store) return endRemoval(db, storeId, id, expiresAt);
  if (!(await removeVariants(context, config.store, storeId, sha256))) return;
  // Removing variants may have outlasted the removal's expiry. The single call after the renewal has a deadline within
  // it.
  const renewed = await renewRemoval(db, storeId, id, expiresAt);
  if (!renewed) return;
  await config.store.delete(originalKey(storeId, sha256));
  await endRemoval(db, storeId, id, renewed);
}
