import type { PricedLineItem } from '@waybill/contracts';
import { prepare } from '@waybill/kernel';
import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;

/** The fields of an order that a discount depends on. */
export interface PricedOrder {
  id: string;
  /** Text, because a Date would lose the microseconds. */
  createdAt: string;
  lineItems: PricedLineItem[];
  shippingCents: number;
  totalCents: number;
}

const pricedOrders = prepare<PricedOrder>(
  'discount-priced-orders',
  `select id, created_at::text as "createdAt", line_items as "lineItems", shipping_cents as "shippingCents",
     total_cents as "totalCents"
   from "order"
   where store_id = $1 and created_at >= $2 and (created_at, id) < ($3::timestamptz, $4) and status <> 'cancelled' and currency = $5
   order by created_at desc, id desc limit $6`,
);

export interface PricedOrdersQuery {
  since: Date;
  currency: string;
  /** The last order of the previous page. */
  before: PricedOrder | null;
  limit: number;
}

/** Returns a page of a store's orders, newest first. */
export async function listPricedOrders(
  db: Db,
  storeId: string,
  { since, currency, before, limit }: PricedOrdersQuery,
): Promise<PricedOrder[]> {
  const [instant, id] = [before?.createdAt ?? 'infinity', before?.id ?? ''];
  const { rows } = await db.executeQuery(pricedOrders([storeId, since, instant, id, currency, limit]));
  return rows;
}
