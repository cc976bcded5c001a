import type { LineItem } from '@waybill/contracts';
import { type Columns, prepare, withoutWaitingForDisk } from '@waybill/kernel';
import type { Kysely, Transaction } from 'kysely';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

export type OrderKey = Columns<Tables['reservation'], { storeId: 'store_id'; orderId: 'order_id' }>;

const find = prepare<Columns<Tables['reservation'], { orderId: 'order_id'; lines: 'lines' }>>(
  'reservation-find',
  'select order_id as "orderId", lines from reservation where store_id = $1 and order_id = any($2::text[])',
);

/** The line items of these orders' reservations, by order: of those that have one. */
export async function listReservations(
  trx: Trx,
  storeId: string,
  orderIds: readonly string[],
): Promise<Map<string, LineItem[]>> {
  const { rows } = await trx.executeQuery(find([storeId, orderIds]));
  return new Map(rows.map(({ orderId, lines }) => [orderId, lines]));
}

/** A reservation to be made; `expiresAt` is RFC 3339. */
export interface NewReservation {
  orderId: string;
  expiresAt: string;
  lines: readonly LineItem[];
}

const insert = prepare(
  'reservation-insert',
  `insert into reservation (store_id, order_id, lines, expires_at)
   select $1, order_id, lines, expires_at
   from unnest($2::text[], $3::json[], $4::timestamptz[]) as r (order_id, lines, expires_at)
   where clock_timestamp() < expires_at`,
);

/** How many of them were made: those that would have expired already are not. */
export async function insertReservations(
  trx: Trx,
  storeId: string,
  reservations: readonly NewReservation[],
): Promise<number> {
  const { numAffectedRows } = await trx.executeQuery(
    insert([
      storeId,
      reservations.map(({ orderId }) => orderId),
      reservations.map(({ lines }) => JSON.stringify(lines)),
      reservations.map(({ expiresAt }) => expiresAt),
    ]),
  );
  return Number(numAffectedRows);
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
