import { bare, encodedOrNull, jsonObject, prepare } from '@waybill/kernel';
import type { Kysely } from 'kysely';
import { receiptJson } from '../orders/queries.ts';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;

const find = prepare<{ secret: string; json: string }>(
  'receipt-find',
  `select o.secret, ${jsonObject({ order: bare(receiptJson) })} as json
   from "order" o where o.store_id = $1 and o.id = $2 and o.secret is not null`,
);

const findAddressed = prepare<{ secret: string; json: string }>(
  'receipt-find-addressed',
  `select o.secret, ${jsonObject({ order: bare(receiptJson), shippingAddress: encodedOrNull('o.shipping_address') })} as json
   from "order" o where o.store_id = $1 and o.id = $2 and o.secret is not null`,
);

/** What the customer of an order is shown, as JSON, and the secret that it takes; with the address where pages show it. */
export async function findReceipt(
  db: Db,
  storeId: string,
  orderId: string,
  { withAddress = false } = {},
): Promise<{ secret: string; json: string } | undefined> {
  const statement = withAddress ? findAddressed : find;
  return (await db.executeQuery(statement([storeId, orderId]))).rows[0];
}

const findMailed = prepare<{ secret: string | null; receipt: object; name: string; email: string }>(
  'receipt-find-mailed',
  `select o.secret, (${receiptJson})::json as receipt, o.customer_name as name, o.customer_email as email
   from "order" o where o.store_id = $1 and o.id = $2`,
);

/** What mails tell of an order; the customer's name and address are empty once they were erased. */
export async function findMailedReceipt(db: Db, storeId: string, orderId: string) {
  return (await db.executeQuery(findMailed([storeId, orderId]))).rows[0];
}
