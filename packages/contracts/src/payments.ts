import Type, { type Static } from 'typebox';
import { idPattern } from './ids.ts';
import { Timestamp } from './resources.ts';

/** The states of one payment of an order: `decisions.md 22.2`. */
export const moneyStates = [
  'pending',
  'authorized',
  'captured',
  'partially_refunded',
  'refunded',
  'voided',
  'failed',
  'disputed',
] as const;
export type MoneyState = (typeof moneyStates)[number];

/** The kinds of entries of a payment. Entries are only ever added. */
export const entryKinds = [
  'authorized',
  'captured',
  'refunded',
  'voided',
  'failed',
  'disputed',
  'disputeWon',
  'disputeLost',
  'noted',
] as const;
export type EntryKind = (typeof entryKinds)[number];

/** The providers that take the money of a payment; `manual` is none that the system communicates with. */
export const paymentProviders = ['manual', 'stripe', 'app'] as const;
export type PaymentProviderName = (typeof paymentProviders)[number];

const cents = (description: string, example: number) =>
  Type.Integer({ minimum: 0, description: `${description} In minor units.`, examples: [example] });

export const PaymentEntry = Type.Object(
  {
    id: Type.String({ pattern: idPattern('paymentEntry') }),
    kind: Type.Enum([...entryKinds]),
    amountCents: Type.Integer({
      description:
        'The amount that moved, or was promised, in minor units. Negative only for `refunded`: a refund that ' +
        'failed after it had succeeded.',
      examples: [1780],
    }),
    at: Timestamp,
    reference: Type.Union([Type.String(), Type.Null()], {
      description: 'The identifier given by the provider or by the person who recorded it.',
      examples: ['RF 2026-1042'],
    }),
    status: Type.Optional(
      Type.String({
        description: 'Only for `noted`: the payment status that was set by hand.',
        examples: ['authorized'],
      }),
    ),
  },
  { $id: 'PaymentEntry' },
);
export type PaymentEntry = Static<typeof PaymentEntry>;

/** A payment of an order, `decisions.md 22.2`. */
export const Payment = Type.Object(
  {
    id: Type.String({ pattern: idPattern('payment') }),
    orderId: Type.String({ pattern: idPattern('order') }),
    methodId: Type.Union([Type.String({ pattern: idPattern('paymentMethod') }), Type.Null()], {
      description: 'Null if the money came another way and was recorded by hand.',
    }),
    provider: Type.Enum([...paymentProviders]),
    method: Type.Union([Type.String(), Type.Null()], {
      description: 'The provider’s name for the payment method; null until known.',
      examples: ['card'],
    }),
    status: Type.Enum([...moneyStates]),
    amountCents: cents('The amount to be paid.', 1780),
    capturedCents: cents('The captured amount.', 1780),
    refundedCents: cents('The refunded part of the captured amount.', 0),
    currency: Type.String({ description: 'ISO 4217.', examples: ['GBP'] }),
    reference: Type.Union([Type.String(), Type.Null()], { examples: ['RF 2026-1042'] }),
    failure: Type.Union([Type.Object({ code: Type.String(), message: Type.String() }), Type.Null()]),
    isTest: Type.Boolean({ description: 'Whether the payment moves no real money.' }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    entries: Type.Array(PaymentEntry, { description: 'The events of the payment, in order.' }),
  },
  { $id: 'Payment' },
);
export type Payment = Static<typeof Payment>;

/** The kinds of facts that a provider can report about a payment: entries, and facts that move no money. */
export const factKinds = [
  'authorized',
  'captured',
  'refunded',
  'voided',
  'failed',
  'disputed',
  'disputeWon',
  'disputeLost',
  'processing',
  'declined',
  // A step that the provider refuses after a time without an answer.
  'refused',
] as const;

const Failure = Type.Object({ code: Type.String(), message: Type.String() });

/**
 * A fact about a payment at its provider. `kind` and `reference`, the provider's own id of the event, identify it,
 * however often and in whichever order it is reported.
 */
export const PaymentFact = Type.Object({
  paymentId: Type.String(),
  kind: Type.Enum([...factKinds]),
  amountCents: Type.Integer(),
  reference: Type.String(),
  at: Type.String(),
  /** The provider's name of the payment method, if it is known. */
  method: Type.Union([Type.String(), Type.Null()]),
  failure: Type.Union([Failure, Type.Null()]),
  /** The step of orders to which this is the answer. */
  stepId: Type.Union([Type.String(), Type.Null()]),
});
export type PaymentFact = Static<typeof PaymentFact>;
export type PaymentFailure = Static<typeof Failure>;

/** A session in a request to an app: `decisions.md 22.6`. */
export const RequestedSession = Type.Object(
  {
    id: Type.String({ pattern: idPattern('paymentSession') }),
    paymentId: Type.String({ pattern: idPattern('payment') }),
    orderId: Type.String({ pattern: idPattern('order') }),
    amountCents: Type.Integer({
      description: 'The requested amount, in minor units.',
      examples: [1780],
    }),
    currency: Type.String({ description: 'ISO 4217.', examples: ['GBP'] }),
    returnUrl: Type.String({
      description: 'The URL that the shopper returns to afterwards.',
      examples: ['https://teas.example/orders/01jd5w2k0q8v6m3n4p5r6s7t8v-Zm9v'],
    }),
    isTest: Type.Boolean(),
  },
  { $id: 'RequestedPaymentSession' },
);
export type RequestedSession = Static<typeof RequestedSession>;

/** A method as payments announces it to orders. */
export const AnnouncedMethod = Type.Object({
  id: Type.String(),
  provider: Type.Enum([...paymentProviders]),
  name: Type.String(),
  instructions: Type.String(),
  isTest: Type.Boolean(),
  countries: Type.Union([Type.Array(Type.String()), Type.Null()]),
  minimumCents: Type.Union([Type.Integer(), Type.Null()]),
  maximumCents: Type.Union([Type.Integer(), Type.Null()]),
});
export type AnnouncedMethod = Static<typeof AnnouncedMethod>;

/** The enabled methods of a store, by position. The greatest revision is valid, whichever arrives last. */
export const AnnouncedMethods = Type.Object({
  revision: Type.Integer(),
  methods: Type.Array(AnnouncedMethod),
});
export type AnnouncedMethods = Static<typeof AnnouncedMethods>;

/** The facts of an order that decide which methods can pay it. */
export interface PaymentContext {
  /** ISO 3166-1 alpha-2. */
  country?: string | undefined;
  totalCents?: number | undefined;
}

/**
 * Whether a method takes an order of this country and total: `decisions.md 22.1`. Limits are inclusive, and a limit on
 * an unknown value excludes nothing.
 */
export function isMethodOffered(
  {
    countries,
    minimumCents,
    maximumCents,
  }: Pick<AnnouncedMethod, 'countries' | 'minimumCents' | 'maximumCents'>,
  { country, totalCents }: PaymentContext,
): boolean {
  return (
    (countries === null || country === undefined || countries.includes(country)) &&
    (minimumCents === null || totalCents === undefined || totalCents >= minimumCents) &&
    (maximumCents === null || totalCents === undefined || totalCents <= maximumCents)
  );
}

/**
 * Timeouts in milliseconds: of a checkout that waits for a session at a provider (apps may take three seconds of it),
 * of the order's page, which updates itself, and of other services' calls to orders, which has to wait for a provider
 * first.
 */
export const paymentTimeouts = { checkoutMs: 5_000, pageMs: 1_000, callMs: 20_000 } as const;

/**
 * payments: `POST /internal/payment-sessions SessionRequest` → a SessionReply. A payment has only one session, however
 * often it is requested.
 */
export interface SessionRequest {
  storeId: string;
  paymentId: string;
  orderId: string;
  methodId: string;
  amountCents: number;
  currency: string;
  /** The purchase as the provider's page describes it. */
  description: string;
  /** BCP 47; null if the provider chooses. */
  locale: string | null;
  /** The shopper's page of the order. */
  returnUrl: string;
}
export interface SessionReply {
  /** Null if it is not known yet, or if the session has ended. */
  redirectUrl: string | null;
}

/**
 * payments: `POST /internal/payment-steps StepRequest` → a StepReply. The provider does a step once, however often it
 * is requested.
 */
export interface StepRequest {
  storeId: string;
  paymentId: string;
  stepId: string;
  kind: 'capture' | 'void' | 'refund' | 'end';
  amountCents: number;
}
export interface StepReply {
  /** `pending` means that the provider has not answered yet. */
  outcome: 'done' | 'refused' | 'pending';
  facts: PaymentFact[];
  /** For `refused`: the provider's message. */
  failure: PaymentFailure | null;
}
