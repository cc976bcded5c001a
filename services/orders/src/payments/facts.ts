import {
  createMoneyFormat,
  type EventData,
  type EventMessage,
  MailRequested,
  type PaymentFact,
  type PaymentFactRecorded,
  type PaymentFailure,
} from '@waybill/contracts';
import type { Context, Write } from '../config.ts';
import { beginStepOnce, endOpenPayments } from '../ledger/ending.ts';
import type { Ledger } from '../ledger/entries.ts';
import { hasEntry, type PaymentWithEntries } from '../ledger/queries.ts';
import { findStep, insertStep, storeStepAnswer } from '../ledger/step-queries.ts';
import type { LockedOrder } from '../orders/queries.ts';
import { createMissingRefund } from '../refunding/refunding.ts';
import { changeOrderMoney } from './change-money.ts';
import { findPaymentRow } from './chosen-payment-queries.ts';
import { applyRefundOutcome, applyRefundReversal } from './refund-outcomes.ts';

/** A provider's answer to a step. */
export interface StepAnswer {
  stepId: string;
  state: 'done' | 'failed';
  failure: PaymentFailure | null;
}

/**
 * Applies each fact once to a payment, and the answer to the step that caused the facts. Money that is no longer due
 * begins its way back in the same transaction: `decisions.md 22.4, 22.5`. Facts of an unknown payment change nothing.
 */
export async function applyFacts(
  write: Write,
  storeId: string,
  paymentId: string,
  facts: readonly PaymentFact[],
  answer: StepAnswer | null = null,
): Promise<void> {
  const found = await findPaymentRow(write.trx, storeId, paymentId);
  if (!found) return;
  await changeOrderMoney(write, storeId, found.order_id, async (ledger, order) => {
    const payment = ledger.payments.find(({ id }) => id === paymentId)!;
    for (const fact of facts) {
      const step = fact.stepId === null ? undefined : await findStep(write.trx, storeId, fact.stepId);
      if (fact.kind === 'refused') {
        const { failure } = fact;
        if (step) await settle(write, storeId, order, { stepId: step.id, state: 'failed', failure });
        continue;
      }
      const isNew = await ledger.applyFact(
        payment,
        { ...fact, kind: fact.kind },
        { isExcess: step?.reason === 'excess' },
      );
      if (isNew && isReversal(fact)) {
        await reverseRefund(write, storeId, order, { paymentId, fact, refundId: step?.refund_id ?? null });
        continue;
      }
      if (step) await settle(write, storeId, order, { stepId: step.id, state: 'done', failure: null });
      // Money that went back without a member's refund is a refund as well: `decisions.md 23.2`.
      if (isNew && fact.kind === 'refunded' && !step?.refund_id)
        await createMissingRefund(write, storeId, order, ledger, { isNews: true });
      if (isNew) await reactTo(write, storeId, { ledger, order, payment, fact });
    }
    if (answer) await settle(write, storeId, order, answer);
  });
}

/** Whether a fact says that a refund failed after it had succeeded: https://docs.stripe.com/refunds#failed-refunds */
const isReversal = ({ kind, amountCents }: PaymentFact) => kind === 'refunded' && amountCents < 0;

/**
 * Stores the answer to a step. Mails the merchant if an automatic refund failed, if an automatic refund of a cancelled
 * order succeeded, or if a manual refund failed after its request had been answered.
 */
async function settle(
  write: Write,
  storeId: string,
  order: LockedOrder,
  { stepId, state, failure }: StepAnswer,
): Promise<void> {
  const step = await storeStepAnswer(write.trx, storeId, stepId, state, failure);
  if (!step) return;
  const { order_id: orderId, payment_id: paymentId, refund_id: refundId, amount_cents: amountCents } = step;
  const isUnheard = step.reason !== null || (step.kind === 'refund' && step.is_unattended);
  if (isUnheard && state === 'failed')
    await mailMerchant(write, storeId, 'refundFailed', { order, amountCents, failure });
  if (step.reason === 'cancelled' && state === 'done')
    await mailMerchant(write, storeId, 'paymentReturned', { order, amountCents });
  if (refundId) await applyRefundOutcome(write, storeId, { orderId, paymentId, refundId, state, failure });
}

/**
 * Reverses a refund whose money is back at the merchant. Mails the merchant, because no request waits for an answer any
 * more.
 */
async function reverseRefund(
  write: Write,
  storeId: string,
  order: LockedOrder,
  { paymentId, fact, refundId }: { paymentId: string; fact: PaymentFact; refundId: string | null },
): Promise<void> {
  const amountCents = -fact.amountCents;
  await applyRefundReversal(write, storeId, { orderId: order.id, paymentId, refundId, amountCents });
  await mailMerchant(write, storeId, 'refundFailed', { order, amountCents, failure: fact.failure });
}

interface Happened {
  ledger: Ledger;
  order: LockedOrder;
  payment: PaymentWithEntries;
  fact: PaymentFact;
}

/** Starts the automatic reactions to a new fact. */
async function reactTo(write: Write, storeId: string, happened: Happened): Promise<void> {
  const { trx } = write;
  const { ledger, order, payment, fact } = happened;
  const isCancelled = order.status === 'cancelled';
  if (fact.kind === 'disputed') {
    const { amountCents } = fact;
    await mailMerchant(write, storeId, 'paymentDisputed', { order, amountCents });
  }
  if (fact.kind === 'authorized' && payment.status === 'authorized') {
    const isNeeded = !isCancelled && ledger.dueCents > 0;
    if (!isNeeded) await beginStepOnce(trx, storeId, payment, 'void', payment.amount_cents, null);
  }
  if (fact.kind === 'captured') {
    // Ends the order's other payments, so that the shopper cannot pay again in another tab.
    const others = ledger.payments.filter(({ id }) => id !== payment.id);
    if (ledger.dueCents === 0) await endOpenPayments(trx, storeId, others);
    const beyond = isCancelled ? fact.amountCents : ledger.money.paidCents - order.totalCents;
    const amountCents = Math.min(beyond, fact.amountCents);
    if (amountCents <= 0) return;
    // Each fact comes here once, so another refund that is still under way is for other money.
    await insertStep(trx, storeId, {
      paymentId: payment.id,
      orderId: order.id,
      kind: 'refund',
      amountCents,
      reason: isCancelled ? 'cancelled' : 'excess',
    });
  }
}

interface MoneyNews {
  order: Pick<LockedOrder, 'number' | 'currency'>;
  amountCents: number;
  /** The provider's reason for a failure. */
  failure?: PaymentFailure | null;
}

async function mailMerchant(
  { emit }: Write,
  storeId: string,
  template: 'paymentReturned' | 'paymentDisputed' | 'refundFailed',
  { order, amountCents, failure = null }: MoneyNews,
): Promise<void> {
  const { number, currency } = order;
  const data = {
    orderNumber: String(number),
    amount: createMoneyFormat('en', currency)(amountCents),
    amountCents: String(amountCents),
    currency,
  };
  await emit(MailRequested, storeId, {
    mail:
      template === 'refundFailed'
        ? { template, data: { ...data, reason: failure?.message ?? '' } }
        : { template, data },
    audience: { storeAdmins: storeId },
  });
}

interface StoreFact {
  storeId: string;
  fact: PaymentFact;
}

/** The number of payments of a batch that are worked on at a time. Each locks its order. */
const paymentsAtOnce = 4;

/** Applies the facts that the payments service has recorded: those of one payment in the order of their events. */
export async function onPaymentFacts(
  context: Pick<Context, 'db' | 'write' | 'wakeTask'>,
  events: readonly EventMessage[],
): Promise<void> {
  const facts = events.map(({ storeId, data }): StoreFact => {
    const { fact }: EventData<typeof PaymentFactRecorded> = JSON.parse(data);
    return { storeId, fact };
  });
  const pendingGroups = [...Map.groupBy(facts, ({ fact }) => fact.paymentId).values()];
  const work = async () => {
    for (let next = pendingGroups.shift(); next; next = pendingGroups.shift())
      for (const each of next) await follow(context, each);
  };
  const ends = await Promise.allSettled(Array.from({ length: paymentsAtOnce }, work));
  const failed = ends.find(({ status }) => status === 'rejected');
  if (failed) throw (failed as PromiseRejectedResult).reason;
  context.wakeTask('payment-steps');
}

async function follow(context: Pick<Context, 'db' | 'write'>, { storeId, fact }: StoreFact): Promise<void> {
  if (await isApplied(context.db, storeId, fact)) return;
  await context.write((write) => applyFacts(write, storeId, fact.paymentId, [fact]));
}

/** Tells whether a fact was applied before, usually by the answer to its step. Then it needs no lock. */
async function isApplied(db: Context['db'], storeId: string, fact: PaymentFact): Promise<boolean> {
  if (!(await hasEntry(db, storeId, fact))) return false;
  return fact.stepId === null || (await findStep(db, storeId, fact.stepId))?.state !== 'pending';
}
