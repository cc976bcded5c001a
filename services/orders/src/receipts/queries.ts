import { bare, encodedOrNull, jsonObject, prepare } from '@waybill/kernel';
import type { Kysely } from 'kysely';
import { receiptJson } from '../orders/queries.ts';
import type { Tables } from '../tables.ts';
import type { SecretProof } from '../tokens/queries.ts';

type Db = Kysely<Tables>;

const find = prepare<SecretProof & { json: string }>(
  'receipt-find',
  `select o.secret, o.secret_hashes as hashes, ${jsonObject({ order: bare(receiptJson) })} as json
   from "order" o where o.store_id = $1 and o.id = $2 and (o.secret is not null or o.secret_hashes is not null)`,
);

const findAddressed = prepare<SecretProof & { json: string }>(
  'receipt-find-addressed',
  `select o.secret, o.secret_hashes as hashes, ${jsonObject({ order: bare(receiptJson), shippingAddress: encodedOrNull('o.shipping_address') })} as json
   from "order" o where o.store_id = $1 and o.id = $2 and (o.secret is not null or o.secret_hashes is not null)`,
);

/**
 * Returns the JSON that the customer of an order sees, and the proof that its secret must match. Pages of the store
 * also show the address.
 */
export async function findReceipt(
  db: Db,
  storeId: string,
  orderId: string,
  { withAddress = false } = {},
): Promise<(SecretProof & { json: string }) | undefined> {
  const statement = withAddress ? findAddressed : find;
  return (await db.executeQuery(statement([storeId, orderId]))).rows[0];
}

const listMailed = prepare<MailedRow & { ordinal: number }>(
  'receipt-list-mailed',
  `select requested.ordinal::int, o.id, o.secret, o.secret_hashes as hashes, (${receiptJson})::json as receipt, o.customer_name as name,
     o.customer_email as email
   from unnest($1::text[], $2::text[]) with ordinality as requested (store_id, id, ordinal)
   join "order" o on o.store_id = requested.store_id and o.id = requested.id`,
);

/** The data of an order for mails; the customer's name and address are empty after an erasure. */
interface MailedRow extends SecretProof {
  id: string;
  receipt: object;
  name: string;
  email: string;
}

/** Returns the data of the given orders for mails, in their order; undefined for a missing one. */
export async function listMailedReceipts(
  db: Db,
  orders: readonly { storeId: string; orderId: string }[],
): Promise<(MailedRow | undefined)[]> {
  const storeIds = orders.map(({ storeId }) => storeId);
  const { rows } = await db.executeQuery(listMailed([storeIds, orders.map(({ orderId }) => orderId)]));
  const byOrdinal = new Map(rows.map((row) => [row.ordinal, row]));
  return orders.map((_, i) => byOrdinal.get(i + 1));
}
