import type { ServiceContext } from '@waybill/kernel';
import type { ObjectStore } from '@waybill/object-store';
import { type Asset, insertAsset, type NewAsset } from '../assets/queries.ts';
import type { Config } from '../config.ts';
import { errors } from '../errors.ts';
import { originalKey } from '../store.ts';
import type { Tables } from '../tables.ts';
import {
  areBytesNeeded,
  changeUsage,
  deleteReservation,
  insertReservation,
  lockUsage,
  type Reservation,
} from './queries.ts';

type RunTransaction = ServiceContext<Config, Tables>['transaction'];

/**
 * Sets bytes of the store's quota aside, before anything is stored.
 * @throws quota_exceeded with `used`, `limit` and `incoming`, in bytes
 */
export function reserve(
  transaction: RunTransaction,
  storeId: string,
  reservation: Reservation,
  limit: number,
): Promise<void> {
  return transaction(async (trx) => {
    const used = await lockUsage(trx, storeId);
    const incoming = reservation.sizeBytes;
    if (used + incoming > limit) throw errors.quota_exceeded({ fields: { used, limit, incoming } });
    await changeUsage(trx, storeId, incoming);
    await insertReservation(trx, storeId, reservation);
  });
}

/**
 * Makes an asset of what was reserved and is stored.
 * @throws resource_unavailable when the reservation has run out
 */
export function claim(
  transaction: RunTransaction,
  storeId: string,
  reservation: Reservation,
  asset: Omit<NewAsset, 'id' | 'sha256' | 'size_bytes'>,
): Promise<Asset> {
  const { id, sha256, sizeBytes } = reservation;
  return transaction(async (trx) => {
    if (!(await deleteReservation(trx, storeId, id))) {
      throw errors.resource_unavailable({ headers: { 'retry-after': '5' } });
    }
    return insertAsset(trx, storeId, { id, sha256, size_bytes: sizeBytes, ...asset }, new Date());
  });
}

/** Gives back what was reserved and became no asset, and removes its bytes unless something else has the same. */
export function giveBack(
  transaction: RunTransaction,
  store: ObjectStore | null,
  storeId: string,
  { id, sha256, sizeBytes }: Reservation,
): Promise<void> {
  return transaction(async (trx) => {
    // Nobody can reserve the same bytes, and count on their being there, while they are removed.
    await lockUsage(trx, storeId);
    if (await deleteReservation(trx, storeId, id)) await changeUsage(trx, storeId, -sizeBytes);
    if (!(await areBytesNeeded(trx, storeId, sha256))) await store?.delete(originalKey(storeId, sha256));
  });
}
