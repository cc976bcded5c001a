import type { LineFacts, LineItem } from '@waybill/contracts';
import { asyncCommit, type Columns, prepare, prepareByTopology } from '@waybill/kernel';
import type { Kysely, Transaction } from 'kysely';
import {
  lockingVariants,
  lockVariants,
  type StockMoveParameters,
  stockMoveSql,
  type VariantForSale,
} from '../stock/queries.ts';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

export type OrderKey = Columns<Tables['reservation'], { storeId: 'store_id'; orderId: 'order_id' }>;

/** The reserved line items of an order. `facts` is null if a version of the service without facts reserved them. */
export interface ReservedLines {
  lines: readonly LineItem[];
  facts: readonly LineFacts[] | null;
}

const lock = prepare<{ variants: VariantForSale[]; reserved: Record<string, ReservedLines> }>(
  'reservation-lock',
  `with locked as materialized (${lockingVariants('$1', '$2')})
   select (select coalesce(json_agg(locked), '[]') from locked) as variants, (
     select coalesce(json_object_agg(order_id, json_build_object('lines', lines, 'facts', facts)), '{}') from reservation
     where store_id = $1 and order_id = any($3::text[])
   ) as reserved`,
);

/**
 * Locks the variants that orders ask for, as `lockVariants` does, and reads the reservations that these orders already
 * have, by order.
 */
export async function lockForOrders(
  trx: Trx,
  storeId: string,
  variantIds: readonly string[],
  orderIds: readonly string[],
) {
  const { rows } = await trx.executeQuery(lock([storeId, variantIds, orderIds]));
  const { variants, reserved } = rows[0]!;
  return {
    variants: await lockVariants(trx, storeId, variantIds, variants),
    reserved: new Map(Object.entries(reserved)),
  };
}

/** A reservation to insert; `expiresAt` is RFC 3339. */
export interface NewReservation {
  orderId: string;
  expiresAt: string;
  lines: readonly LineItem[];
  facts: readonly LineFacts[];
}

type NewReservations = StockMoveParameters & {
  orderIds: string[];
  lines: string[];
  facts: string[];
  expiries: string[];
};

// A single statement, because every other request for these products waits until the transaction ends.
const insert = prepare<{ inserted: number }, NewReservations>(
  'reservation-insert',
  ($) => `with inserted as (
     insert into reservation (store_id, order_id, lines, facts, expires_at)
     select ${$.storeId}, order_id, lines, facts, expires_at
     from unnest(
       ${$.orderIds}::text[], ${$.lines}::json[], ${$.facts}::json[], ${$.expiries}::timestamptz[]
     ) as r (order_id, lines, facts, expires_at)
     where clock_timestamp() < expires_at
     on conflict do nothing
     returning order_id
   ), ${stockMoveSql($, `(select count(*) from inserted) = cardinality(${$.orderIds}::text[])`)}
   select count(*) as inserted from inserted`,
);

/**
 * Inserts reservations and takes their stock. Returns whether it did. If a reservation has expired by now, or was made
 * while this one waited, no stock moves, and the transaction must not commit.
 */
export async function insertReservations(
  trx: Trx,
  reservations: readonly NewReservation[],
  moving: StockMoveParameters,
): Promise<boolean> {
  const { rows } = await trx.executeQuery(
    insert({
      ...moving,
      orderIds: reservations.map(({ orderId }) => orderId),
      lines: reservations.map(({ lines }) => JSON.stringify(lines)),
      facts: reservations.map(({ facts }) => JSON.stringify(facts)),
      expiries: reservations.map(({ expiresAt }) => expiresAt),
    }),
  );
  return rows[0]!.inserted === reservations.length;
}

const find = prepare<Columns<Tables['reservation'], { orderId: 'order_id'; lines: 'lines'; facts: 'facts' }>>(
  'reservation-find',
  'select order_id as "orderId", lines, facts from reservation where store_id = $1 and order_id = any($2::text[])',
);

/** Finds the reservations of the given orders, by order. Omits orders without one. */
export async function findReservations(
  trx: Trx,
  storeId: string,
  orderIds: readonly string[],
): Promise<ReadonlyMap<string, ReservedLines>> {
  const { rows } = await trx.executeQuery(find([storeId, orderIds]));
  return new Map(rows.map(({ orderId, ...reserved }) => [orderId, reserved]));
}

/**
 * Exceeds the longest run time of a statement (15 s). So when a reservation is settled, no statement that would make it
 * again is still running.
 */
const settledAfterSeconds = 20;

const expired = prepare<OrderKey>(
  'reservation-expired',
  `select store_id as "storeId", order_id as "orderId" from reservation
   where expires_at < clock_timestamp() - make_interval(secs => ${settledAfterSeconds})
   order by expires_at limit $1`,
);

/** Lists reservations that expired some time ago, oldest first. */
export async function listExpired(db: Db, limit: number): Promise<OrderKey[]> {
  const { rows } = await db.executeQuery(expired([limit]));
  return rows;
}

// Losing this deletion in a crash is harmless: the service only asks again about these orders.
const placed = prepareByTopology(
  'reservation-placed',
  (
    isDistributed,
  ) => `delete from reservation r using unnest($1::text[], $2::text[]) as placed (store_id, order_id)
   where r.store_id = placed.store_id and r.order_id = placed.order_id ${isDistributed ? '' : `and ${asyncCommit}`}`,
);

/** Deletes the reservations of orders that were placed. */
export async function deleteReservationsOfPlacedOrders(db: Db, orders: readonly OrderKey[]): Promise<void> {
  if (orders.length === 0) return;
  const storeIds = orders.map(({ storeId }) => storeId);
  await db.executeQuery(placed(db)([storeIds, orders.map(({ orderId }) => orderId)]));
}

/** Deletes a reservation and returns its line items, or null if it no longer exists. */
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
