import { prepare } from '@waybill/kernel';
import type { Kysely } from 'kysely';
import { orderJson } from '../orders/queries.ts';
import type { Tables } from '../tables.ts';
import type { SecretProof } from '../tokens/queries.ts';

type Db = Kysely<Tables>;

interface MailedRow extends SecretProof {
  ordinal: number;
  /** JSON. */
  order: string;
  isPaidAtProvider: boolean;
}

const list = prepare<MailedRow>(
  'mailed-orders',
  `select requested.ordinal::int, o.secret, o.secret_hashes as hashes, (${orderJson}) as "order",
     exists (
       select from payment where payment.store_id = o.store_id and payment.order_id = o.id
         and payment.provider <> 'manual' and payment.captured_cents > 0
     ) as "isPaidAtProvider"
   from unnest($1::text[], $2::text[]) with ordinality as requested (store_id, id, ordinal)
   join "order" o on o.store_id = requested.store_id and o.id = requested.id`,
);

/** Returns the given orders, in their order; undefined for a missing one. */
export async function listMailedOrders(
  db: Db,
  orders: readonly { storeId: string; orderId: string }[],
): Promise<(MailedRow | undefined)[]> {
  const storeIds = orders.map(({ storeId }) => storeId);
  const { rows } = await db.executeQuery(list([storeIds, orders.map(({ orderId }) => orderId)]));
  const byOrdinal = new Map(rows.map((row) => [row.ordinal, row]));
  return orders.map((_, i) => byOrdinal.get(i + 1));
}
