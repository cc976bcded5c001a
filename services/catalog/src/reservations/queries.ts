import type { LineItem, Product } from '@waybill/contracts';
import { prepare, withoutWaitingForDisk } from '@waybill/kernel';
import type { Kysely, Transaction } from 'kysely';
import { productJson } from '../products/queries.ts';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

export interface Item {
  variantId: string;
  quantity: number;
}

export interface OrderKey {
  storeId: string;
  orderId: string;
}

/** A variant and what of its product an order keeps. */
export interface VariantForSale {
  id: string;
  productId: string;
  status: Product['status'];
  sku: string | null;
  name: string;
  variantName: string;
  priceCents: number;
  stock: number;
}

const lockProducts = prepare(
  'reservation-lock-products',
  `select id from product
   where store_id = $1 and id in (select product_id from variant where store_id = $1 and id = any($2::text[]))
   order by id for update`,
);

/** Locks the products that these variants belong to until the transaction ends, in the order of their ids. */
export async function lockProductsOf(
  trx: Trx,
  storeId: string,
  variantIds: readonly string[],
): Promise<void> {
  await trx.executeQuery(lockProducts([storeId, variantIds]));
}

const variantsForSale = prepare<VariantForSale>(
  'reservation-variants',
  `select v.id, p.id as "productId", p.status, v.sku, p.name, v.name as "variantName",
     v.price_cents as "priceCents", v.stock
   from variant v join product p on p.store_id = v.store_id and p.id = v.product_id
   where v.store_id = $1 and v.id = any($2::text[])`,
);

export async function listVariants(
  trx: Trx,
  storeId: string,
  variantIds: readonly string[],
): Promise<VariantForSale[]> {
  const { rows } = await trx.executeQuery(variantsForSale([storeId, variantIds]));
  return rows;
}

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

const move = prepare<{ id: string }>(
  'reservation-move-stock',
  `with moved as (
     update variant v set stock = v.stock + item.quantity * $4::int
     from unnest($2::text[], $3::bigint[]) as item (id, quantity)
     where v.store_id = $1 and v.id = item.id
     returning v.product_id, item.quantity * $4::int as by
   )
   update product p set total_stock = p.total_stock + total.by, updated_at = greatest($5, updated_at + interval '1 millisecond')
   from (select product_id, sum(by) as by from moved group by product_id) total
   where p.store_id = $1 and p.id = total.product_id
   returning p.id`,
);

const envelopes = prepare<{ json: string }>(
  'reservation-envelopes',
  `select json_build_object('product', ${productJson})::text as json
   from product p where p.store_id = $1 and p.id = any($2::text[]) order by p.id`,
);

/**
 * Moves the stock of variants and the total of their products; those that are not there (any more) are passed
 * over. Gives the `{ product }` envelope of each product that changed, as JSON.
 */
export async function moveStock(
  trx: Trx,
  storeId: string,
  items: readonly Item[],
  direction: 1 | -1,
  now: Date,
): Promise<string[]> {
  const variantIds = items.map(({ variantId }) => variantId);
  const quantities = items.map(({ quantity }) => quantity);
  const moved = await trx.executeQuery(move([storeId, variantIds, quantities, direction, now]));
  const productIds = moved.rows.map(({ id }) => id);
  if (productIds.length === 0) return [];
  const { rows } = await trx.executeQuery(envelopes([storeId, productIds]));
  return rows.map(({ json }) => json);
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
