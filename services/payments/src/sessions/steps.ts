import type { PaymentFailure, StepReply, StepRequest } from '@waybill/contracts';
import type { Context } from '../config.ts';
import { dropOrphanedReversals, recordFacts } from '../facts/facts.ts';
import { canCallProviders } from '../hold/hold.ts';
import { isDecided } from '../lookups/lookups.ts';
import { nextLookUp } from '../lookups/schedule.ts';
import { providerCalls } from '../metrics.ts';
import { ProviderTimeout } from '../providers/port.ts';
import type { Providers } from '../providers/providers.ts';
import { listFacts } from '../records/fact-queries.ts';
import { findSessionWithMethod, updateSession } from '../records/session-queries.ts';
import { failSession } from './sessions.ts';

const endedFailure: PaymentFailure = { code: 'ended', message: 'The payment was given up.' };
const notYet: StepReply = { outcome: 'pending', facts: [], failure: null };

/**
 * Lets a provider take a step and records the result. Repeated requests of orders for the same step have no further
 * effect.
 */
export async function executeStep(
  context: Context,
  providers: Providers,
  { storeId, paymentId, stepId, kind, amountCents }: StepRequest,
): Promise<StepReply> {
  const { db, config } = context;
  const opened = await findSessionWithMethod(db, storeId, paymentId);
  if (!opened) {
    // Orders begins a session after its payment. A session that never began needs no end, and has nothing to refund.
    return kind === 'end'
      ? endUnopened(paymentId, stepId)
      : refuse('This payment never began at the provider.');
  }
  const { provider } = opened.session;
  // From now on, no new payment is accepted, even if the provider refuses.
  if (kind === 'end') {
    await updateSession(db, storeId, paymentId, { state: 'ended', redirect_url: null });
    if (opened.session.reference === null && provider === 'stripe') {
      await failSession(context, opened, endedFailure);
      return answerWithFacts(context, storeId, paymentId, stepId);
    }
  }
  if (!(await canCallProviders(context))) return notYet;
  const now = new Date();
  await updateSession(db, storeId, paymentId, {
    started_at: now,
    next_lookup_at: nextLookUp(config.lookUpDelays, now, now),
  });
  const reply = await providers[provider]
    .takeStep(opened, { id: stepId, kind, amountCents })
    .catch((error: unknown) => {
      if (!(error instanceof ProviderTimeout)) throw error;
      return notYet;
    });
  providerCalls.inc({ provider, call: kind, outcome: reply.outcome });
  if (kind === 'end' && provider === 'app') {
    // Whatever the app says, nobody can pay in the session any more. Money that the app reports later is refunded.
    await failSession(context, opened, endedFailure);
    return answerWithFacts(context, storeId, paymentId, stepId);
  }
  await recordFacts(context, storeId, reply.facts, async ({ trx }) => {
    if (reply.outcome === 'done' && isDecided(reply.facts.map((fact) => fact.kind)))
      await updateSession(trx, storeId, paymentId, { next_lookup_at: null });
  });
  return { ...reply, facts: await dropOrphanedReversals(db, storeId, reply.facts) };
}

async function answerWithFacts(
  { db }: Pick<Context, 'db'>,
  storeId: string,
  paymentId: string,
  stepId: string,
): Promise<StepReply> {
  const facts = await listFacts(db, storeId, paymentId);
  return {
    outcome: 'done',
    failure: null,
    facts: facts.map(({ kind, reference, amount_cents, at, method, failure }) => ({
      paymentId,
      kind: kind as StepReply['facts'][number]['kind'],
      reference,
      amountCents: amount_cents,
      at: at.toISOString(),
      method,
      failure: failure as StepReply['facts'][number]['failure'],
      stepId: kind === 'failed' ? stepId : null,
    })),
  };
}

function endUnopened(paymentId: string, stepId: string): StepReply {
  const fact = {
    paymentId,
    kind: 'failed' as const,
    amountCents: 0,
    reference: stepId,
    at: new Date().toISOString(),
    method: null,
    failure: endedFailure,
    stepId,
  };
  return { outcome: 'done', facts: [fact], failure: null };
}

const refuse = (message: string): StepReply => ({
  outcome: 'refused',
  facts: [],
  failure: { code: 'unknown_payment', message },
});
