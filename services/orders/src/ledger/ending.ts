import type { Transaction } from 'kysely';
import type { Tables } from '../tables.ts';
import type { PaymentWithEntries } from './queries.ts';
import { insertStep, listPendingSteps, type StepRow } from './step-queries.ts';

type Trx = Transaction<Tables>;

/** Begins a step, unless a step of its kind is pending. */
export async function beginStepOnce(
  trx: Trx,
  storeId: string,
  payment: PaymentWithEntries,
  kind: StepRow['kind'],
  amountCents: number,
  reason: StepRow['reason'],
): Promise<void> {
  const pending = await listPendingSteps(trx, storeId, payment.id);
  if (pending.some((step) => step.kind === kind)) return;
  await insertStep(trx, storeId, {
    paymentId: payment.id,
    orderId: payment.order_id,
    kind,
    amountCents,
    reason,
  });
}

/**
 * Ends the open sessions and authorisations at providers that could still take money for an order that must not be
 * paid. The caller holds the order's lock.
 */
export async function endOpenPayments(
  trx: Trx,
  storeId: string,
  payments: readonly PaymentWithEntries[],
): Promise<void> {
  for (const payment of payments) {
    if (payment.provider === 'manual') continue;
    if (payment.status === 'pending') await beginStepOnce(trx, storeId, payment, 'end', 0, null);
    if (payment.status === 'authorized')
      await beginStepOnce(trx, storeId, payment, 'void', payment.amount_cents, null);
  }
}
