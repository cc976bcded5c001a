import { addInterval } from '@waybill/kernel';
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
 * A reservation expires after a minute: until then its process has renewed it three times, or is gone. Rounded to the
 * millisecond, as the driver reads it back, because a process that removes bytes recognizes its own removal by this
 * time.
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

/** Extends a reservation that still exists. */
export async function renewReservation(db: Db, storeId: string, id: string): Promise<void> {
  await db
    .updateTable('media_reservation')
    .set({ expires_at: expiry })
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .execute();
}

/** Deletes a reservation. Returns whether it still existed. */
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
 * Marks bytes as being removed, unless an asset or a reservation has them. One statement checks both, so that a
 * reservation turning into an asset is seen. Returns the time until which this process may remove the bytes; null when
 * they are in use, or another process removes them. A removal that is never finished expires like any reservation.
 */
export async function startRemoval(
  trx: Trx,
  storeId: string,
  { id, sha256 }: Reservation,
): Promise<Date | null> {
  const { rows } = await sql<{ expiresAt: Date }>`
    insert into media_reservation as r (store_id, id, sha256, size_bytes, expires_at, removing)
    select ${storeId}, ${id}, ${sha256}, 0, ${expiry}, true
    where not exists (select from media_asset where store_id = ${storeId} and sha256 = ${sha256})
      and not exists (
        select from media_reservation where store_id = ${storeId} and sha256 = ${sha256} and not removing
      )
    on conflict (store_id, id) do update set expires_at = excluded.expires_at
      where r.expires_at < ${sql.raw(addInterval('excluded.expires_at', '-1 minute'))}
    returning expires_at as "expiresAt"`.execute(trx);
  return rows[0]?.expiresAt ?? null;
}

/** Matches a removal that still belongs to this process, by the expiry it was given. */
const isOwnRemoval = (id: string, expiresAt: Date) =>
  sql`id = ${id} and removing and expires_at = ${expiresAt}`;

/** Extends a removal and returns its new expiry. Null when it has expired and another process has taken or ended it. */
export async function renewRemoval(
  db: Db,
  storeId: string,
  id: string,
  expiresAt: Date,
): Promise<Date | null> {
  const { rows } = await sql<{ expiresAt: Date }>`
    update media_reservation set expires_at = ${expiry} where store_id = ${storeId} and ${isOwnRemoval(id, expiresAt)}
    returning expires_at as "expiresAt"`.execute(db);
  return rows[0]?.expiresAt ?? null;
}

export async function endRemoval(db: Db, storeId: string, id: string, expiresAt: Date): Promise<void> {
  await sql`delete from media_reservation where store_id = ${storeId} and ${isOwnRemoval(id, expiresAt)}`.execute(
    db,
  );
}

/** Ends an expired removal whose bytes are in use again. */
export async function endExpiredRemoval(db: Db, storeId: string, id: string): Promise<void> {
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

/** Returns some expired reservations of any store. */
export function listExpired(db: Db, limit: number): Promise<(Reservation & { storeId: string })[]> {
  return db
    .selectFrom('media_reservation')
    .select(['store_id as storeId', 'id', 'sha256', 'size_bytes as sizeBytes'])
    .where('expires_at', '<', sql<Date>`now()`)
    .orderBy('expires_at')
    .limit(limit)
    .execute();
}
