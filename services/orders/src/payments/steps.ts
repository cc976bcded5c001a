import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, type PaymentFailure, type StepReply, type StepRequest } from '@waybill/contracts';
import type { RouteRequest } from '@waybill/kernel';
import type { Transaction } from 'kysely';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { collectedCents } from '../ledger/entries.ts';
import type { PaymentWithEntries } from '../ledger/queries.ts';
import {
  claimStep,
  findStep,
  insertStep,
  listDueSteps,
  listPendingSteps,
  markStepUnattended,
  type StepRow,
} from '../ledger/step-queries.ts';
import type { Tables } from '../tables.ts';
import { applyFacts } from './facts.ts';

type Trx = Transaction<Tables>;

/** How long to wait for a provider's answer: `decisions.md 22.2`. */
const answerMs = 10_000;

/** Returns the refundable amount of a payment: the captured amount minus completed and pending refunds. */
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
  return collectedCents(payment) - reserved;
}

/**
 * Begins a refund of a payment at its provider, in the transaction that has locked the payment's order. Writes a step,
 * which reserves the amount. After the commit the caller runs `runStep(context, storeId, stepId)`, which calls the
 * provider; otherwise a task does. The outcome is passed once to `applyRefundOutcome`, in the transaction that writes
 * the ledger; for an immediate answer, before `runStep` returns.
 *
 * `requestKey` (`createRequestKey`) identifies the request: a repeated request first looks for `findStepOfRequest`.
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
  await assertNoPendingStep(trx, storeId, payment);
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

/** A step of the payment still waits for the provider's answer, so that another one cannot begin. */
class PendingStepError extends ApiError {
  readonly pending: StepRow;

  constructor(pending: StepRow) {
    super('invalid_state', 409, 'The provider has not answered the previous step yet.');
    this.pending = pending;
  }
}

/** Refuses a second step. @throws PendingStepError, an `invalid_state`, while a step of the payment has no answer */
export async function assertNoPendingStep(
  trx: Trx,
  storeId: string,
  payment: PaymentWithEntries,
): Promise<void> {
  const [pending] = await listPendingSteps(trx, storeId, payment.id);
  if (pending) throw new PendingStepError(pending);
}

/**
 * Begins a step with `begin`. If another request still waits for the provider's answer to an earlier step of the
 * payment, waits for that answer too and tries again: of simultaneous requests, each is judged by what the others left.
 * @throws the errors of `begin`
 */
export async function beginAfterPreviousStep<Result>(
  { db }: Pick<Context, 'db'>,
  storeId: string,
  begin: () => Promise<Result>,
): Promise<Result> {
  const until = Date.now() + answerMs;
  for (;;) {
    try {
      return await begin();
    } catch (error) {
      if (!(error instanceof PendingStepError)) throw error;
      if (!(await waitForAnswer(db, storeId, error.pending.id, until))) throw error;
    }
  }
}

/** How often to look whether a step has its answer. */
const lookEveryMs = 100;

/** Waits for the answer to a step. Returns false if nobody asks the provider at the moment, or if it takes too long. */
async function waitForAnswer(db: Context['db'], storeId: string, stepId: string, until: number) {
  while (Date.now() < until) {
    const step = await findStep(db, storeId, stepId);
    if (step?.state !== 'pending') return true;
    if (step.is_unattended && !isBeingAsked(step)) return false;
    await sleep(lookEveryMs);
  }
  return false;
}

/** Whether the task may be asking the provider for a step: it is about to, or began less than `answerMs` ago. */
const isBeingAsked = ({ attempts, due_at }: StepRow): boolean =>
  attempts === 0 || Date.now() < due_at.getTime() - pauseMs(attempts - 1) + answerMs;

/** The result of a step. */
export interface StepOutcome {
  state: StepRow['state'];
  /** The provider's reason for a failure. */
  failure: PaymentFailure | null;
}

/**
 * Lets the provider take a step, outside of any transaction, and stores the answer. `pending`: the provider has not
 * answered, and a task asks again with the same id.
 */
export async function runStep(
  context: Context,
  storeId: string,
  stepId: string,
  { onlyDue = false } = {},
): Promise<StepOutcome> {
  const { db } = context;
  const found = await findStep(db, storeId, stepId);
  if (!found) throw errors.not_found();
  const until = new Date(Date.now() + pauseMs(found.attempts));
  // `onlyDue` keeps the task from taking a step that another copy has just claimed.
  const step = await claimStep(db, storeId, stepId, until, { onlyDue });
  if (!step) return toOutcome(found);
  const reply = await askProvider(context, storeId, step);
  const answer =
    reply.outcome === 'pending'
      ? null
      : ({ stepId, state: reply.outcome === 'done' ? 'done' : 'failed', failure: reply.failure } as const);
  if (answer || reply.facts.length > 0)
    await context.write((write) => applyFacts(write, storeId, step.payment_id, reply.facts, answer));
  // If the answer has arrived by another way in the meantime, it is returned.
  if (!answer && (await markStepUnattended(db, storeId, stepId))) return { state: 'pending', failure: null };
  return toOutcome((await findStep(db, storeId, stepId))!);
}

const toOutcome = ({ state, failure }: StepRow): StepOutcome => ({
  state,
  failure: failure as PaymentFailure | null,
});

/** Returns the delay before a step is tried again, which is longer than the wait for an answer. */
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
  // After any error the provider may still have taken the step, so only an answer settles it.
  return (await reply.catch(() => noAnswer)) ?? noAnswer;
}

/** Throws if the step failed. @throws provider_refused, with the provider's reason */
export function assertStepSucceeded({ state, failure }: StepOutcome): void {
  if (state !== 'failed') return;
  throw errors.provider_refused({
    message: failure?.message ?? 'The payment provider declined the request.',
    fields: { failure },
  });
}

/** Returns a key that identifies a request with an Idempotency-Key within its store; null if it has none. */
export function createRequestKey({
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

/** The task that repeats steps without an answer. It returns true if there may be more. */
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
