import type { PaymentFailure } from '@waybill/contracts';
import type { Write } from '../config.ts';
import { updateLockedOrder } from '../orders/orders.ts';
import { lockOrder } from '../orders/queries.ts';
import { recordPartResult, reversePart } from '../refunding/refunding.ts';

/** A provider's result for a part of a refund. */
export interface RefundOutcome {
  orderId: string;
  paymentId: string;
  refundId: string;
  state: 'done' | 'failed';
  /** The provider's reason for a failure. */
  failure: PaymentFailure | null;
}

/**
 * Applies a provider's answer to a step that `beginProviderRefund` began, in the transaction that writes the ledger.
 * The order is locked, and if `state` is `done`, the payment has its `refunded` entry. Called once per step.
 */
export async function applyRefundOutcome(
  write: Write,
  storeId: string,
  { orderId, refundId, paymentId, state }: RefundOutcome,
): Promise<void> {
  const order = await lockOrder(write.trx, storeId, orderId);
  if (!order) return;
  const isFailed = await recordPartResult(write.trx, storeId, order, { refundId, paymentId, state });
  // No money has moved, but the units can be refunded again.
  if (isFailed) await updateLockedOrder(write, storeId, order, {});
}

/** Records that a refund failed after it had succeeded, so that its units can be refunded again. */
export async function applyRefundReversal(
  write: Write,
  storeId: string,
  {
    orderId,
    ...reversal
  }: { orderId: string; paymentId: string; refundId: string | null; amountCents: number },
): Promise<void> {
  const order = await lockOrder(write.trx, storeId, orderId);
  if (!order) return;
  const isFailed = await reversePart(write.trx, storeId, order, reversal);
  if (isFailed) await updateLockedOrder(write, storeId, order, {});
}
