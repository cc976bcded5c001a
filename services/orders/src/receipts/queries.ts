import { prepare } from '@waybill/kernel';
import type { Kysely } from 'kysely';
import { receiptJson } from '../orders/queries.ts';
import type { Tables } from '../tables.ts';

const find = prepare<{ secret: string; json: string }>(
  'receipt-find',
  `select o.secret, json_build_object('order', ${receiptJson})::text as json
   from "order" o where o.store_id = $1 and o.id = $2 and o.secret is not null`,
);

/** What the customer of an order is shown, as JSON, and the secret that it takes. */
export async function findReceipt(
  db: Kysely<Tables>,
  storeId: string,
  orderId: string,
): Promise<{ secret: string; json: string } | undefined> {
  const { rows } = await db.executeQuery(find([storeId, orderId]));
  return rows[0];
}
