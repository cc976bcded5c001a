import type { LineItem } from '@waybill/contracts';
import { type Columns, prepare, withoutWaitingForDisk } from '@waybill/kernel';
import type { Kysely, Transaction } from 'kysely';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

export type OrderKey = Columns<Tables['reservation'], { storeId: 'store_id'; orderId: 'order_id' }>;

/** The line items of an order's reservation; null when it has none. */
export async function findReservation(
  trx: Trx,
  storeId: string,
  orderId: string,
): Promise<LineItem[] | null> {
  const row = await trx
    .selectFrom('reservation')
    .select('lines')
    .where('store_id', '=', storeId)
    .where('order_id', '=', orderId)
    .executeTakeFirst();
  return row?.lines ?? null;
}

const insert = prepare(
  'reservation-insert',
  `insert into reservation (store_id, order_id, lines, expires_at)
   select $1, $2, $3, $4 where clock_timestamp() < $4::timestamptz`,
);

/** False: it would have expired already. */
export async function insertReservation(
  trx: Trx,
  storeId: string,
  orderId: string,
  lines: readonly LineItem[],
  expiresAt: string,
): Promise<boolean> {
  const { numAffectedRows } = await trx.executeQuery(
    insert([storeId, orderId, JSON.stringify(lines), expiresAt]),
  );
  return numAffectedRows === 1n;
}

/**
 * Longer than any statement runs (15 s): when a reservation is settled, nobody can still be about to make it, and
 * so none is made twice.
 */
const settledAfterSeconds = 20;

const expired = prepare<OrderKey>(
  'reservation-expired',
  `select store_id as "storeId", order_id as "orderId" from reservation
   where expires_at < clock_timestamp() - make_interval(secs => ${settledAfterSeconds})
   order by expires_at limit $1`,
);

/** Reservations that expired some time ago, the oldest first. */
export async function listExpired(db: Db, limit: number): Promise<OrderKey[]> {
  const { rows } = await db.executeQuery(expired([limit]));
  return rows;
}

// What a crash takes back is only asked about again.
const placed = prepare(
  'reservation-placed',
  `delete from reservation r using unnest($1::text[], $2::text[]) as placed (store_id, order_id)
   where r.store_id = placed.store_id and r.order_id = placed.order_id and ${withoutWaitingForDisk}`,
);

/** Deletes the reservations of orders that have been placed. */
export async function deletePlaced(db: Db, orders: readonly OrderKey[]): Promise<void> {
  if (orders.length === 0) return;
  const storeIds = orders.map(({ storeId }) => storeId);
  await db.executeQuery(placed([storeIds, orders.map(({ orderId }) => orderId)]));
}

/** Deletes a reservation and gives its line items; null when somebody else has deleted it. */
export async function deleteReservation(
  trx: Trx,
  storeId: string,
  orderId: string,
): Promise<LineItem[] | null> {
  const row = await trx
    .deleteFrom('reservation')
    .where('store_id', '=', storeId)
    .where('order_id', '=', orderId)
    .returning('lines')
    .executeTakeFirst();
  return row?.lines ?? null;
}
