import type { CustomFieldValues, Order, PricedLineItem } from '@waybill/contracts';
import { customFieldsJson, publicFieldsJson } from '@waybill/custom-fields';
import {
  bare,
  changedAt,
  createStoreIndexCheck,
  defineSearch,
  encoded,
  encodedOrNull,
  type JsonValue,
  jsonObject,
  type ListItem,
  type ListRead,
  type ListStatement,
  mergedLimit,
  type OfStore,
  orderBy,
  type Placeholders,
  parseInstant,
  parsePage,
  prepare,
  quoted,
  rangesAfter,
  readItems,
  readMatches,
  type SearchIndex,
  type SortKey,
  sortedBy,
  splitWords,
  timestamp,
  trigramShares,
  withinStore,
} from '@waybill/kernel';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { UnitsByVariant, UnitUse } from '../dispatch/units.ts';
import type { Tables } from '../tables.ts';
import type { ListQuery } from './routes.ts';

export type OrderStates = Pick<Order, 'status' | 'payment' | 'fulfillment'>;

/** The fields of an order that can change. */
export interface OrderFields extends OrderStates {
  paymentUrl: string | null;
}

type Db = Kysely<Tables>;
export type Trx = Transaction<Tables>;

/** The captured and refunded totals of all payments of an order. */
export interface OrderSums {
  paidCents: number;
  refundedCents: number;
}

type Members = Readonly<Record<string, JsonValue>>;

/** SQL of the tax and discount fields that items of older orders lack. */
const nothingMore = `case when o.tax_lines is null
  then ',"options":{},"discountCents":0,"taxCents":0,"taxPercent":null' else '' end`;
const selectUnits = (use: UnitUse) => `coalesce(o.units -> (line ->> 'variantId') ->> '${use}', '0')`;
// The first and last states determine the number of sent units, even if an older copy of this service has set them.
const fulfilledQuantity = `case o.fulfillment when 'fulfilled' then line ->> 'quantity' when 'unfulfilled' then '0'
  else ${selectUnits('fulfilled')} end`;
const lineItems = `(
    select '[' || coalesce(string_agg(
      left(line::text, -1) || ${nothingMore} || ',"fulfilledQuantity":' || ${fulfilledQuantity} ||
        ',"refundedQuantity":' || ${selectUnits('refunded')} || '}', ',' order by ordinal), '') || ']'
    from json_array_elements(o.line_items) with ordinality item (line, ordinal)
  )`;
// Orders older than the ledger derive the totals from their state, until their entries exist.
const paidCents = `coalesce(o.paid_cents, case
  when o.payment in ('paid', 'partially_refunded', 'refunded') then o.total_cents else 0 end)`;
const refundedCents = `coalesce(o.refunded_cents, case when o.payment = 'refunded' then o.total_cents else 0 end)`;

const shared: Members = {
  number: bare('o.number'),
  status: quoted('o.status'),
  payment: quoted('o.payment'),
  fulfillment: quoted('o.fulfillment'),
  currency: quoted('o.currency'),
  lineItems: bare(lineItems),
  subtotalCents: bare('o.subtotal_cents'),
  discountCents: bare('o.discount_cents'),
  discounts: bare('o.discounts'),
  shippingCents: bare('o.shipping_cents'),
  shippingTaxCents: bare('o.shipping_tax_cents'),
  shippingRate: encodedOrNull('o.shipping_rate'),
  taxCents: bare('o.tax_cents'),
  taxLines: bare(`coalesce(o.tax_lines, '[]')`),
  taxIncluded: encoded('o.tax_included'),
  reverseCharge: encoded('o.reverse_charge'),
  totalCents: bare('o.total_cents'),
  locale: encodedOrNull('o.locale'),
  paidCents: bare(paidCents),
  refundedCents: bare(refundedCents),
  dueCents: bare(
    `case when o.status = 'cancelled' then 0 else greatest(o.total_cents - ${paidCents}, 0) end`,
  ),
  createdAt: quoted(timestamp('o.created_at')),
};

/** SQL of an object with these members, and with the payment link if the order has one. */
const withPayment = (members: Members) => `case when o.payment_url is null then ${jsonObject(members)}
  else ${jsonObject({ ...members, paymentUrl: encoded('o.payment_url') })} end`;

/**
 * Returns the SQL of the public JSON of an `"order"` row `o`. PostgreSQL makes the JSON, and the service sends it
 * unchanged.
 */
const orderJsonWith = (customFields: string) =>
  withPayment({
    id: quoted('o.id'),
    ...shared,
    customerId: encodedOrNull(
      '(select c.id from customer c where c.store_id = o.store_id and c.id = o.customer_id)',
    ),
    customer: bare(
      jsonObject({
        name: encoded('o.customer_name'),
        email: encoded('o.customer_email'),
        phone: encodedOrNull('o.customer_phone'),
        shippingAddress: encodedOrNull('o.shipping_address'),
      }),
    ),
    vatId: encodedOrNull('o.vat_id'),
    customFields: bare(customFields),
    updatedAt: quoted(timestamp('o.updated_at')),
  });
export const orderJson = orderJsonWith(customFieldsJson('o'));

/** SQL of the same JSON without the customer. */
export const receiptJson = withPayment(shared);

/** SQL of the `{ order }` envelope for shoppers, who see only public custom fields. */
export const placedEnvelope = jsonObject({ order: bare(orderJsonWith(publicFieldsJson('o'))) });

/** SQL of the `{ order }` envelope of an `"order"` row `o`. */
export const orderEnvelope = jsonObject({ order: bare(orderJson) });

const findEnvelope = prepare<{ json: string }>(
  'order-find',
  withinStore(
    '$1',
    `select ${orderEnvelope} as json
   from "order" o where o.store_id = $1 and o.id = $2`,
  ),
);

/** Returns the `{ order }` envelope as JSON, or null if the store has no such order. */
export async function findOrderEnvelope(db: Db, storeId: string, id: string): Promise<string | null> {
  const { rows } = await db.executeQuery(findEnvelope([storeId, id]));
  return rows[0]?.json ?? null;
}

const sortKeys: Readonly<Record<ListQuery['sort'], Omit<SortKey, 'dir'>>> = {
  number: { column: 'number', type: 'bigint' },
  created: { column: 'created_at', type: 'timestamptz' },
  updated: { column: 'updated_at', type: 'timestamptz' },
  total: { column: 'total_cents', type: 'bigint' },
};

/** Filters of a list by state; null accepts any value. */
interface Filtered extends OfStore {
  status: string | null;
  payment: string | null;
  fulfillment: string | null;
}

/** Filters by state and by the period of placing; each end may be infinite. */
interface Placed extends Filtered {
  since: Date | '-infinity';
  until: Date | 'infinity';
}

const stateFilter = ($: Placeholders<Filtered>) => `and status = coalesce(${$.status}::text, status)
  and payment = coalesce(${$.payment}::text, payment)
  and fulfillment = coalesce(${$.fulfillment}::text, fulfillment)`;

const placedFilter = ($: Placeholders<Placed>) =>
  `and o.created_at >= ${$.since}::timestamptz and o.created_at < ${$.until}::timestamptz`;

const listed: ListItem = { name: 'order', table: '"order"', alias: 'o', json: () => orderJson };

const readShares = trigramShares('order_trigrams');
const index: SearchIndex = {
  startsFromStore: createStoreIndexCheck(
    'order',
    ($) => `select sum(orders) from order_count where store_id = ${$.storeId}`,
  ),
  readShares,
};

/** Returns the words of a search. People write the number 1001 as `#1001` or `# 1001`: `decisions.md 19.2`. */
const readWords = (q: string | undefined) =>
  splitWords(q)
    .filter((word, i, words) => !(word === '#' && /^\d+$/.test(words[i + 1] ?? '')))
    .map((word) => word.replace(/^#(?=\d+$)/, ''));

/**
 * Returns a page of the store's orders, and their total number.
 * @throws invalid_cursor
 */
export async function listOrders(db: Db, storeId: string, query: ListQuery): Promise<ListRead> {
  const { sort, dir, status = null, payment = null, fulfillment = null, customerId } = query;
  const page = parsePage('orders', [storeId], query, sortedBy(sortKeys, query, 'number'));
  const [since, until] = [parseInstant(query.since ?? ''), parseInstant(query.until ?? '')];
  const isPlaced = since !== null || until !== null;
  const values = { storeId, status, payment, fulfillment };
  const placed: Placed = { ...values, since: since ?? '-infinity', until: until ?? 'infinity' };
  const words = readWords(query.q);
  if (customerId || words.length > 0) {
    const kind = `${customerId ? 'customer-' : ''}${isPlaced ? 'placed-' : ''}${sort}-${dir}`;
    const ofCustomer = (
      $: Placeholders<OfStore & { customerId: string }>,
    ) => `and customer_id = ${$.customerId}
      and exists (select from customer where store_id = ${$.storeId} and id = ${$.customerId})`;
    return readMatches<Placed & { customerId: string }>(db, listed, page, {
      kind,
      words,
      index: customerId ? { readShares } : index,
      values: { ...placed, customerId: customerId ?? '' },
      filter: ($) =>
        `${customerId ? ofCustomer($) : ''} ${isPlaced ? placedFilter($) : ''} ${stateFilter($)}`,
    });
  }
  const { column } = sortKeys[sort];
  if (isPlaced) {
    return readItems(db, listed, page, {
      kind: `placed-${sort}-${dir}`,
      values: placed,
      // A list by time reads the period as a range of the index of times; other lists sort all orders of the period.
      rows: sort === 'created' ? rowsOfStates(column, placedFilter) : rowsOfPeriod(column),
      total: ($) => `(select count(*) ${ordersOfPeriod($, 'id')})`,
    });
  }
  // A list of all orders by number has its own index.
  const isWhole = sort === 'number' && !status && !payment && !fulfillment;
  return readItems(db, listed, page, {
    kind: `${sort}-${dir}${isWhole ? '-whole' : ''}`,
    values,
    ...(!isWhole && { rows: rowsOfStates(column) }),
    total: ($) => `(select coalesce(sum(orders), 0) ${combinations($)})::bigint`,
  });
}

const combinations = ($: Placeholders<Filtered>) =>
  `from order_count where store_id = ${$.storeId} and orders > 0 ${stateFilter($)}`;

/** SQL of the orders of the period, as ranges of one index per combination of states. */
const ordersOfPeriod = ($: Placeholders<Placed>, columns: string) => `
  from (select status, payment, fulfillment ${combinations($)}) c
  cross join lateral (
    select ${columns} from "order" o
    where o.store_id = ${$.storeId} and o.status = c.status and o.payment = c.payment
      and o.fulfillment = c.fulfillment ${placedFilter($)}
  ) placed`;

const rowsOfPeriod =
  (column: string): NonNullable<ListStatement<Placed>['rows']> =>
  ($, { page, after, limits }) =>
    `select placed.id, placed.${column} ${ordersOfPeriod($, `id, ${column}`)}
     where ${rangesAfter(page.order, after)[0]} ${orderBy(page.order)} ${limits}`;

/**
 * SQL that merges index ranges: for each combination of states that the store has and the filters accept, the beginning
 * of an index or the part after a position. The total comes from the same counters.
 */
const rowsOfStates =
  <Values extends Filtered>(
    column: string,
    filter: ($: Placeholders<Values>) => string = () => '',
  ): NonNullable<ListStatement<Values>['rows']> =>
  ($, { page, after, limits }) =>
    `
    select beginning.id, beginning.${column}
    from (select status, payment, fulfillment ${combinations($)}) c
    cross join lateral (
      select id, ${column} from "order" o
      where o.store_id = ${$.storeId} and o.status = c.status and o.payment = c.payment
        and o.fulfillment = c.fulfillment and ${rangesAfter(page.order, after)[0]} ${filter($)}
      ${orderBy(page.order)} ${mergedLimit(page)}
    ) beginning
    ${orderBy(page.order)} ${limits}`;

/** Finds orders for the search over everything. */
export const searchOrders = defineSearch({
  type: 'order',
  table: '"order"',
  text: 't.search',
  title: "'#' || t.number",
  subtitle: 't.customer_name',
  exact: ({ q }) => `t.number = case when ${q} ~ '^[0-9]{1,15}$' then ${q}::bigint end`,
  index,
  readWords,
});

export interface LockedOrder extends OrderFields {
  id: string;
  number: number;
  currency: string;
  /** Null: the order is older than the ledger. */
  paidCents: number | null;
  refundedCents: number | null;
  hasPaymentMethods: boolean;
  /** When the shopper began the last payment at a provider; null: never. */
  paysSince: Date | null;
  updatedAt: Date;
  customerId: string;
  totalCents: number;
  lineItems: PricedLineItem[];
  units: UnitsByVariant;
  shippingCents: number;
  shippingTaxCents: number;
  taxCents: number;
  taxIncluded: boolean;
  createdAt: Date;
}

/**
 * Reads the fields of an order that its changes need, and locks it until the transaction ends. Returns null if the
 * store has no such order.
 */
export async function lockOrder(trx: Trx, storeId: string, id: string): Promise<LockedOrder | null> {
  const row = await trx
    .selectFrom('order')
    .select(['id', 'number', 'status', 'payment', 'fulfillment', 'currency'])
    .select(['paid_cents as paidCents', 'refunded_cents as refundedCents'])
    .select(['took_methods as hasPaymentMethods', 'created_at as createdAt', 'updated_at as updatedAt'])
    .select(['customer_id as customerId', 'total_cents as totalCents', 'line_items as lineItems'])
    .select(['shipping_cents as shippingCents', 'shipping_tax_cents as shippingTaxCents'])
    .select(['tax_cents as taxCents', 'tax_included as taxIncluded'])
    .select(['payment_url as paymentUrl', 'units', 'pays_since as paysSince'])
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  return row ? { ...row, units: row.units ?? {} } : null;
}

/** Stores an order's state, payment link and totals of payments. */
export async function updateOrder(
  trx: Trx,
  storeId: string,
  id: string,
  { status, payment, fulfillment, paymentUrl }: OrderFields,
  { paidCents, refundedCents }: OrderSums,
  now: Date,
): Promise<void> {
  await trx
    .updateTable('order')
    .set({
      status,
      payment,
      fulfillment,
      payment_url: paymentUrl,
      paid_cents: paidCents,
      refunded_cents: refundedCents,
      updated_at: changedAt(now),
    })
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .execute();
}

/** Moves an order from the count of one combination of states to that of another. */
export async function countOrder(
  trx: Trx,
  storeId: string,
  from: OrderStates,
  to: OrderStates,
): Promise<void> {
  if (createKey(from) === createKey(to)) return;
  const changes = [
    { ...from, by: -1 },
    { ...to, by: 1 },
  ];
  // A fixed order of locks prevents deadlocks between two changes.
  changes.sort((a, b) => (createKey(a) < createKey(b) ? -1 : 1));
  await trx
    .insertInto('order_count')
    .values(
      changes.map(({ status, payment, fulfillment, by }) => ({
        store_id: storeId,
        status,
        payment,
        fulfillment,
        orders: by,
      })),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['store_id', 'status', 'payment', 'fulfillment'])
        .doUpdateSet({ orders: sql`order_count.orders + excluded.orders` }),
    )
    .execute();
}

const createKey = ({ status, payment, fulfillment }: OrderStates) => `${status} ${payment} ${fulfillment}`;

/**
 * Reads an order's number and custom-field values, and locks it until the transaction ends. Returns null if the store
 * has no such order.
 */
export async function lockOrderFields(trx: Trx, storeId: string, id: string) {
  const row = await trx
    .selectFrom('order')
    .select(['number', 'custom_fields as customFields'])
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  return row ?? null;
}

/** Stores the custom-field values of an order. */
export async function updateOrderFields(
  trx: Trx,
  storeId: string,
  id: string,
  values: CustomFieldValues,
  now: Date,
): Promise<void> {
  await trx
    .updateTable('order')
    .set({ custom_fields: sql`${JSON.stringify(values)}::jsonb`, updated_at: changedAt(now) })
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .execute();
}
