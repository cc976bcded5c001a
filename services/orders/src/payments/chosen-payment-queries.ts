import type { AnnouncedMethod } from '@waybill/contracts';
import type { Kysely, Transaction } from 'kysely';
import type { PaymentRow } from '../ledger/queries.ts';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

/** A payment that a shopper has chosen. */
export interface ChosenPayment {
  id: string;
  method: AnnouncedMethod;
  amountCents: number;
  /** URL of the shopper's page of the order, without its token. */
  returnUrl: string;
}

/** Inserts the payments of orders. */
export async function insertChosenPayments(
  trx: Trx,
  storeId: string,
  orders: readonly { id: string; currency: string; payment: ChosenPayment | null }[],
  now: Date,
): Promise<PaymentRow[]> {
  const rows = orders.flatMap(({ id, currency, payment }) =>
    payment === null
      ? []
      : [
          {
            store_id: storeId,
            id: payment.id,
            order_id: id,
            method_id: payment.method.id,
            provider: payment.method.provider,
            method_name: payment.method.name,
            is_test: payment.method.isTest,
            amount_cents: payment.amountCents,
            currency,
            return_url: payment.returnUrl,
            created_at: now,
            updated_at: now,
          },
        ],
  );
  if (rows.length === 0) return [];
  return trx.insertInto('payment').values(rows).returningAll().execute();
}

/** Finds the last payment that a shopper has chosen for an order; undefined if there is none. */
export function findLastChosenPayment(
  db: Db,
  storeId: string,
  orderId: string,
): Promise<PaymentRow | undefined> {
  return db
    .selectFrom('payment')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('order_id', '=', orderId)
    .where('method_id', 'is not', null)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Finds the facts of an order that a session at a provider needs. */
export function findOrderFacts(db: Db, storeId: string, orderId: string) {
  return db
    .selectFrom('order')
    .select(['number', 'locale', 'status', 'secret', 'secret_hashes as hashes'])
    .where('store_id', '=', storeId)
    .where('id', '=', orderId)
    .executeTakeFirst();
}

/** Stores the page on which a shopper pays. This changes nothing that events report. */
export async function setRedirectUrl(db: Db, storeId: string, id: string, url: string): Promise<void> {
  await db
    .updateTable('payment')
    .set({ redirect_url: url })
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .execute();
}

/** Returns the country that an order is sent to; null if its address, or the order, has none. */
export async function findShippingCountry(db: Db, storeId: string, orderId: string): Promise<string | null> {
  const row = await db
    .selectFrom('order')
    .select('shipping_address')
    .where('store_id', '=', storeId)
    .where('id', '=', orderId)
    .executeTakeFirst();
  return row?.shipping_address?.country || null;
}

/** Stores since when an order is being paid at a provider; null: it is not. */
export async function setPayingSince(
  trx: Trx,
  storeId: string,
  orderId: string,
  since: Date | null,
): Promise<void> {
  await trx
    .updateTable('order')
    .set({ pays_since: since })
    .where('store_id', '=', storeId)
    .where('id', '=', orderId)
    .execute();
}

/** Finds a payment. */
export function findPaymentRow(db: Db, storeId: string, id: string): Promise<PaymentRow | undefined> {
  return db
    .selectFrom('payment')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .executeTakeFirst();
}
