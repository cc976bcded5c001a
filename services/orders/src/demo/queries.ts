import { searchText } from '@waybill/kernel';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Tables } from '../tables.ts';

/** The columns of a customer, with the totals of the customer's orders. */
export interface PastCustomer {
  id: string;
  email: string;
  name: string;
  name_key: string;
  customer_search: string;
  addresses: readonly object[];
  orders_count: number;
  total_spent_cents: number;
  created_at: string;
}

/** The columns of an order, without its number. */
export interface StoredPastOrder {
  id: string;
  status: string;
  payment: string;
  fulfillment: string;
  currency: string;
  line_items: readonly object[];
  total_cents: number;
  customer_id: string;
  customer_name: string;
  customer_email: string;
  shipping_address: object;
  created_at: string;
}

/**
 * Reserves the store's numbers for orders and customers. Returns the last number before them, or null if the store has
 * orders. Concurrent checkouts wait for the same row.
 */
export async function reserveNumbers(
  trx: Transaction<Tables>,
  storeId: string,
  { orders, customers }: { orders: number; customers: number },
): Promise<number | null> {
  const { rows } = await sql<{ before: string }>`
    insert into store_total as t (store_id, last_order_number, customers)
    values (${storeId}, ${orders}, ${customers})
    on conflict (store_id) do update
    set last_order_number = excluded.last_order_number, customers = t.customers + excluded.customers
    where t.last_order_number = 0
    returning last_order_number - ${orders} as before`.execute(trx);
  return rows[0] ? Number(rows[0].before) : null;
}

/** Inserts the customers of the demo as their past orders left them. Emits nothing. */
export async function insertPastCustomers(
  trx: Transaction<Tables>,
  storeId: string,
  customers: readonly PastCustomer[],
): Promise<void> {
  await sql`
    insert into customer (store_id, id, email, name, name_key, phone, tags, addresses, search, orders_count,
      total_spent_cents, created_at, updated_at)
    select ${storeId}, id, email, name, name_key, null, '{}', addresses, customer_search, orders_count,
      total_spent_cents, created_at, created_at
    from json_to_recordset(${JSON.stringify(customers)}) as (
      id text, email text, name text, name_key text, customer_search text, addresses json, orders_count bigint,
      total_spent_cents numeric, created_at timestamptz
    )`.execute(trx);
}

/** Inserts orders with numbers from `before + 1` on, and counts them by their states. */
export async function insertPastOrders(
  trx: Transaction<Tables>,
  storeId: string,
  orders: readonly StoredPastOrder[],
  before: number,
): Promise<void> {
  const rows = orders.map((order, i) => {
    const number = before + i + 1;
    const { customer_name: name, customer_email: email } = order;
    return { ...order, number, search: `${number}\n${searchText(name, email)}` };
  });
  await sql`
    with o as (
      insert into "order" (store_id, id, number, status, payment, fulfillment, currency, line_items,
        subtotal_cents, shipping_cents, tax_cents, total_cents, customer_id, customer_name, customer_email,
        shipping_address, search, created_at, updated_at)
      select ${storeId}, id, number, status, payment, fulfillment, currency, line_items, total_cents, 0, 0,
        total_cents, customer_id, customer_name, customer_email, shipping_address, search, created_at, created_at
      from json_to_recordset(${JSON.stringify(rows)}) as (
        id text, number bigint, status text, payment text, fulfillment text, currency text, line_items json,
        total_cents bigint, customer_id text, customer_name text, customer_email text, shipping_address json,
        search text, created_at timestamptz
      )
      returning status, payment, fulfillment
    )
    insert into order_count as c (store_id, status, payment, fulfillment, orders)
    select ${storeId}, status, payment, fulfillment, count(*) from o group by 2, 3, 4
    on conflict (store_id, status, payment, fulfillment) do update set orders = c.orders + excluded.orders`.execute(
    trx,
  );
}

/** Returns which of the given addresses belong to customers of the store. */
export async function findEmails(
  db: Kysely<Tables>,
  storeId: string,
  emails: readonly string[],
): Promise<Set<string>> {
  const rows = await db
    .selectFrom('customer')
    .select('email')
    .where('store_id', '=', storeId)
    .where('email', 'in', emails)
    .execute();
  return new Set(rows.map(({ email }) => email));
}
