import type { LineItem } from '@waybill/contracts';
import {
  changedAt,
  defineSearch,
  matchesFrom,
  mergedLimit,
  nextPosition,
  type Order,
  orderBy,
  type Page,
  type Position,
  pageOf,
  pageOfRows,
  pageStatement,
  positionValues,
  prepare,
  rangesAfter,
  type SortKey,
  storeInIndex,
  timestamp,
  wordsOf,
} from '@waybill/kernel';
import { type Kysely, sql, type Transaction } from 'kysely';
import { patternsOf } from '../patterns.ts';
import type { Tables } from '../tables.ts';
import type { OrderStates } from './orders.ts';
import type { ListQuery } from './routes.ts';

type Db = Kysely<Tables>;
export type Trx = Transaction<Tables>;

/** The public shape of a row `o` of "order". PostgreSQL makes the JSON, and it is sent on as it comes. */
const orderJson = `json_build_object(
  'id', o.id, 'number', o.number, 'status', o.status, 'payment', o.payment, 'fulfillment', o.fulfillment,
  'currency', o.currency, 'lineItems', o.line_items, 'subtotalCents', o.subtotal_cents,
  'shippingCents', o.shipping_cents, 'taxCents', o.tax_cents, 'totalCents', o.total_cents,
  'customerId', (select c.id from customer c where c.store_id = o.store_id and c.id = o.customer_id),
  'customer', json_build_object('name', o.customer_name, 'email', o.customer_email, 'phone', o.customer_phone,
    'shippingAddress', o.shipping_address),
  'createdAt', ${timestamp('o.created_at')}, 'updatedAt', ${timestamp('o.updated_at')}
)`;

/** The `{ order }` envelope of a row `o` of "order". */
export const orderEnvelope = `json_build_object('order', ${orderJson})`;

const findEnvelope = prepare<{ json: string }>(
  'order-find',
  `select ${orderEnvelope}::text as json
   from "order" o where o.store_id = $1 and o.id = $2`,
);

/** The `{ order }` envelope as JSON, null when the store has no such order. */
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

/** Numbers are unique; ties of everything else are broken by the id. */
const orderOf = ({ sort, dir }: ListQuery): Order => [
  { ...sortKeys[sort], dir },
  ...(sort === 'number' ? [] : [{ column: 'id', type: 'text', dir } as const]),
];

/** The filters by state, as the parameters from the second on; null lets every value in. */
const stateFilter = `and status = coalesce($2::text, status) and payment = coalesce($3::text, payment)
  and fulfillment = coalesce($4::text, fulfillment)`;
const statesOf = ({ status, payment, fulfillment }: ListQuery) => [
  status ?? null,
  payment ?? null,
  fulfillment ?? null,
];

/** A page of a list, its orders as JSON with commas between. */
interface OrderPage {
  items: string;
  total: number;
  next: Position | null;
}

/** The list for the ids of `shown`, in its order; each order is looked up by its key. */
const listed = (total: string, page: Page) => `
  select coalesce((
    select string_agg(item, ',') from (
      select (select ${orderJson}::text from "order" o where o.store_id = $1 and o.id = shown.id) as item
      from shown order by place
    ) items
  ), '') as items, ${total}::bigint as total, ${nextPosition(page)}`;

/**
 * A page of the store's orders, and how many there are.
 * @throws invalid_cursor
 */
export async function listOrders(db: Db, storeId: string, query: ListQuery) {
  const page = pageOf('orders', [storeId], query, orderOf(query));
  const words = wordsOf(query.q);
  const statement =
    words.length > 0 || query.customerId
      ? matchStatement(storeId, query, page, words, query.customerId ? '' : await inIndex(db, storeId))
      : listStatement(storeId, query, page);
  const { next, ...list } = (await db.executeQuery(statement)).rows[0]!;
  return { ...list, nextCursor: page.cursorAt(next) };
}

/**
 * A list by states alone: of each combination of states that the store has and the filters let in, the beginning of
 * an index, or what comes after a position there, and all these merged. The total comes from the same counters.
 */
function listStatement(storeId: string, query: ListQuery, page: Page) {
  const { sort, dir } = query;
  const states = statesOf(query);
  const { column } = sortKeys[sort];
  // By number, a list of all has an index of its own.
  const isWhole = sort === 'number' && states.every((state) => state === null);
  const combinations = `from order_count where store_id = $1 and orders > 0 ${stateFilter}`;
  // No order is without any of these values.
  const [after] = rangesAfter(page.order, page.after, 5);
  return pageStatement<OrderPage>(`order-list-${sort}-${dir}${isWhole ? '-whole' : ''}`, page, (limits) => {
    const rows = isWhole
      ? `select id, number from "order" where store_id = $1 and ${after} ${orderBy(page.order)} ${limits}`
      : `select beginning.id, beginning.${column}
         from (select status, payment, fulfillment ${combinations}) c
         cross join lateral (
           select id, ${column} from "order" o
           where o.store_id = $1 and o.status = c.status and o.payment = c.payment
             and o.fulfillment = c.fulfillment and ${after}
           ${orderBy(page.order)} ${mergedLimit(page)}
         ) beginning
         ${orderBy(page.order)} ${limits}`;
    return `with ${pageOfRows(rows, page)}
      ${listed(`(select coalesce(sum(orders), 0) ${combinations})`, page)}`;
  })([storeId, ...states, ...positionValues(page.after)]);
}

const inIndex = storeInIndex('order', 'select sum(orders) from order_count where store_id = $1');

/** A search, or the orders of one customer: what matches is gathered, counted and put in order. */
function matchStatement(
  storeId: string,
  query: ListQuery,
  page: Page,
  words: readonly string[],
  store: string,
) {
  const { sort, dir, customerId } = query;
  const { every, indexed } = patternsOf(words);
  const ofCustomer = customerId
    ? 'and customer_id = $6::text and exists (select from customer where store_id = $1 and id = $6)'
    : 'and $6::text is null';
  const kind = customerId ? 'customer' : 'search';
  return pageStatement<OrderPage>(
    `order-${kind}-${sort}-${dir}-${indexed.length}-${store ? 'one' : 'much'}`,
    page,
    (limits) => `with matches as materialized (
      select id, ${sortKeys[sort].column} from "order"
      where store_id = $1 ${store} ${indexed.map((_, i) => `and search like $${i + 7}`).join(' ')}
        and search like all ($5::text[]) ${ofCustomer} ${stateFilter}
    ), ${pageOfRows(matchesFrom(page, indexed.length + 7, limits), page)}
    ${listed('(select count(*) from matches)', page)}`,
  )([storeId, ...statesOf(query), every, customerId || null, ...indexed, ...positionValues(page.after)]);
}

/** Orders for the search over everything. */
export const searchOrders = defineSearch({
  type: 'order',
  table: '"order"',
  text: 't.search',
  title: "'#' || t.number",
  subtitle: 't.customer_name',
  exact: "t.number = case when $3 ~ '^#?[0-9]{1,15}$' then ltrim($3, '#')::bigint end",
  inIndex,
  patternsOf: (words) => patternsOf(words).indexed,
});

export interface LockedOrder extends OrderStates {
  number: number;
  customerId: string;
  totalCents: number;
  lineItems: LineItem[];
}

/** What a change of an order has to know, locked until the transaction ends; null when the store has none. */
export async function lockOrder(trx: Trx, storeId: string, id: string): Promise<LockedOrder | null> {
  const row = await trx
    .selectFrom('order')
    .select(['number', 'status', 'payment', 'fulfillment'])
    .select(['customer_id as customerId', 'total_cents as totalCents', 'line_items as lineItems'])
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  return row ?? null;
}

export async function updateOrderStates(
  trx: Trx,
  storeId: string,
  id: string,
  { status, payment, fulfillment }: OrderStates,
  now: Date,
): Promise<void> {
  await trx
    .updateTable('order')
    .set({ status, payment, fulfillment, updated_at: changedAt(now) })
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .execute();
}

/** Moves an order from the count of one combination of states to another's. */
export async function countOrder(
  trx: Trx,
  storeId: string,
  from: OrderStates,
  to: OrderStates,
): Promise<void> {
  const changes = [
    { ...from, by: -1 },
    { ...to, by: 1 },
  ];
  // Always in one order, so that two changes never wait for each other.
  changes.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  for (const { status, payment, fulfillment, by } of changes) {
    await trx
      .insertInto('order_count')
      .values({ store_id: storeId, status, payment, fulfillment, orders: by })
      .onConflict((conflict) =>
        conflict
          .columns(['store_id', 'status', 'payment', 'fulfillment'])
          .doUpdateSet({ orders: sql`order_count.orders + excluded.orders` }),
      )
      .execute();
  }
}

const keyOf = ({ status, payment, fulfillment }: OrderStates) => `${status} ${payment} ${fulfillment}`;
