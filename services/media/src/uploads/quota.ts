import type { ServiceContext } from '@waybill/kernel';
import type { Transaction } from 'kysely';
import { type Asset, insertAsset, type NewAsset } from '../assets/queries.ts';
import type { Config } from '../config.ts';
import { errors } from '../errors.ts';
import { holdFolder } from '../folders/queries.ts';
import { originalKey } from '../store.ts';
import type { Tables } from '../tables.ts';
import { changeUsage, lockUsage } from '../usage/queries.ts';
import { removeVariants } from '../variants/share.ts';
import {
  deleteReservation,
  dropRemoval,
  endRemoval,
  insertReservation,
  isBeingRemoved,
  type Reservation,
  renewRemoval,
  startRemoval,
} from './queries.ts';

type Context = Pick<ServiceContext<Config, Tables>, 'config' | 'db' | 'transaction'>;
type RunTransaction = ServiceContext<Config, Tables>['transaction'];

/** While an object store does not answer. */
const tryAgain = () => errors.resource_unavailable({ headers: { 'retry-after': '5' } });

/**
 * Sets bytes of the store's quota aside, before anything is stored.
 * @throws quota_exceeded with `used`, `limit` and `incoming`, in bytes; resource_unavailable while the same bytes
 * are being removed, and would be gone after they were stored
 */
export function reserve(
  transaction: RunTransaction,
  storeId: string,
  reservation: Reservation,
  limit: number,
): Promise<void> {
  return transaction(async (trx) => {
    const { usedBytes: used } = await lockUsage(trx, storeId);
    const incoming = reservation.sizeBytes;
    if (used + incoming > limit) throw errors.quota_exceeded({ fields: { used, limit, incoming } });
    if (await isBeingRemoved(trx, storeId, reservation.sha256)) throw tryAgain();
    await changeUsage(trx, storeId, incoming);
    await insertReservation(trx, storeId, reservation);
  });
}

/**
 * Makes an asset of what was reserved and is stored.
 * @throws resource_unavailable when the reservation has run out, not_found when the folder is gone
 */
export async function claim(
  trx: Transaction<Tables>,
  storeId: string,
  reservation: Reservation,
  asset: Omit<NewAsset, 'id' | 'sha256' | 'size_bytes'>,
): Promise<Asset> {
  const { id, sha256, sizeBytes } = reservation;
  if (!(await deleteReservation(trx, storeId, id))) throw tryAgain();
  // It may have been deleted since the upload began.
  if (!(await holdFolder(trx, storeId, asset.folder_id ?? null)))
    throw errors.not_found({ message: 'There is no such media folder here.' });
  return insertAsset(trx, storeId, { id, sha256, size_bytes: sizeBytes, ...asset }, new Date());
}

/**
 * Gives back what was reserved and became no asset, or is none any more, and removes its bytes with what is derived from
 * them, unless something else has the same. The quota is free at once; no lock is held while the object store is asked.
 * A removal that fails, or has to wait for a variant that is being made, is swept. Of several processes that sweep it one
 * removes: once the bytes may be stored again, nobody is still about to remove them.
 */
export async function giveBack(context: Context, storeId: string, reservation: Reservation): Promise<void> {
  const { config, db, transaction } = context;
  const { id, sha256, sizeBytes } = reservation;
  const until = await transaction(async (trx) => {
    // Nobody can reserve the same bytes, and count on their being there, once this has ended.
    await lockUsage(trx, storeId);
    if (await deleteReservation(trx, storeId, id)) await changeUsage(trx, storeId, -sizeBytes);
    return startRemoval(trx, storeId, reservation);
  });
  if (!until) return dropRemoval(db, storeId, id);
  if (!config.store) return endRemoval(db, storeId, id, until);
  if (!(await removeVariants(context, config.store, storeId, sha256))) return;
  // Variants may have taken longer than the removal is ours; the one call that follows has a deadline within that.
  const renewed = await renewRemoval(db, storeId, id, until);
  if (!renewed) return;
  await config.store.delete(originalKey(storeId, sha256));
  await endRemoval(db, storeId, id, renewed);
}
