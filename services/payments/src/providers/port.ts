import type { PaymentFact, PaymentFailure, StepReply } from '@waybill/contracts';
import type { MethodRow, OpenedSession } from '../records/session-queries.ts';

/** A provider's answer to the request for a session. */
export type SessionAnswer =
  | { reference: string | null; redirectUrl: string | null }
  /** The provider refuses, and gives the reason. */
  | { refused: PaymentFailure };

/** A step to take. `id` is the idempotency key of all its calls to the provider. */
export interface Step {
  id: string;
  kind: 'capture' | 'void' | 'refund' | 'end';
  amountCents: number;
}

const reversalSuffix = ':failed';

/**
 * Returns the reference of the fact that reports a failed refund. It derives from the refund's reference, and the
 * fact's amount is negative.
 */
export const toReversalReference = (reference: string): string => reference + reversalSuffix;

/** Returns the reference of the refund that a fact reverses; null if the fact reverses none. */
export const findReversedReference = ({ kind, reference, amountCents }: PaymentFact): string | null =>
  kind === 'refunded' && amountCents < 0 && reference.endsWith(reversalSuffix)
    ? reference.slice(0, -reversalSuffix.length)
    : null;

/** A line of a provider's own list. */
export interface ProviderTotal {
  paymentId: string;
  reference: string;
  /** The captured amount minus refunds. */
  netCents: number;
}

/**
 * A payment provider. Calls without an answer throw `ProviderTimeout`: it is unknown whether the provider did what was
 * asked, and repeating the call with the same id does it only once.
 */
export interface PaymentProvider {
  /** Creates the session of a payment, or returns the one that was created for this payment before. */
  createSession(opened: OpenedSession): Promise<SessionAnswer>;
  takeStep(opened: OpenedSession, step: Step): Promise<StepReply>;
  /** Returns all current facts of the payment. */
  lookUp(opened: OpenedSession): Promise<{ facts: PaymentFact[]; isEnded: boolean; intent: string | null }>;
}

/** A provider with its own list of payments, which the ledger is compared with. */
export interface ListingProvider extends PaymentProvider {
  /**
   * Lists the provider's payments since an instant. If there are too many, lists them since the later instant `since`
   * of the answer.
   */
  listSince(method: MethodRow, since: Date): Promise<{ totals: ProviderTotal[]; since: Date }>;
}

/** The error of a provider that has not answered. */
export class ProviderTimeout extends Error {}

/** The error of a provider that refuses a request, with the provider's reason. */
export class ProviderRefusal extends Error {
  readonly failure: PaymentFailure;

  constructor(failure: PaymentFailure) {
    super(failure.message);
    this.failure = failure;
  }
}
