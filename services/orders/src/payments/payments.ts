import type { Payment } from '@waybill/contracts';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { type Ledger, toPayment } from '../ledger/entries.ts';
import {
  findPayment,
  isWithoutLedger,
  listWithoutLedger,
  type PaymentWithEntries,
} from '../ledger/queries.ts';
import { openLedger } from '../orders/orders.ts';
import { lockOrder, type Trx } from '../orders/queries.ts';
import { changeMoney } from './change-money.ts';
import type { PaymentInput } from './routes.ts';

type Transaction = Context['transaction'];

/** @throws not_found */
async function changePaymentOf(
  trx: Trx,
  storeId: string,
  orderId: string,
  change: (ledger: Ledger) => Promise<PaymentWithEntries>,
): Promise<Payment> {
  const payment = await changeMoney(trx, storeId, orderId, change);
  if (!payment) throw errors.not_found();
  return toPayment(payment);
}

/**
 * Records money that came another way: by default all that is due. `decisions.md 22.2`.
 * @throws not_found, invalid_state where nothing is due, amount_exceeded
 */
export function recordPayment(
  transaction: Transaction,
  storeId: string,
  orderId: string,
  { amountCents, reference }: PaymentInput,
): Promise<Payment> {
  return transaction((trx) =>
    changePaymentOf(trx, storeId, orderId, async (ledger) => {
      const due = ledger.dueCents;
      if (due === 0) throw errors.invalid_state({ message: 'Nothing is due of this order.' });
      if (amountCents !== undefined && amountCents > due) throw exceeded(due);
      const amount = amountCents ?? due;
      const payment = await ledger.add({ amountCents: amount, reference: reference ?? null });
      await ledger.record(payment, { kind: 'captured', amountCents: amount, reference: reference ?? null });
      return payment;
    }),
  );
}

/**
 * Says that the money of a pending manual payment came: by default what is due of it.
 * @throws not_found, invalid_state, amount_exceeded
 */
export function capturePayment(
  transaction: Transaction,
  storeId: string,
  id: string,
  amountCents: number | undefined,
): Promise<Payment> {
  return changePayment(transaction, storeId, id, async (ledger, payment) => {
    const due = Math.min(ledger.dueCents, payment.amount_cents);
    if (payment.status !== 'pending') {
      throw errors.invalid_state({ message: `This payment is ${payment.status}: nothing can be captured.` });
    }
    if (due === 0) throw errors.invalid_state({ message: 'Nothing is due of this payment.' });
    if (amountCents !== undefined && amountCents > due) throw exceeded(due);
    await ledger.record(payment, { kind: 'captured', amountCents: amountCents ?? due });
  });
}

/**
 * Ends a payment of which nothing was taken.
 * @throws not_found, invalid_state
 */
export function voidPayment(transaction: Transaction, storeId: string, id: string): Promise<Payment> {
  return changePayment(transaction, storeId, id, async (ledger, payment) => {
    const isOpen = payment.status === 'pending' && payment.amount_cents > 0;
    if (!isOpen) {
      throw errors.invalid_state({ message: `This payment is ${payment.status}: it cannot be voided.` });
    }
    await ledger.record(payment, { kind: 'voided', amountCents: payment.amount_cents });
  });
}

function changePayment(
  transaction: Transaction,
  storeId: string,
  id: string,
  change: (ledger: Ledger, payment: PaymentWithEntries) => Promise<void>,
): Promise<Payment> {
  return transaction(async (trx) => {
    const found = await findPayment(trx, storeId, id);
    if (!found) throw errors.not_found();
    return changePaymentOf(trx, storeId, found.order_id, async (ledger) => {
      // As it is under the order's lock.
      const payment = ledger.payments.find((each) => each.id === id)!;
      await change(ledger, payment);
      return payment;
    });
  });
}

const exceeded = (most: number): Error =>
  errors.amount_exceeded({
    message: `At most ${most} are due, in minor units.`,
    fields: { maximumCents: most },
  });

/**
 * Makes the entries of an order from before the ledger, where it has none yet, so that they can be read.
 * @throws not_found
 */
export async function ensureLedger(
  { db, transaction }: Context,
  storeId: string,
  orderId: string,
): Promise<void> {
  const isWithout = await isWithoutLedger(db, storeId, orderId);
  if (isWithout === null) throw errors.not_found();
  if (!isWithout) return;
  await transaction(async (trx) => {
    const locked = await lockOrder(trx, storeId, orderId);
    if (locked) await openLedger(trx, storeId, locked);
  });
}

const atOnce = 200;

/** The task that makes the entries of all orders from before the ledger, some at a turn. True: there may be more. */
export function ledgerTask(context: Context): () => Promise<boolean> {
  let after: { storeId: string; orderId: string } | null = null;
  return async () => {
    const orders = await listWithoutLedger(context.db, after, atOnce);
    for (const { storeId, orderId } of orders) await ensureLedger(context, storeId, orderId);
    after = orders.at(-1) ?? null;
    return orders.length === atOnce;
  };
}
