import {
  createMoneyFormat,
  type EventData,
  type EventMessage,
  MailRequested,
  type PaymentFact,
  type PaymentFactRecorded,
  type PaymentFailure,
} from '@waybill/contracts';
import { emit } from '@waybill/kernel';
import type { Transaction } from 'kysely';
import type { Context } from '../config.ts';
import { beginEnding, beginOnce } from '../ledger/ending.ts';
import type { Ledger } from '../ledger/entries.ts';
import { findPayment, type PaymentWithEntries } from '../ledger/queries.ts';
import { findStep, settleStep } from '../ledger/step-queries.ts';
import type { LockedOrder } from '../orders/queries.ts';
import type { Tables } from '../tables.ts';
import { changeMoney } from './change-money.ts';
import { applyRefundOutcome } from './refund-outcomes.ts';

type Trx = Transaction<Tables>;

/** A provider's answer to a step. */
export interface StepAnswer {
  stepId: string;
  state: 'done' | 'failed';
  failure: PaymentFailure | null;
}

/**
 * Applies facts to a payment, each once, and the answer to the step that they come of. What of the money is not due any
 * more begins its way back in the same transaction: `decisions.md 22.4, 22.5`. Facts of an unknown payment change nothing.
 */
export async function applyFacts(
  trx: Trx,
  storeId: string,
  paymentId: string,
  facts: readonly PaymentFact[],
  answer: StepAnswer | null = null,
): Promise<void> {
  const found = await findPayment(trx, storeId, paymentId);
  if (!found) return;
  await changeMoney(trx, storeId, found.order_id, async (ledger, order) => {
    const payment = ledger.payments.find(({ id }) => id === paymentId)!;
    for (const fact of facts) {
      const step = fact.stepId === null ? undefined : await findStep(trx, storeId, fact.stepId);
      if (fact.kind === 'refused') {
        const { failure } = fact;
        if (step) await settle(trx, storeId, { stepId: step.id, state: 'failed', failure });
        continue;
      }
      const isNew = await ledger.applyFact(
        payment,
        { ...fact, kind: fact.kind },
        { isExcess: step?.reason === 'excess' },
      );
      if (step) await settle(trx, storeId, { stepId: step.id, state: 'done', failure: null });
      if (isNew) await reactTo(trx, storeId, { ledger, order, payment, fact });
    }
    if (answer) await settle(trx, storeId, answer);
  });
}

async function settle(trx: Trx, storeId: string, { stepId, state, failure }: StepAnswer): Promise<void> {
  const step = await settleStep(trx, storeId, stepId, state, failure);
  if (!step?.refund_id) return;
  const { order_id: orderId, payment_id: paymentId, refund_id: refundId } = step;
  await applyRefundOutcome(trx, storeId, { orderId, paymentId, refundId, state, failure });
}

interface Happened {
  ledger: Ledger;
  order: LockedOrder;
  payment: PaymentWithEntries;
  fact: PaymentFact;
}

/** Begins what follows from a new fact without anybody asking for it. */
async function reactTo(trx: Trx, storeId: string, happened: Happened): Promise<void> {
  const { ledger, order, payment, fact } = happened;
  const isCancelled = order.status === 'cancelled';
  if (fact.kind === 'disputed') await mailMerchant(trx, storeId, 'paymentDisputed', happened);
  if (fact.kind === 'authorized' && payment.status === 'authorized') {
    const isNeeded = !isCancelled && ledger.dueCents > 0;
    if (!isNeeded) await beginOnce(trx, storeId, payment, 'void', payment.amount_cents, null);
  }
  if (fact.kind === 'captured') {
    // Whoever has paid is not to pay once more in another tab.
    const others = ledger.payments.filter(({ id }) => id !== payment.id);
    if (ledger.dueCents === 0) await beginEnding(trx, storeId, others);
    const beyond = isCancelled ? fact.amountCents : ledger.money.paidCents - order.totalCents;
    const amountCents = Math.min(beyond, fact.amountCents);
    if (amountCents <= 0) return;
    const reason = isCancelled ? 'cancelled' : 'excess';
    await beginOnce(trx, storeId, payment, 'refund', amountCents, reason);
    if (isCancelled) await mailMerchant(trx, storeId, 'paymentReturned', happened);
  }
}

async function mailMerchant(
  trx: Trx,
  storeId: string,
  template: 'paymentReturned' | 'paymentDisputed',
  { order, fact }: Happened,
): Promise<void> {
  const amount = createMoneyFormat('en', order.currency)(fact.amountCents);
  await emit(trx, MailRequested, storeId, {
    mail: { template, data: { orderNumber: String(order.number), amount } },
    audience: { storeAdmins: storeId },
  });
}

/** Applies what the payments service has recorded. */
export async function followFacts(
  { transaction, wake }: Pick<Context, 'transaction' | 'wake'>,
  events: readonly EventMessage[],
): Promise<void> {
  for (const { storeId, data } of events) {
    const { fact }: EventData<typeof PaymentFactRecorded> = JSON.parse(data);
    await transaction((trx) => applyFacts(trx, storeId, fact.paymentId, [fact]));
  }
  wake('payment-steps');
}
