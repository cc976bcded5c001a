import type { Address, PricedLineItem, Quote } from '@waybill/contracts';
import {
  type Columns,
  deleteStep,
  type Emission,
  insertEmissions,
  ofStore,
  prepare,
  searchText,
  takeByStore,
  timestamp,
  withinStore,
  withoutWaitingForDisk,
} from '@waybill/kernel';
import { type Kysely, sql, type Transaction } from 'kysely';
import { customerColumns, customerEnvelope } from '../customers/queries.ts';
import type { ReceiptProof } from '../order-tokens/queries.ts';
import { orderEnvelope, placedEnvelope } from '../orders/queries.ts';
import {
  type PricingRules,
  type RulesAsked,
  type RulesRow,
  rulesColumns,
  rulesOfStore,
  toRules,
} from '../pricing/queries.ts';
import type { Tables } from '../tables.ts';

/** What is asked for, in one form however it was written. */
export interface Checkout {
  items: { variantId: string; quantity: number }[];
  customer: { name: string; email: string; phone: string | null; shippingAddress: Address | null };
  /** Members that were not sent are not there: a body of before has the hash that it had. */
  choices?: Choices;
}

/** What was chosen besides. */
export interface Choices {
  discountCodes?: string[];
  shippingRateId?: string;
  vatId?: string;
  locale?: string;
  expectedTotalCents?: number;
  paymentMethodId?: string;
}

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

/** A row of an outer join that has found nothing. */
type AllNull<Row> = { [Name in keyof Row]: null };

// A crash of the server may take a claim back: then its order cannot be written, and the checkout starts anew.
// In the order of keys: two statements about the same ones would wait for each other.
const claim = prepare<Claim | AllNull<Claim>>(
  'checkout-claim',
  `with asked as materialized (
     select * from unnest($2::text[], $3::bytea[], $4::text[]) with ordinality asked (key, hash, order_id, place)
   ), claimed as (
     insert into checkout (store_id, idempotency_key, request_hash, order_id, expires_at)
     select $1, key, hash, order_id, clock_timestamp() + make_interval(secs => $5) from asked
     where ${withoutWaitingForDisk} order by key
     on conflict do nothing
     returning idempotency_key as key, order_id, request_hash, is_placed, expires_at
   )
   select present.order_id as "orderId", request_hash as "requestHash", is_placed as "isPlaced",
     expires_at <= clock_timestamp() as "isExpired",
     ${timestamp('expires_at', 'US')} as "expiresAt"
   from asked left join lateral (
     select order_id, request_hash, is_placed, expires_at from claimed where claimed.key = asked.key
     union all
     select order_id, request_hash, is_placed, expires_at from checkout
     where store_id = $1 and checkout_key_hash(idempotency_key) = asked.key
     limit 1
   ) present on true
   order by asked.place`,
);

/** What is asked under an idempotency key, and the id of the order that it shall be. */
export interface Asked {
  /** Its hash: `hashKey`. */
  key: string;
  requestHash: Buffer;
  orderId: string;
}

/**
 * The checkouts of idempotency keys: of each the present one, or a new one for its order id. Null: another was made this
 * very moment.
 */
export async function claimCheckouts(
  db: Db,
  storeId: string,
  asked: readonly Asked[],
  holdSeconds: number,
): Promise<(Claim | null)[]> {
  const values = [
    asked.map(({ key }) => key),
    asked.map(({ requestHash }) => requestHash),
    asked.map(({ orderId }) => orderId),
  ];
  const { rows } = await db.executeQuery(claim([storeId, ...values, holdSeconds]));
  return rows.map((row) => (row.orderId === null ? null : row));
}

type Known = { isSame: boolean } & Pick<Claim, 'isPlaced'>;
// As JSON: PostgreSQL plans a statement with arrays anew each time, by how long they are, which takes longer than the
// statement itself.
const find = prepare<RulesRow & (Known | AllNull<Known>), { storeId: string; asked: string }>(
  'checkout-find',
  ($) => `with ${rulesOfStore($)}
   select k.request_hash = decode(asked.hash, 'hex') as "isSame", k.is_placed as "isPlaced", ${rulesColumns($)}
   from rows from (json_to_recordset(${$.asked}) as (key text, hash text, codes json, email text))
     with ordinality asked (key, hash, codes, email, place)
     left join lateral (
       select request_hash, is_placed from checkout
       where store_id = ${$.storeId} and checkout_key_hash(idempotency_key) = asked.key limit 1
     ) k on true
   order by asked.place`,
);

/** Whether an idempotency key was used for this request, null: it was not used; and the rules that its cart is priced by. */
export interface Found {
  known: Known | null;
  rules: PricingRules;
}

/** Of each request what is known of its key, and the store's rules. */
export async function findCheckouts(
  db: Db,
  storeId: string,
  asked: readonly (Pick<Asked, 'key' | 'requestHash'> & RulesAsked)[],
): Promise<Found[]> {
  const { rows } = await db.executeQuery(
    find({
      storeId,
      asked: JSON.stringify(
        asked.map(({ key, requestHash, codes, email }) => ({
          key,
          hash: requestHash.toString('hex'),
          codes,
          email,
        })),
      ),
    }),
  );
  const rules = toRules(rows);
  return rows.map(({ isSame, isPlaced }, i) => ({
    known: isSame === null ? null : { isSame, isPlaced },
    rules: rules[i]!,
  }));
}

const findOrder = prepare<ReceiptProof & { json: string }>(
  'checkout-order',
  withinStore(
    '$1',
    `select o.secret, o.secret_hashes as hashes, ${placedEnvelope} as json from "order" o where o.store_id = $1 and o.id = $2`,
  ),
);

/** The order of a checkout that was placed, with its `{ order }` envelope as JSON. */
export async function findPlaced(db: Db, storeId: string, orderId: string) {
  const { rows } = await db.executeQuery(findOrder([storeId, orderId]));
  return rows[0];
}

/** Deletes a checkout unless its order was placed: the order can no longer be written. Whether it was this that did so. */
export async function abandonCheckout(db: Db, storeId: string, orderId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('checkout')
    .where('store_id', '=', storeId)
    .where('order_id', '=', orderId)
    .where('is_placed', '=', false)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
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

const placed = prepare<{ place: number }>(
  'checkout-placed',
  `select asked.place::int from unnest($1::text[], $2::text[]) with ordinality as asked (store_id, order_id, place)
   join "order" o on o.store_id = asked.store_id and o.id = asked.order_id`,
);

/** Which of these orders there are, in their order. */
export async function listPlaced(trx: Trx, keys: readonly OrderKey[]): Promise<boolean[]> {
  const { rows } = await trx.executeQuery(placed(columns(keys)));
  const places = new Set(rows.map(({ place }) => place));
  return keys.map((_, i) => places.has(i + 1));
}

/** What an order keeps of the quote that it is written by. */
export interface OrderCost
  extends Pick<
    Quote,
    | 'subtotalCents'
    | 'discountCents'
    | 'discounts'
    | 'shippingCents'
    | 'shippingTaxCents'
    | 'taxCents'
    | 'taxLines'
    | 'taxIncluded'
    | 'reverseCharge'
    | 'totalCents'
  > {
  shippingRate: { id: string; name: string } | null;
}

/** An order to be written, and its customer, who is made unless the store has one with that address. */
export interface NewOrder {
  /** The hash of its checkout's. */
  key: string;
  id: string;
  /** Of what is a part of the address at which it is seen again. */
  secretHash: Buffer;
  currency: string;
  lines: readonly PricedLineItem[];
  cost: OrderCost;
  vatId: string | null;
  locale: string | null;
  /** The customer's, if it is made. */
  customerId: string;
  customer: Checkout['customer'];
  event: Emission;
  /** Goes out if the customer is made. */
  customerEvent: Emission;
  /** Whether the store has a payment method to choose. */
  tookMethods: boolean;
  /** Whether it is to be paid at a provider. */
  paysAtProvider: boolean;
}

/** What the statement reads of it as JSON. */
function rowOf(newOrder: NewOrder) {
  const {
    lines,
    cost,
    vatId,
    locale,
    customer,
    customerId,
    event,
    customerEvent,
    secretHash,
    tookMethods,
    paysAtProvider,
    ...order
  } = newOrder;
  const { shippingAddress, ...person } = customer;
  const addresses = shippingAddress ? [shippingAddress] : [];
  return {
    ...order,
    secret_hash: secretHash.toString('hex'),
    lines,
    subtotal_cents: cost.subtotalCents,
    discount_cents: cost.discountCents,
    discounts: cost.discounts,
    shipping_cents: cost.shippingCents,
    shipping_tax_cents: cost.shippingTaxCents,
    shipping_rate: cost.shippingRate,
    tax_cents: cost.taxCents,
    tax_lines: cost.taxLines,
    tax_included: cost.taxIncluded,
    reverse_charge: cost.reverseCharge,
    total_cents: cost.totalCents,
    vat_id: vatId,
    locale,
    took_methods: tookMethods,
    pays_at_provider: paysAtProvider,
    // `decisions.md 22.3`: nothing is due of what costs nothing.
    payment: tookMethods && cost.totalCents === 0 ? 'paid' : 'pending',
    shipping_address: shippingAddress,
    search: searchText(person.name, person.email),
    customer_id: customerId,
    ...person,
    ...customerColumns(person),
    addresses,
    ...event,
    customer_event_id: customerEvent.event_id,
    customer_event_name: customerEvent.event_name,
  };
}

// What is inserted here cannot be read here: JSON takes customers from the result called `customer` as it does from the
// table. Checkouts come first, customers next, and only then the store's number, at which all take turns.
const insert = prepare<{ id: string; json: string }, { storeId: string; rows: string; now: Date }>(
  'order-insert',
  ($) =>
    withinStore(
      $.storeId,
      `with incoming as materialized (
     select * from rows from (json_to_recordset(${$.rows}) as (
       key text, id text, secret_hash text, currency text, lines json,
       subtotal_cents bigint, discount_cents bigint, discounts json, shipping_cents bigint,
       shipping_tax_cents bigint, shipping_rate json, tax_cents bigint, tax_lines json, tax_included boolean,
       reverse_charge boolean, total_cents bigint, vat_id text, locale text, took_methods boolean, payment text, pays_at_provider boolean,
       shipping_address json, search text,
       customer_id text, name text, email text, phone text, name_key text, customer_search text, addresses json,
       event_id text, event_name text, event_trace text, customer_event_id text, customer_event_name text
     )) with ordinality as i (key, id, secret_hash, currency, lines,
       subtotal_cents, discount_cents, discounts, shipping_cents,
       shipping_tax_cents, shipping_rate, tax_cents, tax_lines, tax_included, reverse_charge, total_cents, vat_id, locale, took_methods, payment, pays_at_provider,
       shipping_address, search,
       customer_id, name, email, phone, name_key, customer_search, addresses,
       event_id, event_name, event_trace, customer_event_id, customer_event_name, ordinal)
   ), marked as (
     update checkout k set is_placed = true from incoming i
     where k.store_id = ${$.storeId} and checkout_key_hash(k.idempotency_key) = i.key and k.order_id = i.id and not k.is_placed
     returning k.order_id
   ), placed as materialized (
     select i.*, row_number() over (order by i.ordinal) as turn from incoming i join marked on marked.order_id = i.id
   ), customer as (
     insert into customer as c (store_id, id, email, name, name_key, phone, tags, addresses, search, orders_count,
       created_at, updated_at)
     select ${$.storeId}, customer_id, email, name, name_key, phone, '{}', addresses, customer_search, orders,
       ${$.now}, ${$.now}
     from (
       select distinct on (email) *, count(*) over (partition by email) as orders from placed order by email, turn
     ) first
     on conflict (store_id, email) do update set orders_count = c.orders_count + excluded.orders_count
     returning *
   ), made as materialized (
     select c.*, placed.customer_event_id, placed.customer_event_name, placed.event_trace, placed.turn
     from placed join customer c on c.id = placed.customer_id
   ), total as (
     insert into store_total as t (store_id, last_order_number, customers)
     select ${$.storeId}, n.orders, n.customers
     from (select (select count(*) from placed) as orders, (select count(*) from made) as customers) n
     where n.orders > 0
     on conflict (store_id) do update
     set last_order_number = t.last_order_number + excluded.last_order_number, customers = t.customers + excluded.customers
     returning last_order_number - (select count(*) from placed) as before
   ), o as (
     insert into "order" (store_id, id, number, status, payment, fulfillment, currency, line_items,
       subtotal_cents, discount_cents, discounts, shipping_cents,
       shipping_tax_cents, shipping_rate, tax_cents, tax_lines, tax_included, reverse_charge, total_cents, vat_id, locale,
       customer_id, customer_name, customer_email, customer_phone, shipping_address, search, created_at, updated_at,
       secret_hashes, paid_cents, refunded_cents, took_methods, pays_since)
     select ${$.storeId}, placed.id, before + turn, 'open', placed.payment, 'unfulfilled', currency, lines,
       subtotal_cents, discount_cents, discounts, shipping_cents,
       shipping_tax_cents, shipping_rate, tax_cents, tax_lines, tax_included, reverse_charge, total_cents, vat_id, locale,
       c.id, placed.name, placed.email, placed.phone, shipping_address, before + turn || E'\\n' || placed.search,
       ${$.now}, ${$.now}, array[decode(secret_hash, 'hex')], 0, 0, placed.took_methods,
       case when placed.pays_at_provider then ${$.now}::timestamptz end
     from placed join customer c on c.email = placed.email cross join total
     returning *
   ), counted as (
     insert into order_count as c (store_id, status, payment, fulfillment, orders)
     select ${$.storeId}, 'open', payment, 'unfulfilled', count(*) from o group by payment order by payment
     on conflict (store_id, status, payment, fulfillment) do update set orders = c.orders + excluded.orders
   ), emitted as (
     select placed.event_id, placed.event_name, placed.event_trace, placed.turn * 2 as ordinal, o.store_id, o.id,
       ${orderEnvelope} as json
     from o join placed on placed.id = o.id
     union all
     select customer_event_id, customer_event_name, event_trace, turn * 2 - 1, c.store_id, null,
       ${customerEnvelope}
     from made c
   ), event as (${insertEmissions('emitted')})
   select id, json from emitted where id is not null`,
    ),
);

/**
 * Inserts the orders whose checkouts are there to be placed, in this order, under the store's next numbers, counted, with
 * their customers and the events that say so; and marks the checkouts placed. Gives their `{ order }` envelopes as JSON by
 * the orders' ids.
 */
export async function insertOrders(
  trx: Trx,
  storeId: string,
  orders: readonly NewOrder[],
  now: Date,
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await trx.executeQuery(insert({ storeId, rows: JSON.stringify(orders.map(rowOf)), now }));
  return new Map(rows.map(({ id, json }) => [id, json]));
}

/** Hashes up to `limit` keys that an older version has written at least so many minutes ago; whether there may be more. */
export async function hashClearKeys(db: Db, minutes: number, limit: number): Promise<boolean> {
  const isClear = sql`idempotency_key not like 'sha256:%' and created_at <= now() - make_interval(mins => ${minutes})`;
  const changed = await takeByStore<object>(db, {
    limit,
    stores: (most) => sql`select store_id as "storeId" from checkout where ${isClear} limit ${most}`,
    async take(storeId, most) {
      const { rows } = await sql<object>`
        update checkout set idempotency_key = checkout_key_hash(idempotency_key)
        where ${ofStore(storeId)} and (store_id, idempotency_key) in (
          select store_id, idempotency_key from checkout
          where ${isClear} and ${ofStore(storeId)} limit ${most} for update skip locked
        )
        returning order_id`.execute(db);
      return rows;
    },
  });
  return changed.length >= limit;
}

/** Deletes up to `limit` checkouts of before so many hours; whether there may be more. */
export const deleteOldCheckouts = (db: Db, hours: number, limit: number): Promise<boolean> =>
  deleteStep(db, 'checkout', sql`created_at < now() - make_interval(hours => ${hours})`, limit);
