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

/** How often to look for an app's answer. */
const pollMs = 100;

/** The calls of an app's endpoint by the kind of a step. An open session ends as an authorisation does. */
const callOfStep = {
  capture: 'payment.captureRequested',
  refund: 'payment.refundRequested',
  void: 'payment.voidRequested',
  end: 'payment.voidRequested',
} as const satisfies Record<Step['kind'], PaymentCallType>;

/**
 * The provider for apps. Each request is a signed call to the app's endpoint, and the app reports results on its own.
 * `decisions.md 22.6`.
 */
export class AppProvider implements PaymentProvider {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  async createSession(opened: OpenedSession): Promise<SessionAnswer> {
    const { store_id: storeId, payment_id: paymentId, amount_cents: amountCents } = opened.session;
    await this.#ask(opened, 'payment.sessionRequested', {
      id: `${paymentId}-session`,
      kind: 'session',
      amountCents,
    });
    const redirectUrl = await this.#waitFor(async () => {
      const session = await findSession(this.#context.db, storeId, paymentId);
      return session?.redirect_url ?? (session?.state === 'ended' ? '' : null);
    }, redirectMs);
    return { reference: null, redirectUrl: redirectUrl || null };
  }

  async takeStep(opened: OpenedSession, { id, kind, amountCents }: Step): Promise<StepReply> {
    const { db } = this.#context;
    const { store_id: storeId, payment_id: paymentId, amount_cents: sessionCents } = opened.session;
    const stepCents = kind === 'end' ? sessionCents : amountCents;
    await this.#ask(opened, callOfStep[kind], { id, kind, amountCents: stepCents });
    // An unpaid session ends even if the app disagrees. Money that the app reports later is refunded.
    if (kind === 'end') return { outcome: 'done', facts: [], failure: null };
    const answered = await this.#waitFor(async () => {
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

  /** An app reports on its own, so a look-up adds nothing. */
  async lookUp({ session }: OpenedSession) {
    return { facts: [], isEnded: session.state === 'ended', intent: null };
  }

  /** Sends a request to an app: its endpoint is called once per request, and again after a failure. */
  async #ask(
    { session, method }: OpenedSession,
    type: PaymentCallType,
    { id, kind, amountCents }: Pick<Step, 'id' | 'amountCents'> & { kind: Step['kind'] | 'session' },
  ): Promise<void> {
    const { store_id: storeId, payment_id: paymentId } = session;
    await this.#context.write(async ({ trx, emit }) => {
      const isNew = await insertStep(trx, storeId, { id, paymentId, kind, amountCents });
      if (!isNew) return;
      await emit(paymentCalls[type], storeId, {
        appId: method.app_id!,
        session: {
          id: session.id,
          paymentId,
          orderId: session.order_id,
          amountCents,
          currency: session.currency,
          returnUrl: session.return_url,
          isTest: session.is_test,
        },
        requestId: id,
      });
    });
  }

  /** Polls `read` until it returns a value or the time is up. Null means the latter, or that the service stops. */
  async #waitFor<Found>(read: () => Promise<Found | null>, forMs: number): Promise<Found | null> {
    const until = performance.now() + forMs;
    for (;;) {
      const found = await read();
      if (found !== null || performance.now() >= until || this.#context.stopping.aborted) return found;
      await sleep(pollMs);
    }
  }
}
