import Type, { type Static } from 'typebox';
import { idPattern } from './ids.ts';
import { Timestamp } from './resources.ts';

/** How far one payment of an order is: `decisions.md 22.2`. */
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

/** What can happen to a payment. Entries are only ever added. */
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

/** Who takes the money of a payment; `manual`: nobody that the system talks to. */
export const paymentProviders = ['manual', 'stripe', 'app'] as const;
export type PaymentProviderName = (typeof paymentProviders)[number];

const cents = (description: string, example: number) =>
  Type.Integer({ minimum: 0, description: `${description} In minor units.`, examples: [example] });

export const PaymentEntry = Type.Object(
  {
    id: Type.String({ pattern: idPattern('paymentEntry') }),
    kind: Type.Enum([...entryKinds]),
    amountCents: cents('What moved, or was promised.', 1780),
    at: Timestamp,
    reference: Type.Union([Type.String(), Type.Null()], {
      description: 'What the provider, or whoever recorded it, calls it.',
      examples: ['RF 2026-1042'],
    }),
    status: Type.Optional(
      Type.String({
        description: 'Only of `noted`: the state that somebody has given the order by hand.',
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
      description: 'Null: the money came another way, and was recorded by hand.',
    }),
    provider: Type.Enum([...paymentProviders]),
    method: Type.Union([Type.String(), Type.Null()], {
      description: 'The provider’s word for the way; null until it is known.',
      examples: ['card'],
    }),
    status: Type.Enum([...moneyStates]),
    amountCents: cents('What is to be paid by it.', 1780),
    capturedCents: cents('What was taken.', 1780),
    refundedCents: cents('What of that was given back.', 0),
    currency: Type.String({ description: 'ISO 4217.', examples: ['GBP'] }),
    reference: Type.Union([Type.String(), Type.Null()], { examples: ['RF 2026-1042'] }),
    failure: Type.Union([Type.Object({ code: Type.String(), message: Type.String() }), Type.Null()]),
    isTest: Type.Boolean({ description: 'Whether no real money moves.' }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    entries: Type.Array(PaymentEntry, { description: 'All that happened to it, in its order.' }),
  },
  { $id: 'Payment' },
);
export type Payment = Static<typeof Payment>;
