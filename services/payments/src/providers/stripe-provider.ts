import type { PaymentFact, PaymentFailure, StepReply } from '@waybill/contracts';
import { open } from '@waybill/outbound';
import Stripe from 'stripe';
import type { Context } from '../config.ts';
import type { MethodRow, OpenedSession, SessionRow } from '../records/session-queries.ts';
import {
  type ListingProvider,
  ProviderRefusal,
  ProviderTimeout,
  type ProviderTotal,
  type SessionAnswer,
  type Step,
  toReversalReference,
} from './port.ts';
import { stripeClient } from './stripe.ts';
import { fromStripeAmount, toStripeAmount } from './stripe-amounts.ts';

/** Metadata keys that link Stripe's objects to their payment and step. */
const paymentKey = 'waybill_payment';
const storeKey = 'waybill_store';
const stepKey = 'waybill_step';

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

/** Creates the provider for Stripe's own API with hosted Checkout: `decisions.md 22.4`. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: its functions share the state of one closure
export function stripeProvider({ config }: Pick<Context, 'config'>): ListingProvider {
  const clients = new Map<string, Stripe>();
  /** Returns the client of a method. Creating one takes about as long as a call. */
  function getClient({ id, sealed_secret_key: sealed }: MethodRow): Stripe {
    const name = `${id} ${sealed}`;
    const known = clients.get(name);
    if (known) return known;
    if (clients.size >= maxClients) clients.delete(clients.keys().next().value!);
    const made = stripeClient(config.stripeUrl, open(config.encryptionKeys, sealed!, id));
    clients.set(name, made);
    return made;
  }

  async function createSession({ session, method }: OpenedSession): Promise<SessionAnswer> {
    const language = session.locale?.split('-', 1)[0] ?? '';
    const metadata = { [paymentKey]: session.payment_id, [storeKey]: session.store_id };
    const amount = toStripeAmount(session.amount_cents, session.currency);
    if (amount === null) return { refused: inexact };
    try {
      const made = await getClient(method).checkout.sessions.create(
        {
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
        },
        { idempotencyKey: `${session.payment_id}-session` },
      );
      return { reference: made.id, redirectUrl: made.url };
    } catch (error) {
      return { refused: describeRefusal(error) };
    }
  }

  async function lookUp({ session, method }: OpenedSession) {
    if (session.reference === null) return { facts: [], isEnded: false, intent: null };
    const stripe = getClient(method);
    try {
      const found = await stripe.checkout.sessions.retrieve(session.reference, {
        expand: ['payment_intent.latest_charge'],
      });
      const intent = found.payment_intent as Stripe.PaymentIntent | null;
      const facts: PaymentFact[] = [];
      const add = factsOf(session, facts);
      if (found.status === 'expired') {
        add('failed', found.id, 0, now(), {
          failure: { code: 'expired', message: 'The session has ended.' },
        });
      }
      if (intent) await addFacts(stripe, found, intent, add);
      return { facts, isEnded: found.status !== 'open', intent: intent?.id ?? null };
    } catch (error) {
      throw describeTimeout(error);
    }
  }

  /** Returns the answer to a step that Stripe has already taken; null if Stripe has no such step. */
  async function findStepAnswer(opened: OpenedSession, step: Step): Promise<StepReply | null> {
    const { facts } = await lookUp(opened);
    const kinds = { capture: 'captured', void: 'voided', end: 'failed', refund: 'refunded' } as const;
    const isOfStep = ({ kind, stepId }: PaymentFact) =>
      kind === kinds[step.kind] && (step.kind !== 'refund' || stepId === step.id);
    if (!facts.some(isOfStep)) return null;
    return done(facts.map((fact) => (isOfStep(fact) ? { ...fact, stepId: step.id } : fact)));
  }

  async function takeStep(opened: OpenedSession, step: Step): Promise<StepReply> {
    const { session, method } = opened;
    if (session.reference === null) return done([]);
    const stripe = getClient(method);
    const options = { idempotencyKey: step.id };
    const amount = toStripeAmount(step.amountCents, session.currency);
    if (amount === null) return refused(inexact);
    try {
      if (step.kind === 'end') {
        const ended = await stripe.checkout.sessions.retrieve(session.reference);
        if (ended.status === 'open') await stripe.checkout.sessions.expire(session.reference, {}, options);
        return done((await lookUp(opened)).facts);
      }
      const intent = session.intent ?? (await lookUp(opened)).intent;
      if (!intent) return refused({ code: 'not_paid', message: 'Nothing was paid in this session.' });
      if (step.kind === 'refund') return await refund(stripe, opened, intent, step, amount);
      if (step.kind === 'capture')
        await stripe.paymentIntents.capture(intent, { amount_to_capture: amount }, options);
      else await stripe.paymentIntents.cancel(intent, {}, options);
      return (await findStepAnswer(opened, step)) ?? pending();
    } catch (error) {
      if (error instanceof ProviderTimeout || isSilence(error)) return pending();
      const refusal = error instanceof ProviderRefusal ? error.failure : describeRefusal(error);
      // Although the call was refused, an earlier call whose answer got lost may have taken the step.
      const answer = await findStepAnswer(opened, step).catch((failed: unknown) => {
        if (failed instanceof ProviderRefusal) return null;
        return undefined;
      });
      if (answer === undefined) return pending();
      return answer ?? refused(refusal);
    }
  }

  async function refund(
    stripe: Stripe,
    opened: OpenedSession,
    intent: string,
    step: Step,
    amount: number,
  ): Promise<StepReply> {
    // Stripe forgets idempotency keys after a day, but its refunds keep their metadata.
    for await (const made of stripe.refunds.list({ payment_intent: intent, limit: 100 })) {
      if (made.metadata?.[stepKey] === step.id) return refundReply(opened, step, made);
    }
    const made = await stripe.refunds.create(
      { payment_intent: intent, amount, metadata: { [stepKey]: step.id } },
      { idempotencyKey: step.id },
    );
    return refundReply(opened, step, made);
  }

  function refundReply({ session }: OpenedSession, step: Step, made: Stripe.Refund): StepReply {
    if (made.status === 'failed' || made.status === 'canceled') {
      return refused(describeRefundFailure(made));
    }
    if (made.status !== 'succeeded') return pending();
    const facts: PaymentFact[] = [];
    factsOf(session, facts)('refunded', made.id, made.amount, at(made.created), {
      stepId: step.id,
    });
    return done(facts);
  }

  async function listSince(method: MethodRow, since: Date) {
    const totals: ProviderTotal[] = [];
    let listed = 0;
    try {
      // The list begins with the newest.
      const intents = getClient(method).paymentIntents.list({
        created: { gte: Math.floor(since.getTime() / 1000) },
        limit: 100,
        expand: ['data.latest_charge'],
      });
      for await (const intent of intents) {
        if (++listed > maxListed) return { totals, since: at(intent.created + 1) };
        const paymentId = intent.metadata[paymentKey];
        const charge = intent.latest_charge as Stripe.Charge | null;
        // Several stores may share an account.
        if (!paymentId || !charge || intent.metadata[storeKey] !== method.store_id) continue;
        totals.push({
          paymentId,
          reference: intent.id,
          netCents: fromStripeAmount(
            intent.amount_received - charge.amount_refunded,
            intent.currency.toUpperCase(),
          ),
        });
      }
      return { totals, since };
    } catch (error) {
      throw describeTimeout(error);
    }
  }

  return { createSession, takeStep, lookUp, listSince };
}

/** `amount` is in Stripe's unit. */
type AddFact = (
  kind: PaymentFact['kind'],
  reference: string,
  amount: number,
  at: Date,
  more?: Partial<Pick<PaymentFact, 'failure' | 'stepId' | 'method'>>,
) => void;

const factsOf =
  (
    { payment_id: paymentId, currency }: Pick<SessionRow, 'payment_id' | 'currency'>,
    facts: PaymentFact[],
  ): AddFact =>
  (kind, reference, amount, at, { failure = null, stepId = null, method = null } = {}) =>
    void facts.push({
      paymentId,
      kind,
      reference,
      amountCents: fromStripeAmount(amount, currency),
      at: at.toISOString(),
      method,
      failure,
      stepId,
    });

/** Adds the facts of a payment intent: https://docs.stripe.com/payments/paymentintents/lifecycle */
async function addFacts(
  stripe: Stripe,
  session: Stripe.Checkout.Session,
  intent: Stripe.PaymentIntent,
  add: AddFact,
): Promise<void> {
  const charge = intent.latest_charge as Stripe.Charge | null;
  const method = charge?.payment_method_details?.type ?? null;
  const madeAt = charge ? at(charge.created) : now();
  const error = intent.last_payment_error;
  const failure: PaymentFailure | null = error && {
    code: error.decline_code ?? error.code ?? 'declined',
    message: (error.message ?? 'The payment was declined.').slice(0, 500),
  };
  switch (intent.status) {
    case 'requires_capture':
      add('authorized', intent.id, intent.amount_capturable, madeAt, { method });
      break;
    case 'succeeded':
      // The charge of an authorised payment dates from the authorisation, not from the capture.
      add(
        'captured',
        intent.id,
        intent.amount_received,
        intent.capture_method === 'manual' ? now() : madeAt,
        {
          method,
        },
      );
      break;
    case 'canceled':
      if (charge)
        add('voided', intent.id, intent.amount, at(intent.canceled_at ?? intent.created), { method });
      else if (session.status !== 'expired') add('failed', intent.id, 0, now(), { failure });
      break;
    case 'processing':
      add('processing', charge?.id ?? intent.id, intent.amount, madeAt, { method });
      break;
    case 'requires_payment_method':
      // A debit that fails after its session was completed cannot be tried again.
      if (failure)
        add(session.status === 'complete' ? 'failed' : 'declined', charge?.id ?? intent.id, 0, madeAt, {
          failure,
          method,
        });
      break;
  }
  if (!charge?.captured && !charge?.refunded) return;
  for await (const made of stripe.refunds.list({ payment_intent: intent.id, limit: 100 })) {
    const stepId = made.metadata?.[stepKey] ?? null;
    if (made.status === 'succeeded') add('refunded', made.id, made.amount, at(made.created), { stepId });
    if (made.status === 'failed' || made.status === 'canceled')
      add('refunded', toReversalReference(made.id), -made.amount, now(), {
        stepId,
        failure: describeRefundFailure(made),
      });
  }
  if (!charge.disputed) return;
  for await (const dispute of stripe.disputes.list({ payment_intent: intent.id, limit: 100 })) {
    add('disputed', dispute.id, dispute.amount, at(dispute.created));
    if (dispute.status === 'won') add('disputeWon', dispute.id, dispute.amount, now());
    if (dispute.status === 'lost') add('disputeLost', dispute.id, dispute.amount, now());
  }
}

/** Describes a failed refund: https://docs.stripe.com/refunds#failed-refunds */
function describeRefundFailure({ failure_reason: reason, status }: Stripe.Refund): PaymentFailure {
  const code = reason ?? status ?? 'failed';
  return { code, message: `Stripe could not refund: ${code}.` };
}

const at = (seconds: number) => new Date(seconds * 1000);
const now = () => new Date();

const done = (facts: PaymentFact[]): StepReply => ({ outcome: 'done', facts, failure: null });
const pending = (): StepReply => ({ outcome: 'pending', facts: [], failure: null });
const refused = (failure: PaymentFailure): StepReply => ({ outcome: 'refused', facts: [], failure });

/** Whether an error leaves open what Stripe has done: https://docs.stripe.com/error-low-level */
function isSilence(error: unknown): boolean {
  const { StripeConnectionError, StripeAPIError, StripeRateLimitError, StripeIdempotencyError } =
    Stripe.errors;
  return (
    error instanceof StripeConnectionError ||
    error instanceof StripeAPIError ||
    error instanceof StripeRateLimitError ||
    error instanceof StripeIdempotencyError ||
    (error instanceof Stripe.errors.StripeError && (error.statusCode ?? 500) >= 500)
  );
}

/** Converts an error of Stripe's to `ProviderTimeout` or `ProviderRefusal`. */
function describeTimeout(error: unknown): Error {
  if (isSilence(error)) return new ProviderTimeout((error as Error).message);
  return error instanceof Stripe.errors.StripeError
    ? new ProviderRefusal(describeRefusal(error))
    : (error as Error);
}

/** Returns Stripe's reason for a refusal. @throws ProviderSilent if Stripe has not answered */
function describeRefusal(error: unknown): PaymentFailure {
  if (!(error instanceof Stripe.errors.StripeError) || isSilence(error)) throw describeTimeout(error);
  return { code: error.decline_code ?? error.code ?? error.type, message: error.message.slice(0, 500) };
}
