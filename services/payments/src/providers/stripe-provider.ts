import type { PaymentFact, PaymentFailure, StepReply } from '@waybill/contracts';
import { open } from '@waybill/outbound';
import type Stripe from 'stripe';
import type { Context } from '../config.ts';
import type { MethodRow, OpenedSession } from '../records/session-queries.ts';
import {
  type ListingProvider,
  ProviderRefusal,
  ProviderTimeout,
  type ProviderTotal,
  type SessionAnswer,
  type Step,
} from './port.ts';
import { stripeClient } from './stripe.ts';
import { fromStripeAmount, toStripeAmount } from './stripe-amounts.ts';
import { describeRefundFailure, describeRefusal, isSilence, toProviderError } from './stripe-errors.ts';
import { createFact, listFacts, stepKey, toDate } from './stripe-facts.ts';

/** Metadata keys that link Stripe's objects to their payment. */
const paymentKey = 'waybill_payment';
const storeKey = 'waybill_store';

/**
 * The languages of Stripe's page: https://docs.stripe.com/api/checkout/sessions/create#create_checkout_session-locale
 */
const locales = new Set(['de', 'en', 'es', 'fr', 'it', 'nl']);

/** Maximum number of an account's payments that one comparison reads. */
const maxListed = 10_000;

/** Maximum number of methods whose clients are kept. */
const maxClients = 200;

/** Maximum length of a product's name. */
const maxName = 250;

const inexact: PaymentFailure = {
  code: 'amount_not_supported',
  message: 'Stripe cannot take exactly this amount in this currency.',
};

/** Stripe's own API with hosted Checkout: `decisions.md 22.4`. */
export class StripeProvider implements ListingProvider {
  readonly #config: Context['config'];
  readonly #clients = new Map<string, Stripe>();

  constructor({ config }: Pick<Context, 'config'>) {
    this.#config = config;
  }

  async createSession({ session, method }: OpenedSession): Promise<SessionAnswer> {
    const amount = toStripeAmount(session.amount_cents, session.currency);
    if (amount === null) return { refused: inexact };
    try {
      const { id, url } = await this.#getClient(method).checkout.sessions.create(
        toSessionParams(session, amount),
        { idempotencyKey: `${session.payment_id}-session` },
      );
      return { reference: id, redirectUrl: url };
    } catch (error) {
      return { refused: describeRefusal(error) };
    }
  }

  async lookUp({
    session,
    method,
  }: OpenedSession): Promise<{ facts: PaymentFact[]; isEnded: boolean; intent: string | null }> {
    if (session.reference === null) return { facts: [], isEnded: false, intent: null };
    const stripe = this.#getClient(method);
    try {
      const found = await stripe.checkout.sessions.retrieve(session.reference, {
        expand: ['payment_intent.latest_charge'],
      });
      const intent = found.payment_intent as Stripe.PaymentIntent | null;
      const facts = await listFacts(stripe, session, found, intent);
      return { facts, isEnded: found.status !== 'open', intent: intent?.id ?? null };
    } catch (error) {
      throw toProviderError(error);
    }
  }

  async takeStep(opened: OpenedSession, step: Step): Promise<StepReply> {
    const { reference, currency } = opened.session;
    if (reference === null) return done([]);
    const amount = toStripeAmount(step.amountCents, currency);
    if (amount === null) return refused(inexact);
    try {
      if (step.kind === 'end') return await this.#endSession(opened, reference, step);
      return await this.#changePayment(opened, step, amount);
    } catch (error) {
      return this.#explainFailedStep(opened, step, error);
    }
  }

  async listSince(method: MethodRow, since: Date): Promise<{ totals: ProviderTotal[]; since: Date }> {
    const totals: ProviderTotal[] = [];
    let listed = 0;
    try {
      // The list begins with the newest.
      const intents = this.#getClient(method).paymentIntents.list({
        created: { gte: Math.floor(since.getTime() / 1000) },
        limit: 100,
        expand: ['data.latest_charge'],
      });
      for await (const intent of intents) {
        if (++listed > maxListed) return { totals, since: toDate(intent.created + 1) };
        // Several stores may share an account.
        const total = intent.metadata[storeKey] === method.store_id && toTotal(intent);
        if (total) totals.push(total);
      }
      return { totals, since };
    } catch (error) {
      throw toProviderError(error);
    }
  }

  /** Returns the client of a method. Creating one takes about as long as a call. */
  #getClient({ id, sealed_secret_key: sealed }: MethodRow): Stripe {
    const name = `${id} ${sealed}`;
    const known = this.#clients.get(name);
    if (known) return known;
    if (this.#clients.size >= maxClients) this.#clients.delete(this.#clients.keys().next().value!);
    const { stripeUrl, encryptionKeys } = this.#config;
    const client = stripeClient(stripeUrl, open(encryptionKeys, sealed!, id));
    this.#clients.set(name, client);
    return client;
  }

  async #endSession(opened: OpenedSession, reference: string, { id }: Step): Promise<StepReply> {
    const { sessions } = this.#getClient(opened.method).checkout;
    const { status } = await sessions.retrieve(reference);
    if (status === 'open') await sessions.expire(reference, {}, { idempotencyKey: id });
    return done((await this.lookUp(opened)).facts);
  }

  /** Captures, voids or refunds what was paid; `amount` is in Stripe's unit. */
  async #changePayment(opened: OpenedSession, step: Step, amount: number): Promise<StepReply> {
    const { paymentIntents } = this.#getClient(opened.method);
    const options = { idempotencyKey: step.id };
    const intent = opened.session.intent ?? (await this.lookUp(opened)).intent;
    if (!intent) return refused({ code: 'not_paid', message: 'Nothing was paid in this session.' });
    if (step.kind === 'refund') return await this.#refund(opened, intent, step, amount);
    if (step.kind === 'capture') await paymentIntents.capture(intent, { amount_to_capture: amount }, options);
    else await paymentIntents.cancel(intent, {}, options);
    return (await this.#findStepAnswer(opened, step)) ?? pending();
  }

  async #refund(opened: OpenedSession, intent: string, step: Step, amount: number): Promise<StepReply> {
    const { refunds } = this.#getClient(opened.method);
    // Stripe forgets idempotency keys after a day, but its refunds keep their metadata.
    for await (const earlier of refunds.list({ payment_intent: intent, limit: 100 })) {
      if (earlier.metadata?.[stepKey] === step.id) return toRefundReply(opened, step, earlier);
    }
    const refund = await refunds.create(
      { payment_intent: intent, amount, metadata: { [stepKey]: step.id } },
      { idempotencyKey: step.id },
    );
    return toRefundReply(opened, step, refund);
  }

  /** Returns the reply to a step whose call failed: an earlier call, whose answer got lost, may have taken it. */
  async #explainFailedStep(opened: OpenedSession, step: Step, error: unknown): Promise<StepReply> {
    if (error instanceof ProviderTimeout || isSilence(error)) return pending();
    const refusal = error instanceof ProviderRefusal ? error.failure : describeRefusal(error);
    const answer = await this.#findStepAnswer(opened, step).catch((failed: unknown) => {
      if (failed instanceof ProviderRefusal) return null;
      return undefined;
    });
    if (answer === undefined) return pending();
    return answer ?? refused(refusal);
  }

  /** Returns the answer to a step that Stripe has already taken; null if Stripe has no such step. */
  async #findStepAnswer(opened: OpenedSession, step: Step): Promise<StepReply | null> {
    const { facts } = await this.lookUp(opened);
    const kinds = { capture: 'captured', void: 'voided', end: 'failed', refund: 'refunded' } as const;
    const isOfStep = ({ kind, stepId }: PaymentFact) =>
      kind === kinds[step.kind] && (step.kind !== 'refund' || stepId === step.id);
    if (!facts.some(isOfStep)) return null;
    return done(facts.map((fact) => (isOfStep(fact) ? { ...fact, stepId: step.id } : fact)));
  }
}

/** Returns the parameters of a hosted Checkout; `amount` is in Stripe's unit. */
function toSessionParams(
  session: OpenedSession['session'],
  amount: number,
): Stripe.Checkout.SessionCreateParams {
  const language = session.locale?.split('-', 1)[0] ?? '';
  const metadata = { [paymentKey]: session.payment_id, [storeKey]: session.store_id };
  return {
    mode: 'payment',
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: session.currency.toLowerCase(),
          unit_amount: amount,
          product_data: { name: session.description.slice(0, maxName) },
        },
      },
    ],
    success_url: session.return_url,
    cancel_url: session.return_url,
    client_reference_id: session.payment_id,
    metadata,
    payment_intent_data: { capture_method: session.capture, metadata },
    ...(locales.has(language) && { locale: language as Stripe.Checkout.SessionCreateParams.Locale }),
  };
}

/** Returns a line of the list of payments; null for a payment that was not made through Waybill, or was not paid. */
function toTotal(intent: Stripe.PaymentIntent): ProviderTotal | null {
  const paymentId = intent.metadata[paymentKey];
  const charge = intent.latest_charge as Stripe.Charge | null;
  if (!paymentId || !charge) return null;
  const net = intent.amount_received - charge.amount_refunded;
  return {
    paymentId,
    reference: intent.id,
    netCents: fromStripeAmount(net, intent.currency.toUpperCase()),
  };
}

function toRefundReply({ session }: OpenedSession, step: Step, refund: Stripe.Refund): StepReply {
  const { id, status, amount, created } = refund;
  if (status === 'failed' || status === 'canceled') return refused(describeRefundFailure(refund));
  if (status !== 'succeeded') return pending();
  return done([createFact(session, 'refunded', id, amount, toDate(created), { stepId: step.id })]);
}

const done = (facts: PaymentFact[]): StepReply => ({ outcome: 'done', facts, failure: null });
const pending = (): StepReply => ({ outcome: 'pending', facts: [], failure: null });
const refused = (failure: PaymentFailure): StepReply => ({ outcome: 'refused', facts: [], failure });
