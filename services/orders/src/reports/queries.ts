import { type Columns, prepare, timestamp } from '@waybill/kernel';
import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';
import type { PaymentsReport, Sales, TopProducts } from './routes.ts';

type Db = Kysely<Tables>;

/** `from` is included, `to` is not. */
export interface Period {
  from: Date;
  to: Date;
}

/**
 * Returns SQL that limits a total in minor units to the largest number that JSON carries unchanged, which no store
 * reaches.
 */
const cents = (sum: string) => `least(${sum}, ${Number.MAX_SAFE_INTEGER})::bigint`;

/**
 * Intervals begin at their first instant in the time zone. If clocks go back over midnight, that is the first of the
 * two midnights; a day that a time zone skips is no interval. The orders of each interval are a range of one index, and
 * so is the money that moved in it for any order. Orders older than the ledger have no entries yet, so their money
 * counts when they last changed.
 */
const sales = prepare<Sales['sales'][number]>(
  'report-sales',
  `with local as (
     select day at time zone $5 as instant, day from generate_series(
       date_trunc($4, $2::timestamptz at time zone $5), ($3::timestamptz at time zone $5) + interval '1 day',
       ('1 ' || $4)::interval
     ) day limit $7 + 1
   ), instants as (
     select distinct case when (instant - interval '1 hour') at time zone $5 = day then instant - interval '1 hour'
       else instant end as start from local
   ), starts as (
     select start, lead(start, 1, $3) over (order by start) as next from instants where start < $3 limit $7
   ), older as materialized (
     select updated_at as at, payment, total_cents from "order"
     where store_id = $1 and paid_cents is null and currency = $6
       and payment in ('paid', 'partially_refunded', 'refunded') and updated_at >= $2 and updated_at < $3
   )
   select ${timestamp('start')} as start, sold.orders, sold."totalCents",
     ${cents('moved.paid + before.paid')} as "paidCents",
     ${cents('moved.refunded + before.refunded')} as "refundedCents"
   from starts cross join lateral (
     select count(*) as orders, ${cents('coalesce(sum(total_cents), 0)')} as "totalCents"
     from "order"
     where store_id = $1 and status <> 'cancelled' and currency = $6
       and created_at >= greatest(start, $2) and created_at < least(next, $3)
   ) sold cross join lateral (
     select coalesce(sum(case when kind = 'captured' then amount_cents when is_excess then -amount_cents end), 0) as paid,
       coalesce(sum(amount_cents) filter (where kind = 'refunded' and not is_excess), 0) as refunded
     from payment_entry
     where store_id = $1 and kind in ('captured', 'refunded') and coalesce(currency, $6) = $6
       and at >= greatest(start, $2) and at < least(next, $3)
   ) moved cross join lateral (
     select coalesce(sum(total_cents), 0) as paid,
       coalesce(sum(total_cents) filter (where payment = 'refunded'), 0) as refunded
     from older where at >= start and at < next
   ) before
   order by starts.start`,
);

/** Returns a store's orders in one currency by interval, for the first `limit` intervals. */
export async function listSales(
  db: Db,
  storeId: string,
  query: Period & { currency: string; interval: string; timeZone: string; limit: number },
): Promise<Sales['sales']> {
  const { from, to, interval, timeZone, currency, limit } = query;
  const { rows } = await db.executeQuery(sales([storeId, from, to, interval, timeZone, currency, limit]));
  return rows;
}

const topProducts = prepare<
  TopProducts['products'][number] & Columns<Tables['sale_line'], { productId: 'product_id' }>
>(
  'report-top-products',
  `with sold as (
     select product_id, sum(quantity)::bigint as quantity, sum(total_cents) as total_cents,
       max(number) as last
     from sale_line
     where store_id = $1 and created_at >= $2 and created_at < $3 and currency = $4
     group by product_id order by total_cents desc, product_id limit $5
   )
   select product_id as "productId", quantity, ${cents('total_cents')} as "totalCents", (
     select line->>'name' from "order" o cross join json_array_elements(o.line_items) line
     where o.store_id = $1 and o.number = sold.last and line->>'productId' = product_id limit 1
   ) as name
   from sold order by total_cents desc, product_id`,
);

/** Returns the products of a store's orders in one currency, by revenue. */
export async function listTopProducts(
  db: Db,
  storeId: string,
  { from, to, currency, limit }: Period & { currency: string; limit: number },
): Promise<TopProducts['products']> {
  const { rows } = await db.executeQuery(topProducts([storeId, from, to, currency, limit]));
  return rows;
}

/**
 * The amounts that moved by each method and day of the time zone; days begin as in sales. Days without movement are
 * left out, and so are manual methods without any.
 */
const paymentsByDay = prepare<PaymentsReport['payments'][number]>(
  'report-payments',
  `with moved as (
     select date_trunc('day', e.at at time zone $4) as day, p.method_id, p.method_name, p.created_at, e.kind, e.amount_cents
     from payment_entry e join payment p on p.store_id = e.store_id and p.id = e.payment_id
     where e.store_id = $1 and p.store_id = $1 and e.at >= $2 and e.at < $3 and p.currency = $5
       and e.kind in ('captured', 'refunded', 'disputed')
   ), sums as (
     select day, day at time zone $4 as instant, method_id, (array_agg(method_name order by created_at desc))[1] as name,
       sum(amount_cents) filter (where kind = 'captured') as captured,
       sum(amount_cents) filter (where kind = 'refunded') as refunded,
       sum(amount_cents) filter (where kind = 'disputed') as disputed
     from moved group by day, method_id
   )
   select ${timestamp(`case when (instant - interval '1 hour') at time zone $4 = day then instant - interval '1 hour'
       else instant end`)} as start, method_id as "methodId", name,
     ${cents('coalesce(captured, 0)')} as "capturedCents", ${cents('coalesce(refunded, 0)')} as "refundedCents",
     ${cents('coalesce(disputed, 0)')} as "disputedCents"
   from sums order by day, method_id`,
);

/** Returns the captured, refunded and disputed amounts of a store's payments in one currency. */
export async function listPaymentsByDay(
  db: Db,
  storeId: string,
  { from, to, timeZone, currency }: Period & { timeZone: string; currency: string },
): Promise<PaymentsReport['payments']> {
  const { rows } = await db.executeQuery(paymentsByDay([storeId, from, to, timeZone, currency]));
  return rows;
}
