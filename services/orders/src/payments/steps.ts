import { createHash } from 'node:crypto';
import type { PaymentFailure, StepReply, StepRequest } from '@waybill/contracts';
import type { RouteRequest } from '@waybill/kernel';
import type { Transaction } from 'kysely';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { keptCents } from '../ledger/entries.ts';
import type { PaymentWithEntries } from '../ledger/queries.ts';
import {
  claimStep,
  findStep,
  insertStep,
  leaveStep,
  listDueSteps,
  listPendingSteps,
  type StepRow,
} from '../ledger/step-queries.ts';
import type { Tables } from '../tables.ts';
import { applyFacts } from './facts.ts';

type Trx = Transaction<Tables>;

/** How long one answer of a provider is waited for: `decisions.md 22.2`. */
const answerMs = 10_000;

/** What of a payment can still be given back: what was captured, less what went back or is on its way. */
export async function refundableCents(
  trx: Trx,
  storeId: string,
  payment: PaymentWithEntries,
): Promise<number> {
  const pending = await listPendingSteps(trx, storeId, payment.id);
  const reserved = pending.reduce(
    (sum, { kind, amount_cents }) => sum + (kind === 'refund' ? amount_cents : 0),
    0,
  );
  return keptCents(payment) - reserved;
}

/**
 * Begins a refund of a payment at its provider, inside the transaction that has locked the payment's order: writes a step,
 * which reserves the amount. After the commit the caller runs `runStep(context, storeId, stepId)`, which calls the provider;
 * where that does not happen, a task does. The outcome is given to `applyRefundOutcome`, once, in the transaction that
 * writes the ledger: of an answer that comes at once before `runStep` returns.
 *
 * `requestKey` (`requestKeyOf`) names the request: whoever repeats it looks for `findStepOfRequest` first.
 * @throws invalid_state while another step of the payment has no answer, amount_exceeded
 */
export async function beginProviderRefund(
  trx: Trx,
  storeId: string,
  payment: PaymentWithEntries,
  {
    amountCents,
    refundId,
    requestKey = null,
  }: { amountCents: number; refundId: string; requestKey?: string | null },
): Promise<{ stepId: string }> {
  await refuseWhileStepping(trx, storeId, payment);
  const most = await refundableCents(trx, storeId, payment);
  if (amountCents > most) {
    throw errors.amount_exceeded({
      message: `At most ${most} can be refunded, in minor units.`,
      fields: { maximumCents: most },
    });
  }
  const step = await insertStep(trx, storeId, {
    paymentId: payment.id,
    orderId: payment.order_id,
    kind: 'refund',
    amountCents,
    refundId,
    requestKey,
  });
  return { stepId: step.id };
}

/** @throws invalid_state while a step of the payment has no answer */
export async function refuseWhileStepping(
  trx: Trx,
  storeId: string,
  payment: PaymentWithEntries,
): Promise<void> {
  const pending = await listPendingSteps(trx, storeId, payment.id);
  if (pending.length > 0)
    throw errors.invalid_state({ message: 'The provider has not answered to the step before.' });
}

/** What became of a step. */
export interface StepOutcome {
  state: StepRow['state'];
  /** Of one that failed: the provider's words. */
  failure: PaymentFailure | null;
}

/**
 * Has a step done by its provider, outside of any transaction, and writes the answer. `pending`: there is none yet, and a
 * task asks again under the same id.
 */
export async function runStep(
  context: Context,
  storeId: string,
  stepId: string,
  { onlyDue = false } = {},
): Promise<StepOutcome> {
  const { db, transaction } = context;
  const found = await findStep(db, storeId, stepId);
  if (!found) throw errors.not_found();
  const until = new Date(Date.now() + pauseMs(found.attempts));
  // What another copy has just taken is not taken twice by the task.
  const step = await claimStep(db, storeId, stepId, until, { onlyDue });
  if (!step) return outcomeOf(found);
  const reply = await askProvider(context, storeId, step);
  const answer =
    reply.outcome === 'pending'
      ? null
      : ({ stepId, state: reply.outcome === 'done' ? 'done' : 'failed', failure: reply.failure } as const);
  if (answer || reply.facts.length > 0)
    await transaction((trx) => applyFacts(trx, storeId, step.payment_id, reply.facts, answer));
  // Where the answer has come by another way meanwhile, it is given to whoever waits.
  if (!answer && (await leaveStep(db, storeId, stepId))) return { state: 'pending', failure: null };
  return outcomeOf((await findStep(db, storeId, stepId))!);
}

const outcomeOf = ({ state, failure }: StepRow): StepOutcome => ({
  state,
  failure: failure as PaymentFailure | null,
});

/** After how long a step is asked for again; longer than an answer is waited for. */
const pauseMs = (attempts: number) => Math.min(15_000 * 2 ** attempts, 600_000);

async function askProvider({ peers }: Context, storeId: string, step: StepRow): Promise<StepReply> {
  const noAnswer: StepReply = { outcome: 'pending', facts: [], failure: null };
  const request: StepRequest = {
    storeId,
    paymentId: step.payment_id,
    stepId: step.id,
    kind: step.kind,
    amountCents: step.amount_cents,
  };
  if (!peers.has('payments')) return noAnswer;
  const reply = peers.call<StepReply>('payments', 'POST', '/internal/payment-steps', request, {
    timeoutMs: answerMs,
  });
  // Whatever went wrong, the provider may have done it: only an answer settles a step.
  return (await reply.catch(() => noAnswer)) ?? noAnswer;
}

/** @throws provider_refused, with the provider's words */
export function refuseFailed({ state, failure }: StepOutcome): void {
  if (state !== 'failed') return;
  throw errors.provider_refused({
    message: failure?.message ?? 'The payment provider refuses this.',
    fields: { failure },
  });
}

/** What names a request with an Idempotency-Key among those of its store; null: it has no key. */
export function requestKeyOf({
  headers,
  principal,
  url,
}: Pick<RouteRequest, 'headers' | 'principal' | 'url'>) {
  const key = headers['idempotency-key'];
  if (typeof key !== 'string') return null;
  return createHash('sha256')
    .update(JSON.stringify([principal, url, key]))
    .digest('base64url');
}

const stepsAtOnce = 50;

/** The task that asks again for steps which have no answer. True: there may be more. */
export function stepTask(context: Context): () => Promise<boolean> {
  return async () => {
    const due = await listDueSteps(context.db, stepsAtOnce);
    await Promise.all(
      due.map(({ store_id: storeId, id }) =>
        runStep(context, storeId, id, { onlyDue: true }).catch((err: unknown) =>
          context.log.warn({ err, storeId, stepId: id }, 'a step of a payment could not be taken'),
        ),
      ),
    );
    return due.length === stepsAtOnce;
  };
}
