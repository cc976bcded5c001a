import type { Address, AnnouncedMethod, PricedLineItem, Quote } from '@waybill/contracts';
import {
  asyncCommit,
  type Columns,
  claimByStore,
  deleteBatch,
  type Emission,
  insertEmissions,
  ofStore,
  prepare,
  searchText,
  timestamp,
  withinStore,
} from '@waybill/kernel';
import { type Kysely, sql, type Transaction } from 'kysely';
import { customerColumns, customerEnvelope } from '../customers/queries.ts';
import { orderEnvelope, placedEnvelope } from '../orders/queries.ts';
import { enabledMethods } from '../payment-choices/choices.ts';
import {
  type PricingRules,
  type RulesQuery,
  type RulesRow,
  rulesColumns,
  rulesOfStore,
  toRules,
} from '../pricing/queries.ts';
import type { Tables } from '../tables.ts';
import type { SecretProof } from '../tokens/queries.ts';

/** A checkout request in normalised form. */
export interface Checkout {
  items: { variantId: string; quantity: number }[];
  customer: { name: string; email: string; phone: string | null; shippingAddress: Address | null };
  /** Omitted members stay absent, so that requests from older clients keep their hashes. */
  choices?: CheckoutChoices;
}

/** The optional choices of a checkout. */
export interface CheckoutChoices {
  discountCodes?: string[];
  shippingRateId?: string;
  vatId?: string;
  locale?: string;
  expectedTotalCents?: number;
  paymentMethodId?: string;
}

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

/** The checkout that a key has claimed. */
export interface CheckoutClaim
  extends Columns<
    Tables['checkout'],
    { orderId: 'order_id'; requestHash: 'request_hash'; isPlaced: 'is_placed' }
  > {
  isExpired: boolean;
  /** RFC 3339. */
  expiresAt: string;
}

/** A row of an outer join without a match. */
type AllNull<Row> = { [Name in keyof Row]: null };

// A crash of the server may lose a claim. Then the order cannot be written, and the checkout starts again. The
// statement claims keys in sorted order, so that two statements never deadlock.
const claim = prepare<CheckoutClaim | AllNull<CheckoutClaim>>(
  'checkout-claim',
  `with requested as materialized (
     select * from unnest($2::text[], $3::bytea[], $4::text[]) with ordinality requested (key, hash, order_id, ordinal)
   ), claimed as (
     insert into checkout (store_id, idempotency_key, request_hash, order_id, expires_at)
     select $1, key, hash, order_id, clock_timestamp() + make_interval(secs => $5) from requested
     where ${asyncCommit} order by key
     on conflict do nothing
     returning idempotency_key as key, order_id, request_hash, is_placed, expires_at
   )
   select present.order_id as "orderId", request_hash as "requestHash", is_placed as "isPlaced",
     expires_at <= clock_timestamp() as "isExpired",
     ${timestamp('expires_at', 'US')} as "expiresAt"
   from requested left join lateral (
     select order_id, request_hash, is_placed, expires_at from claimed where claimed.key = requested.key
     union all
     select order_id, request_hash, is_placed, expires_at from checkout
     where store_id = $1 and checkout_key_hash(idempotency_key) = requested.key
     limit 1
   ) present on true
   order by requested.ordinal`,
);

/** A request under an idempotency key, and the id for its order. */
export interface KeyedRequest {
  /** The stored form of the key, which is a hash. */
  key: string;
  requestHash: Buffer;
  orderId: string;
}

/**
 * Claims the checkouts of idempotency keys. Returns each key's current checkout, or a new one with the given order id.
 * Null: another request created one at this moment.
 */
export async function claimCheckouts(
  db: Db,
  storeId: string,
  requested: readonly KeyedRequest[],
  holdSeconds: number,
): Promise<(CheckoutClaim | null)[]> {
  const values = [
    requested.map(({ key }) => key),
    requested.map(({ requestHash }) => requestHash),
    requested.map(({ orderId }) => orderId),
  ];
  const { rows } = await db.executeQuery(claim([storeId, ...values, holdSeconds]));
  return rows.map((row) => (row.orderId === null ? null : row));
}

/** A checkout that the key of a request already has. `isSame`: it is a repetition of that request. */
type Known = { isSame: boolean } & Pick<CheckoutClaim, 'isPlaced'>;
// The parameters are JSON, because PostgreSQL plans a statement with arrays again for each array length, and that takes
// longer than the statement itself. The limit is never reached. With one that it does not know, the planner expects ten
// rows instead of a hundred. While tables grow, the plan for any store looks dearer than those of the first runs, and
// PostgreSQL plans the statement again until their average has caught up, which takes longer with a hundred rows.
const find = prepare<
  RulesRow & { methods: AnnouncedMethod[] | null } & (Known | AllNull<Known>),
  { storeId: string; requested: string }
>(
  'checkout-find',
  ($) => `with ${rulesOfStore($)}
   select k.request_hash = decode(requested.hash, 'hex') as "isSame", k.is_placed as "isPlaced", ${rulesColumns($)},
     case when requested.ordinal = 1 then (${enabledMethods($.storeId)}) end as methods
   from (
     select * from rows from (json_to_recordset(${$.requested}) as (key text, hash text, codes json, email text))
       with ordinality as r (key, hash, codes, email, ordinal)
     limit (select 1000)
   ) requested
     left join lateral (
       select request_hash, is_placed from checkout
       where store_id = ${$.storeId} and checkout_key_hash(idempotency_key) = requested.key limit 1
     ) k on true
   order by requested.ordinal`,
);

/**
 * The state of an idempotency key (null if it is unused), the rules that price the cart, and the store's enabled payment
 * methods.
 */
export interface CheckoutFacts {
  known: Known | null;
  rules: PricingRules;
  methods: readonly AnnouncedMethod[];
}

/** Looks up the keys of requests, the store's rules for their carts, and its payment methods, in one statement. */
export async function findCheckouts(
  db: Db,
  storeId: string,
  requested: readonly (Pick<KeyedRequest, 'key' | 'requestHash'> & RulesQuery)[],
): Promise<CheckoutFacts[]> {
  const { rows } = await db.executeQuery(
    find({
      storeId,
      requested: JSON.stringify(
        requested.map(({ key, requestHash, codes, email }) => ({
          key,
          hash: requestHash.toString('hex'),
          codes,
          email,
        })),
      ),
    }),
  );
  const rules = toRules(rows);
  const methods = rows[0]?.methods ?? [];
  return rows.map(({ isSame, isPlaced }, i) => ({
    known: isSame === null ? null : { isSame, isPlaced },
    rules: rules[i]!,
    methods,
  }));
}

const findOrder = prepare<SecretProof & { json: string }>(
  'checkout-order',
  withinStore(
    '$1',
    `select o.secret, o.secret_hashes as hashes, ${placedEnvelope} as json from "order" o where o.store_id = $1 and o.id = $2`,
  ),
);

/** Finds the order of a placed checkout, with its `{ order }` envelope as JSON. */
export async function findPlacedOrder(db: Db, storeId: string, orderId: string) {
  const { rows } = await db.executeQuery(findOrder([storeId, orderId]));
  return rows[0];
}

/**
 * Deletes a checkout unless its order was placed, so that the order can no longer be written. Returns whether it
 * deleted the checkout.
 */
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
  `delete from checkout c using unnest($1::text[], $2::text[]) as requested (store_id, order_id)
   where c.store_id = requested.store_id and c.order_id = requested.order_id and not c.is_placed`,
);

/** Deletes those of these checkouts whose orders were not placed. */
export async function abandonCheckouts(trx: Trx, keys: readonly OrderKey[]): Promise<void> {
  await trx.executeQuery(abandon(columns(keys)));
}

const placed = prepare<{ ordinal: number }>(
  'checkout-placed',
  `select requested.ordinal::int from unnest($1::text[], $2::text[]) with ordinality as requested (store_id, order_id, ordinal)
   join "order" o on o.store_id = requested.store_id and o.id = requested.order_id`,
);

/** Returns for each of the given orders whether it exists. */
export async function listPlaced(trx: Trx, keys: readonly OrderKey[]): Promise<boolean[]> {
  const { rows } = await trx.executeQuery(placed(columns(keys)));
  const ordinals = new Set(rows.map(({ ordinal }) => ordinal));
  return keys.map((_, i) => ordinals.has(i + 1));
}

/** The parts of a quote that its order stores. */
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

/** An order to write, with its customer, who is created unless the store has one with that address. */
export interface NewOrder {
  /** The hash of the checkout's key. */
  key: string;
  id: string;
  /** Hash of the secret in the order's token. */
  secretHash: Buffer;
  currency: string;
  lines: readonly PricedLineItem[];
  cost: OrderCost;
  vatId: string | null;
  locale: string | null;
  /** Id of the customer if it is created. */
  customerId: string;
  customer: Checkout['customer'];
  event: Emission;
  /** Emitted if the customer is created. */
  customerEvent: Emission;
  /** Whether the store offered payment methods. */
  hasPaymentMethods: boolean;
  /** Whether the order is paid at a provider. */
  paysAtProvider: boolean;
}

/** Returns the columns of an order as the statement reads them from JSON. */
function toOrderRow(newOrder: NewOrder) {
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
    hasPaymentMethods,
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
    took_methods: hasPaymentMethods,
    pays_at_provider: paysAtProvider,
    // An order that costs nothing is paid: `decisions.md 22.3`.
    payment: hasPaymentMethods && cost.totalCents === 0 ? 'paid' : 'pending',
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

// A statement cannot read the rows that it inserts, so the JSON takes customers from the result called `customer` as
// well as from the table. The store's number comes last, after checkouts and customers, because all orders of the store
// wait for it.
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
     -- The planner expects a hundred rows of a function, and a tenth of them with a limit that it does not know. For a
     -- hundred it would rather read all checkouts of the store than look up each of them.
     limit (select 1000)
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
   ), new_customer as materialized (
     select c.*, placed.customer_event_id, placed.customer_event_name, placed.event_trace, placed.turn
     from placed join customer c on c.id = placed.customer_id
   ), total as (
     insert into store_total as t (store_id, last_order_number, customers)
     select ${$.storeId}, n.orders, n.customers
     from (select (select count(*) from placed) as orders, (select count(*) from new_customer) as customers) n
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
     from new_customer c
   ), event as (${insertEmissions('emitted')})
   select id, json from emitted where id is not null`,
    ),
);

/**
 * Inserts the orders whose checkouts still exist, in this order, with the store's next numbers, their customers and
 * their events, counts them, and marks their checkouts as placed. Returns their `{ order }` envelopes as JSON by order
 * id.
 */
export async function insertOrders(
  trx: Trx,
  storeId: string,
  orders: readonly NewOrder[],
  now: Date,
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await trx.executeQuery(
    insert({ storeId, rows: JSON.stringify(orders.map(toOrderRow)), now }),
  );
  return new Map(rows.map(({ id, json }) => [id, json]));
}

/**
 * Hashes up to `limit` plain-text keys of older versions that are at least this many minutes old. Returns whether there
 * may be more.
 */
export async function hashClearKeys(db: Db, minutes: number, limit: number): Promise<boolean> {
  const isClear = sql`idempotency_key not like 'sha256:%' and created_at <= now() - make_interval(mins => ${minutes})`;
  const changed = await claimByStore<object>(db, {
    limit,
    stores: (maxStores) =>
      sql`select store_id as "storeId" from checkout where ${isClear} limit ${maxStores}`,
    async claim(storeId, maxRows) {
      const { rows } = await sql<object>`
        update checkout set idempotency_key = checkout_key_hash(idempotency_key)
        where ${ofStore(storeId)} and (store_id, idempotency_key) in (
          select store_id, idempotency_key from checkout
          where ${isClear} and ${ofStore(storeId)} limit ${maxRows} for update skip locked
        )
        returning order_id`.execute(db);
      return rows;
    },
  });
  return changed.length >= limit;
}

/** Deletes up to `limit` checkouts that are older than this many hours. Returns whether there may be more. */
export const deleteOldCheckouts = (db: Db, hours: number, limit: number): Promise<boolean> =>
  deleteBatch(db, 'checkout', sql`created_at < now() - make_interval(hours => ${hours})`, limit);
