import type { LineItem } from '@waybill/contracts';
import { type Columns, deleteStep, prepare, timestamp, withoutWaitingForDisk } from '@waybill/kernel';
import { type Kysely, sql, type Transaction } from 'kysely';
import { orderEnvelope } from '../orders/queries.ts';
import type { Tables } from '../tables.ts';
import type { Checkout } from './checkouts.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

export interface Claim
  extends Columns<
    Tables['checkout'],
    { orderId: 'order_id'; requestHash: 'request_hash'; isPlaced: 'is_placed' }
  > {
  isExpired: boolean;
  /** RFC 3339. */
  expiresAt: string;
}

// A crash of the server may take a claim back: then its order cannot be written, and the checkout starts anew.
const claim = prepare<Claim>(
  'checkout-claim',
  `with claimed as (
     insert into checkout (store_id, idempotency_key, request_hash, order_id, expires_at)
     select $1, $2, $3, $4, clock_timestamp() + make_interval(secs => $5) where ${withoutWaitingForDisk}
     on conflict (store_id, idempotency_key) do nothing
     returning order_id, request_hash, is_placed, expires_at
   ), present as (
     select * from claimed
     union all
     select order_id, request_hash, is_placed, expires_at from checkout
     where store_id = $1 and idempotency_key = $2
   )
   select order_id as "orderId", request_hash as "requestHash", is_placed as "isPlaced",
     expires_at <= clock_timestamp() as "isExpired",
     ${timestamp('expires_at', 'US')} as "expiresAt"
   from present`,
);

/**
 * The checkout of an idempotency key: the present one, or a new one for this order id. Null: another was made this
 * very moment.
 */
export async function claimCheckout(
  db: Db,
  storeId: string,
  key: string,
  requestHash: Buffer,
  orderId: string,
  holdSeconds: number,
): Promise<Claim | null> {
  const { rows } = await db.executeQuery(claim([storeId, key, requestHash, orderId, holdSeconds]));
  return rows[0] ?? null;
}

const find = prepare<{ isSame: boolean } & Pick<Claim, 'isPlaced'>>(
  'checkout-find',
  `select request_hash = $3 as "isSame", is_placed as "isPlaced" from checkout
   where store_id = $1 and idempotency_key = $2`,
);

/** Whether an idempotency key was used for this request, and whether its order is placed; null: it was not used. */
export async function findCheckout(
  db: Db,
  storeId: string,
  key: string,
  requestHash: Buffer,
): Promise<{ isSame: boolean; isPlaced: boolean } | null> {
  const { rows } = await db.executeQuery(find([storeId, key, requestHash]));
  return rows[0] ?? null;
}

const findOrder = prepare<Columns<Tables['order'], { id: 'id'; secret: 'secret' }> & { json: string }>(
  'checkout-order',
  `select o.id, o.secret, ${orderEnvelope}::text as json from "order" o where o.store_id = $1 and o.id = $2`,
);

/** The order of a checkout that was placed, with its `{ order }` envelope as JSON. */
export async function findPlaced(db: Db, storeId: string, orderId: string) {
  const { rows } = await db.executeQuery(findOrder([storeId, orderId]));
  return rows[0];
}

/** Deletes a checkout unless its order was placed: the order can no longer be written. */
export async function abandonCheckout(db: Db, storeId: string, orderId: string): Promise<void> {
  await db
    .deleteFrom('checkout')
    .where('store_id', '=', storeId)
    .where('order_id', '=', orderId)
    .where('is_placed', '=', false)
    .execute();
}

type OrderKey = { storeId: string; orderId: string };
const columns = (keys: readonly OrderKey[]) => [
  keys.map(({ storeId }) => storeId),
  keys.map(({ orderId }) => orderId),
];

const abandon = prepare(
  'checkout-abandon',
  `delete from checkout c using unnest($1::text[], $2::text[]) as asked (store_id, order_id)
   where c.store_id = asked.store_id and c.order_id = asked.order_id and not c.is_placed`,
);

export async function abandonCheckouts(trx: Trx, keys: readonly OrderKey[]): Promise<void> {
  await trx.executeQuery(abandon(columns(keys)));
}

const placed = prepare<{ placed: boolean }>(
  'checkout-placed',
  `select exists (select from "order" o where o.store_id = asked.store_id and o.id = asked.order_id) as placed
   from unnest($1::text[], $2::text[]) with ordinality as asked (store_id, order_id, place)
   order by place`,
);

/** Which of these orders there are, in their order. */
export async function listPlaced(trx: Trx, keys: readonly OrderKey[]): Promise<boolean[]> {
  const { rows } = await trx.executeQuery(placed(columns(keys)));
  return rows.map((row) => row.placed);
}

const mark = prepare(
  'checkout-mark-placed',
  `update checkout set is_placed = true
   where store_id = $1 and idempotency_key = $2 and order_id = $3 and not is_placed`,
);

/** Whether the checkout was there to be placed; if so it is now. */
export async function markPlaced(trx: Trx, storeId: string, key: string, orderId: string): Promise<boolean> {
  const { numAffectedRows } = await trx.executeQuery(mark([storeId, key, orderId]));
  return numAffectedRows === 1n;
}

export interface NewOrder {
  id: string;
  /** A part of the address at which it is seen again. */
  secret: string;
  currency: string;
  lines: readonly LineItem[];
  customerId: string;
  customer: Checkout['customer'];
  /** Whether the customer was made with the order, and is to be counted too. */
  countsCustomer: boolean;
}

const insert = prepare<{ json: string }>(
  'order-insert',
  `with total as (
     insert into store_total as t (store_id, last_order_number, customers) values ($1, 1, $3::int)
     on conflict (store_id) do update
     set last_order_number = t.last_order_number + 1, customers = t.customers + excluded.customers
     returning last_order_number
   ), counted as (
     insert into order_count as c (store_id, status, payment, fulfillment, orders)
     values ($1, 'open', 'pending', 'unfulfilled', 1)
     on conflict (store_id, status, payment, fulfillment) do update set orders = c.orders + 1
   )
   insert into "order" as o (store_id, id, number, status, payment, fulfillment, currency, line_items,
     subtotal_cents, shipping_cents, tax_cents, total_cents,
     customer_id, customer_name, customer_email, customer_phone, shipping_address, search, created_at, updated_at,
     secret)
   select $1, $2, last_order_number, 'open', 'pending', 'unfulfilled', $4, $5, $6, 0, 0, $6,
     $7, $8, $9, $10, $11, last_order_number || E'\\n' || $12, $13, $13, $14
   from total
   returning ${orderEnvelope}::text as json`,
);

/** Inserts an order under the store's next number, counted. Gives its `{ order }` envelope as JSON. */
export async function insertOrder(trx: Trx, storeId: string, order: NewOrder, now: Date): Promise<string> {
  const { id, currency, lines, customerId, customer, countsCustomer, secret } = order;
  const { name, email, phone, shippingAddress } = customer;
  const { rows } = await trx.executeQuery(
    insert([
      storeId,
      id,
      countsCustomer ? 1 : 0,
      currency,
      JSON.stringify(lines),
      lines.reduce((sum, { totalCents }) => sum + totalCents, 0),
      customerId,
      name,
      email,
      phone,
      shippingAddress && JSON.stringify(shippingAddress),
      [name, email].join('\n').toLowerCase(),
      now,
      secret,
    ]),
  );
  return rows[0]!.json;
}

/** Deletes up to `limit` checkouts of before so many hours; whether there may be more. */
export const deleteOldCheckouts = (db: Db, hours: number, limit: number): Promise<boolean> =>
  deleteStep(db, 'checkout', sql`created_at < now() - make_interval(hours => ${hours})`, limit);
