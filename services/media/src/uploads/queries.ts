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

/** How many bytes count against the store's quota. Everybody else who changes that waits until the transaction ends. */
export async function lockUsage(trx: Trx, storeId: string): Promise<number> {
  await trx
    .insertInto('media_usage')
    .values({ store_id: storeId, used_bytes: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const { used_bytes } = await trx
    .selectFrom('media_usage')
    .select('used_bytes')
    .where('store_id', '=', storeId)
    .forUpdate()
    .executeTakeFirstOrThrow();
  return used_bytes;
}

export async function changeUsage(trx: Trx, storeId: string, by: number): Promise<void> {
  await trx
    .updateTable('media_usage')
    .set((eb) => ({ used_bytes: eb('used_bytes', '+', by) }))
    .where('store_id', '=', storeId)
    .execute();
}

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

/** Whether it was still there. */
export async function deleteReservation(trx: Trx, storeId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('media_reservation')
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Whether an asset or a reservation has these bytes; one statement, so that one that becomes the other is seen. */
export async function areBytesNeeded(trx: Trx, storeId: string, sha256: string): Promise<boolean> {
  const { rows } = await sql<{ needed: boolean }>`
    select exists (select from media_asset where store_id = ${storeId} and sha256 = ${sha256})
      or exists (select from media_reservation where store_id = ${storeId} and sha256 = ${sha256})
      as needed`.execute(trx);
  return rows[0]!.needed;
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
