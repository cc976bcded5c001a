import type { PaymentFact, PaymentFailure, StepReply } from '@waybill/contracts';
import type { MethodRow, OpenedSession } from '../records/session-queries.ts';

/** What a provider makes of a request for a session. */
export type SessionAnswer =
  | { reference: string | null; redirectUrl: string | null }
  /** It will not make one, and says why. */
  | { refused: PaymentFailure };

/** A step to be taken. `id` is the idempotency key of all calls to the provider that it makes. */
export interface Step {
  id: string;
  kind: 'capture' | 'void' | 'refund' | 'end';
  amountCents: number;
}

export type Fact = PaymentFact;

const reversalSuffix = ':failed';

/** The reference of the fact which says that a refund failed, by the refund's own; its amount is below 0. */
export const reversalOf = (reference: string): string => reference + reversalSuffix;

/** The refund that a fact takes back; null: it is none of that kind. */
export const reversedBy = ({ kind, reference, amountCents }: Fact): string | null =>
  kind === 'refunded' && amountCents < 0 && reference.endsWith(reversalSuffix)
    ? reference.slice(0, -reversalSuffix.length)
    : null;

/** A line of a provider's own list. */
export interface ProviderTotal {
  paymentId: string;
  reference: string;
  /** What it captured, less what it gave back. */
  netCents: number;
}

/**
 * A payment provider. Calls that get no answer throw `ProviderSilent`: whether the provider has done what it was asked for
 * is not known, and asking again under the same id does it once.
 */
export interface PaymentProvider {
  /** Makes the session of a payment, or gives the one that it has made for this payment before. */
  createSession(opened: OpenedSession): Promise<SessionAnswer>;
  takeStep(opened: OpenedSession, step: Step): Promise<StepReply>;
  /** All that is true of the payment now. */
  lookUp(opened: OpenedSession): Promise<{ facts: Fact[]; isEnded: boolean; intent: string | null }>;
}

/** A provider with a list of its own, which the ledger is compared with. */
export interface ListingProvider extends PaymentProvider {
  /**
   * What the provider says of the payments that it was given since then, or since `since` of the answer, where there are too
   * many to list.
   */
  listSince(method: MethodRow, since: Date): Promise<{ totals: ProviderTotal[]; since: Date }>;
}

/** The provider has not answered. */
export class ProviderSilent extends Error {}

/** The provider refuses what it was asked for; with its words. */
export class ProviderRefused extends Error {
  readonly failure: PaymentFailure;

  constructor(failure: PaymentFailure) {
    super(failure.message);
    this.failure = failure;
  }
}
