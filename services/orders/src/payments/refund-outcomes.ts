import type { PaymentFailure } from '@waybill/contracts';
import type { Transaction } from 'kysely';
import { updateLockedOrder } from '../orders/orders.ts';
import { lockOrder } from '../orders/queries.ts';
import { recordPartResult, reversePart } from '../refunding/refunding.ts';
import type { Tables } from '../tables.ts';

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
  trx: Transaction<Tables>,
  storeId: string,
  { orderId, refundId, paymentId, state }: RefundOutcome,
): Promise<void> {
  const order = await lockOrder(trx, storeId, orderId);
  if (!order) return;
  const isFailed = await recordPartResult(trx, storeId, order, { refundId, paymentId, state });
  // No money has moved, but the units can be refunded again.
  if (isFailed) await updateLockedOrder(trx, storeId, order, {});
}

/** Records that a refund failed after it had succeeded, so that its units can be refunded again. */
export async function applyRefundReversal(
  trx: Transaction<Tables>,
  storeId: string,
  {
    orderId,
    ...reversal
  }: { orderId: string; paymentId: string; refundId: string | null; amountCents: number },
): Promise<void> {
  const order = await lockOrder(trx, storeId, orderId);
  if (!order) return;
  const isFailed = await reversePart(trx, storeId, order, reversal);
  if (isFailed) await updateLockedOrder(trx, storeId, order, {});
}
