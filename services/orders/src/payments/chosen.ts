import { PaymentUpdated } from '@waybill/contracts';
import { emitAll } from '@waybill/kernel';
import type { Transaction } from 'kysely';
import { toPayment } from '../ledger/entries.ts';
import type { Tables } from '../tables.ts';
import { type ChosenPayment, insertChosenPayments } from './chosen-payment-queries.ts';

/** Inserts the payments that shoppers have chosen, in the transaction that writes their orders. */
export async function insertChosen(
  trx: Transaction<Tables>,
  storeId: string,
  orders: readonly { id: string; currency: string; payment: ChosenPayment | null }[],
  now: Date,
): Promise<void> {
  const inserted = await insertChosenPayments(trx, storeId, orders, now);
  await emitAll(
    trx,
    PaymentUpdated,
    inserted.map((row) => ({ storeId, data: { payment: toPayment({ ...row, entries: [] }) } })),
  );
}
