import type { PaymentFact, PaymentFailure } from '@waybill/contracts';
import type Stripe from 'stripe';
import type { SessionRow } from '../records/session-queries.ts';
import { toReversalReference } from './port.ts';
import { fromStripeAmount } from './stripe-amounts.ts';
import { describeRefundFailure } from './stripe-errors.ts';

/** Metadata key that links a refund of Stripe's to its step. */
export const stepKey = 'waybill_step';

type Paid = Pick<SessionRow, 'payment_id' | 'currency'>;

/** Creates a fact about a payment; `amount` is in Stripe's unit. */
export const createFact = (
  { payment_id: paymentId, currency }: Paid,
  kind: PaymentFact['kind'],
  reference: string,
  amount: number,
  at: Date,
  {
    failure = null,
    stepId = null,
    method = null,
  }: Partial<Pick<PaymentFact, 'failure' | 'stepId' | 'method'>> = {},
): PaymentFact => ({
  paymentId,
  kind,
  reference,
  amountCents: fromStripeAmount(amount, currency),
  at: at.toISOString(),
  method,
  failure,
  stepId,
});

/** Lists the facts of a Checkout session with its payment intent, whose latest charge is expanded. */
export async function listFacts(
  stripe: Stripe,
  paid: Paid,
  session: Stripe.Checkout.Session,
  intent: Stripe.PaymentIntent | null,
): Promise<PaymentFact[]> {
  const facts: PaymentFact[] = [];
  if (session.status === 'expired') {
    const failure = { code: 'expired', message: 'The session has ended.' };
    facts.push(createFact(paid, 'failed', session.id, 0, new Date(), { failure }));
  }
  if (!intent) return facts;
  const charge = intent.latest_charge as Stripe.Charge | null;
  const stateFact = createStateFact(paid, session, intent, charge);
  if (stateFact) facts.push(stateFact);
  if (charge?.captured || charge?.refunded) facts.push(...(await listRefundFacts(stripe, paid, intent.id)));
  if (charge?.disputed) facts.push(...(await listDisputeFacts(stripe, paid, intent.id)));
  return facts;
}

/** Returns the fact of an intent's state: https://docs.stripe.com/payments/paymentintents/lifecycle */
function createStateFact(
  paid: Paid,
  session: Stripe.Checkout.Session,
  intent: Stripe.PaymentIntent,
  charge: Stripe.Charge | null,
): PaymentFact | null {
  const method = charge?.payment_method_details?.type ?? null;
  const madeAt = charge ? toDate(charge.created) : new Date();
  const failure = describeDecline(intent);
  switch (intent.status) {
    case 'requires_capture':
      return createFact(paid, 'authorized', intent.id, intent.amount_capturable, madeAt, { method });
    case 'succeeded': {
      // The charge of an authorised payment dates from the authorisation, not from the capture.
      const capturedAt = intent.capture_method === 'manual' ? new Date() : madeAt;
      return createFact(paid, 'captured', intent.id, intent.amount_received, capturedAt, { method });
    }
    case 'canceled': {
      const endedAt = toDate(intent.canceled_at ?? intent.created);
      if (charge) return createFact(paid, 'voided', intent.id, intent.amount, endedAt, { method });
      if (session.status === 'expired') return null;
      return createFact(paid, 'failed', intent.id, 0, new Date(), { failure });
    }
    case 'processing':
      return createFact(paid, 'processing', charge?.id ?? intent.id, intent.amount, madeAt, { method });
    case 'requires_payment_method': {
      if (!failure) return null;
      // A debit that fails after its session was completed cannot be tried again.
      const kind = session.status === 'complete' ? 'failed' : 'declined';
      return createFact(paid, kind, charge?.id ?? intent.id, 0, madeAt, { failure, method });
    }
    default:
      return null;
  }
}

function describeDecline({ last_payment_error: error }: Stripe.PaymentIntent): PaymentFailure | null {
  if (!error) return null;
  return {
    code: error.decline_code ?? error.code ?? 'declined',
    message: (error.message ?? 'The payment was declined.').slice(0, 500),
  };
}

async function listRefundFacts(stripe: Stripe, paid: Paid, intentId: string): Promise<PaymentFact[]> {
  const facts: PaymentFact[] = [];
  for await (const refund of stripe.refunds.list({ payment_intent: intentId, limit: 100 })) {
    const { id, amount, status, created } = refund;
    const stepId = refund.metadata?.[stepKey] ?? null;
    if (status === 'succeeded')
      facts.push(createFact(paid, 'refunded', id, amount, toDate(created), { stepId }));
    if (status === 'failed' || status === 'canceled') {
      const failure = describeRefundFailure(refund);
      facts.push(
        createFact(paid, 'refunded', toReversalReference(id), -amount, new Date(), { stepId, failure }),
      );
    }
  }
  return facts;
}

async function listDisputeFacts(stripe: Stripe, paid: Paid, intentId: string): Promise<PaymentFact[]> {
  const facts: PaymentFact[] = [];
  for await (const { id, amount, created, status } of stripe.disputes.list({
    payment_intent: intentId,
    limit: 100,
  })) {
    facts.push(createFact(paid, 'disputed', id, amount, toDate(created)));
    if (status === 'won') facts.push(createFact(paid, 'disputeWon', id, amount, new Date()));
    if (status === 'lost') facts.push(createFact(paid, 'disputeLost', id, amount, new Date()));
  }
  return facts;
}

/** Converts Stripe's time, in seconds since 1970. */
export const toDate = (seconds: number): Date => new Date(seconds * 1000);
