import { type Kysely, sql, type Transaction } from 'kysely';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

export interface Reservation {
  id: string;
  sha256: string;
  sizeBytes: number;
}

/** A minute: then its process is gone, or has renewed it three times. */
const expiry = sql<Date>`now() + interval '1 minute'`;

export async function insertReservation(
  trx: Trx,
  storeId: string,
  { id, sha256, sizeBytes }: Reservation,
): Promise<void> {
  await trx
    .insertInto('media_reservation')
    .values({
      store_id: storeId,
      id,
      sha256,
      size_bytes: sizeBytes,
      expires_at: expiry,
    })
    .execute();
}

/** Lets a reservation that is still there live on. */
export async function renewReservation(db: Db, storeId: string, id: string): Promise<void> {
  await db
    .updateTable('media_reservation')
    .set({ expires_at: expiry })
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .execute();
}

/** Whether it was still there, reserving or, at its end, `removing`. */
export async function deleteReservation(
  trx: Db,
  storeId: string,
  id: string,
  removing: boolean,
): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('media_reservation')
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .where('removing', '=', removing)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/**
 * Says that bytes are being removed, unless an asset or a reservation has them: one statement, so that one that
 * becomes the other is seen. Whether they are; should that not end, the reservation runs out like any other.
 */
export async function startRemoval(trx: Trx, storeId: string, { id, sha256 }: Reservation): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into media_reservation (store_id, id, sha256, size_bytes, expires_at, removing)
    select ${storeId}, ${id}, ${sha256}, 0, ${expiry}, true
    where not exists (select from media_asset where store_id = ${storeId} and sha256 = ${sha256})
      and not exists (
        select from media_reservation where store_id = ${storeId} and sha256 = ${sha256} and not removing
      )
    on conflict (store_id, id) do update set expires_at = excluded.expires_at`.execute(trx);
  return (numAffectedRows ?? 0n) > 0n;
}

/** Whether bytes are being removed. */
export async function isBeingRemoved(trx: Trx, storeId: string, sha256: string): Promise<boolean> {
  const row = await trx
    .selectFrom('media_reservation')
    .select('id')
    .where('store_id', '=', storeId)
    .where('sha256', '=', sha256)
    .where('removing', '=', true)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Some reservations that have run out, of any store. */
export function listExpired(db: Db, limit: number): Promise<(Reservation & { storeId: string })[]> {
  return db
    .selectFrom('media_reservation')
    .select(['store_id as storeId', 'id', 'sha256', 'size_bytes as sizeBytes'])
    .where('expires_at', '<', sql<Date>`now()`)
    .orderBy('expires_at')
    .limit(limit)
    .execute();
}
