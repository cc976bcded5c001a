import { later } from '@waybill/kernel';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

export interface Reservation {
  id: string;
  sha256: string;
  sizeBytes: number;
}

/**
 * A minute: then its process is gone, or has renewed it three times. To the millisecond, as the driver reads it back: who
 * removes bytes knows by it that nobody else has begun to.
 */
const expiry = sql<Date>`date_trunc('milliseconds', statement_timestamp() + interval '1 minute')`;

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
export async function deleteReservation(trx: Db, storeId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('media_reservation')
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .where('removing', '=', false)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/**
 * Says that bytes are being removed, unless an asset or a reservation has them: one statement, so that one that
 * becomes the other is seen. Gives until when they are ours to remove; null: they are not, as something has them or
 * another process removes them. Should it not end, the removal runs out like any reservation.
 */
export async function startRemoval(
  trx: Trx,
  storeId: string,
  { id, sha256 }: Reservation,
): Promise<Date | null> {
  const { rows } = await sql<{ until: Date }>`
    insert into media_reservation as r (store_id, id, sha256, size_bytes, expires_at, removing)
    select ${storeId}, ${id}, ${sha256}, 0, ${expiry}, true
    where not exists (select from media_asset where store_id = ${storeId} and sha256 = ${sha256})
      and not exists (
        select from media_reservation where store_id = ${storeId} and sha256 = ${sha256} and not removing
      )
    on conflict (store_id, id) do update set expires_at = excluded.expires_at
      where r.expires_at < ${sql.raw(later('excluded.expires_at', '-1 minute'))}
    returning expires_at as until`.execute(trx);
  return rows[0]?.until ?? null;
}

/** A removal, as long as it is ours: until when, as we were told. */
const isOurs = (id: string, until: Date) => sql`id = ${id} and removing and expires_at = ${until}`;

/** Gives until when it is ours from now on; null: it has run out, and another process has it or has ended it. */
export async function renewRemoval(db: Db, storeId: string, id: string, until: Date): Promise<Date | null> {
  const { rows } = await sql<{ until: Date }>`
    update media_reservation set expires_at = ${expiry} where store_id = ${storeId} and ${isOurs(id, until)}
    returning expires_at as until`.execute(db);
  return rows[0]?.until ?? null;
}

export async function endRemoval(db: Db, storeId: string, id: string, until: Date): Promise<void> {
  await sql`delete from media_reservation where store_id = ${storeId} and ${isOurs(id, until)}`.execute(db);
}

/** Ends a removal that has run out: something has the bytes again. */
export async function dropRemoval(db: Db, storeId: string, id: string): Promise<void> {
  await sql`
    delete from media_reservation
    where store_id = ${storeId} and id = ${id} and removing and expires_at < now()`.execute(db);
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
