import type { Write } from '../config.ts';
import type { Ledger } from '../ledger/entries.ts';
import { changeLockedOrder, openLedger } from '../orders/orders.ts';
import { type LockedOrder, lockOrder } from '../orders/queries.ts';

/**
 * Locks an order and changes its money, with all states and totals that depend on it. Returns undefined if the order
 * does not exist.
 */
export async function changeOrderMoney<Result>(
  write: Write,
  storeId: string,
  orderId: string,
  change: (ledger: Ledger, order: LockedOrder) => Promise<Result>,
): Promise<Result | undefined> {
  const order = await lockOrder(write.trx, storeId, orderId);
  if (!order) return undefined;
  const ledger = await openLedger(write, storeId, order);
  const result = await change(ledger, order);
  const money = await ledger.close();
  const { status, fulfillment, paymentUrl } = order;
  const isSame =
    money.payment === order.payment &&
    money.paidCents === order.paidCents &&
    money.refundedCents === order.refundedCents;
  if (!isSame) {
    const next = { status, fulfillment, paymentUrl, payment: money.payment };
    await changeLockedOrder(write, storeId, order, next, money);
  }
  return result;
}
