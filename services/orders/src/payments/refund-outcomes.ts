import type { PaymentFailure } from '@waybill/contracts';
import type { Transaction } from 'kysely';
import type { Tables } from '../tables.ts';

/** What a provider made of a refund's money. */
export interface RefundOutcome {
  orderId: string;
  paymentId: string;
  refundId: string;
  state: 'done' | 'failed';
  /** Of one that failed: the provider's words. */
  failure: PaymentFailure | null;
}

/**
 * Takes a provider's answer to a step that `beginProviderRefund` began, in the transaction that writes the ledger: the order
 * is locked, and the payment has its `refunded` entry if `state` is `done`. Called once for each step.
 */
export async function applyRefundOutcome(
  _trx: Transaction<Tables>,
  _storeId: string,
  _outcome: RefundOutcome,
): Promise<void> {}
