import { createHash } from 'node:crypto';
import pg from 'pg';

/** Returns the id of a customer of the benchmark, by number. */
export const createCustomerId = (n: number): string => `cus_${n.toString(16).padStart(26, '0')}`;

/** Returns the part before the @ of that customer's e-mail address. */
export const createMailbox = (n: number): string =>
  createHash('md5').update(String(n)).digest('hex').slice(0, 12);

/** The states are mixed. Each customer has ten orders, each of the first thousand has one. */
const orders = `with n as (
    select g, 'ord_' || lpad(to_hex(g), 26, '0') as id, g % 1000 + g / 10000 * 1000 as customer,
      (array['open', 'completed', 'completed', 'completed', 'cancelled'])[g % 5 + 1] as status,
      (array['pending', 'paid', 'paid', 'paid', 'refunded', 'authorized', 'voided'])[g % 7 + 1] as payment,
      (array['unfulfilled', 'fulfilled', 'fulfilled'])[g % 3 + 1] as fulfillment
    from generate_series($2::int, $3::int) g
  )
  insert into "order" (store_id, id, number, status, payment, fulfillment, currency, line_items, subtotal_cents,
    shipping_cents, tax_cents, total_cents, customer_id, customer_name, customer_email, search, created_at, updated_at)
  select $1, id, g, status, payment, fulfillment, 'EUR',
    json_build_array(json_build_object('productId', 'prd_' || lpad(to_hex(g % 5000), 26, '0'),
      'variantId', 'var_' || lpad(to_hex(g % 9000), 26, '0'), 'sku', null, 'name', 'Article ' || md5(g::text),
      'variantName', '', 'quantity', 1, 'unitPriceCents', g % 9973, 'totalCents', g % 9973)),
    g % 9973, 0, 0, g % 9973, 'cus_' || lpad(to_hex(customer), 26, '0'), 'Shopper ' || customer,
    left(md5(customer::text), 12) || '@example.com',
    g || E'\\nshopper ' || customer || E'\\n' || left(md5(customer::text), 12) || '@example.com',
    now() - g * interval '1 second', now() - g % 1000 * interval '1 minute'
  from n`;

const customers = `insert into customer (store_id, id, email, name, name_key, tags, addresses, search, orders_count,
    total_spent_cents, created_at, updated_at)
  select store_id, customer_id, min(customer_email), min(customer_name), lower(min(customer_name)), '{}', '[]',
    lower(min(customer_name)) || E'\\n' || min(customer_email) || E'\\n',
    count(*) filter (where status <> 'cancelled'),
    coalesce(sum(total_cents) filter (where status <> 'cancelled' and payment = 'paid'), 0),
    min(created_at), min(created_at)
  from "order" where store_id = $1 and number between $2 and $3 group by store_id, customer_id
  on conflict (store_id, email) do update set orders_count = customer.orders_count + excluded.orders_count,
    total_spent_cents = customer.total_spent_cents + excluded.total_spent_cents`;

const totals = [
  `insert into order_count (store_id, status, payment, fulfillment, orders)
   select store_id, status, payment, fulfillment, count(*) from "order" where store_id = $1
   group by store_id, status, payment, fulfillment
   on conflict (store_id, status, payment, fulfillment) do update set orders = excluded.orders`,
  `insert into store_total (store_id, last_order_number, customers)
   select $1, (select max(number) from "order" where store_id = $1), (select count(*) from customer where store_id = $1)
   on conflict (store_id) do update
   set last_order_number = excluded.last_order_number, customers = excluded.customers`,
];

/** Fills a store with the orders of these numbers, and their customers: a tenth as many, from a thousand on. */
export async function seedOrders(
  databaseUrl: string,
  storeId: string,
  from: number,
  to: number,
): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  for (const statement of [orders, customers]) await client.query(statement, [storeId, from, to]);
  for (const statement of totals) await client.query(statement, [storeId]);
  await client.query('vacuum analyze "order", customer');
  await client.query('checkpoint');
  await client.end();
}
