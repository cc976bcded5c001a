import { setTimeout as sleep } from 'node:timers/promises';
import { type PaymentCallType, type PaymentFailure, paymentCalls, type StepReply } from '@waybill/contracts';
import type { Context } from '../config.ts';
import { listFacts, toFact } from '../records/fact-queries.ts';
import { findSession, type OpenedSession } from '../records/session-queries.ts';
import { findStep, insertStep } from '../records/step-queries.ts';
import type { PaymentProvider, SessionAnswer, Step } from './port.ts';

/** How long a checkout waits for an app to return the page on which the shopper pays: `decisions.md 22.6`. */
const redirectMs = 3_000;

/** How long a step waits for an app's report, within the ten seconds of `decisions.md 22.2`. */
const reportMs = 8_500;

const pollMs = 100;

/**
 * Creates the provider for apps. Each request is a signed call to the app's endpoint, and the app reports results on
 * its own. `decisions.md 22.6`.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: its functions share the state of one closure
export function appProvider({ db, write, stopping }: Context): PaymentProvider {
  /** Sends a request to an app: its endpoint is called once per request, and again after a failure. */
  async function ask(
    { session, method }: OpenedSession,
    type: PaymentCallType,
    { requestId, amountCents }: { requestId: string; amountCents: number },
    isNew: (trx: Parameters<Parameters<Context['write']>[0]>[0]['trx']) => Promise<boolean>,
  ): Promise<void> {
    await write(async ({ trx, emit }) => {
      if (!(await isNew(trx))) return;
      await emit(paymentCalls[type], session.store_id, {
        appId: method.app_id!,
        session: {
          id: session.id,
          paymentId: session.payment_id,
          orderId: session.order_id,
          amountCents,
          currency: session.currency,
          returnUrl: session.return_url,
          isTest: session.is_test,
        },
        requestId,
      });
    });
  }

  /** Polls `read` until it returns a value or the time is up. */
  async function waitFor<Found>(read: () => Promise<Found | null>, forMs: number): Promise<Found | null> {
    const until = performance.now() + forMs;
    for (;;) {
      const found = await read();
      if (found !== null || performance.now() >= until || stopping.aborted) return found;
      await sleep(pollMs);
    }
  }

  async function createSession(opened: OpenedSession): Promise<SessionAnswer> {
    const { store_id: storeId, payment_id: paymentId, amount_cents: amountCents } = opened.session;
    const step = { id: `${paymentId}-session`, paymentId, kind: 'session' as const, amountCents };
    await ask(opened, 'payment.sessionRequested', { requestId: step.id, amountCents }, (trx) =>
      insertStep(trx, storeId, step),
    );
    const redirectUrl = await waitFor(async () => {
      const session = await findSession(db, storeId, paymentId);
      return session?.redirect_url ?? (session?.state === 'ended' ? '' : null);
    }, redirectMs);
    return { reference: null, redirectUrl: redirectUrl || null };
  }

  async function takeStep(opened: OpenedSession, step: Step): Promise<StepReply> {
    const { store_id: storeId, payment_id: paymentId } = opened.session;
    const { id, kind, amountCents } = step;
    const calls = {
      capture: 'payment.captureRequested',
      refund: 'payment.refundRequested',
      void: 'payment.voidRequested',
      end: 'payment.voidRequested',
    } as const;
    const stepCents = kind === 'end' ? opened.session.amount_cents : amountCents;
    await ask(opened, calls[kind], { requestId: id, amountCents: stepCents }, (trx) =>
      insertStep(trx, storeId, { id, paymentId, kind, amountCents: stepCents }),
    );
    // An unpaid session ends even if the app disagrees. Money that the app reports later is refunded.
    if (kind === 'end') return { outcome: 'done', facts: [], failure: null };
    const answered = await waitFor(async () => {
      const found = await findStep(db, storeId, id);
      return found && found.outcome !== 'pending' ? found : null;
    }, reportMs);
    if (!answered) return { outcome: 'pending', facts: [], failure: null };
    const failure = answered.failure as PaymentFailure | null;
    // Includes the facts that the app has reported for the step. Without them in the ledger, the amount would count as
    // still available.
    const facts = (await listFacts(db, storeId, paymentId)).filter(({ step_id: stepId }) => stepId === id);
    return { outcome: answered.outcome, facts: facts.map(toFact), failure };
  }

  return {
    createSession,
    takeStep,
    // An app reports on its own, so a look-up adds nothing.
    lookUp: async ({ session }) => ({ facts: [], isEnded: session.state === 'ended', intent: null }),
  };
}
