import { idPattern, Timestamp } from '@waybill/contracts';
import { defineRoutes, nullable } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../errors.ts';

const reportedStates = ['pending', 'authorized', 'captured', 'refunded', 'voided', 'failed'] as const;

export const SessionReport = Type.Object(
  {
    status: Type.Enum([...reportedStates], {
      errorCode: 'invalid_status',
      description: '`pending` only reports the page for paying, or that the payment is in progress.',
    }),
    redirectUrl: Type.Optional(
      Type.String({
        maxLength: 2000,
        description: 'The https URL where the shopper pays.',
        examples: ['https://pay.example.com/c/9f2'],
      }),
    ),
    amountCents: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'The requested amount by default.',
        examples: [1780],
      }),
    ),
    reference: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Your own ID of the event: reports with the same ID count once.',
        examples: ['ch_20931'],
      }),
    ),
    failure: Type.Optional(
      Type.Object({
        code: Type.String({ maxLength: 100, examples: ['card_declined'] }),
        message: Type.String({ maxLength: 500, examples: ['The card was declined.'] }),
      }),
    ),
  },
  { $id: 'PaymentSessionReport' },
);
export type SessionReport = Static<typeof SessionReport>;

export const PaymentSession = Type.Object(
  {
    id: Type.String({ pattern: idPattern('paymentSession') }),
    paymentId: Type.String({ pattern: idPattern('payment') }),
    orderId: Type.String({ pattern: idPattern('order') }),
    amountCents: Type.Integer({ examples: [1780] }),
    currency: Type.String({ examples: ['GBP'] }),
    returnUrl: Type.String({ examples: ['https://teas.example/orders/01jd5w2k0q8v6m3n4p5r6s7t8v-Zm9v'] }),
    redirectUrl: nullable(Type.String({ examples: ['https://pay.example.com/c/9f2'] })),
    isTest: Type.Boolean(),
    status: Type.Enum([...reportedStates]),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'PaymentSession' },
);
export type PaymentSession = Static<typeof PaymentSession>;

/** Routes of reports: `decisions.md 22.6`. */
export const routes = defineRoutes({
  reportPaymentSession: {
    method: 'POST',
    path: '/api/v1/payment-sessions/{id}',
    access: { app: 'orders.write', isForUninstalled: true },
    summary: 'Report the outcome of a payment session',
    description:
      'For the app that owns the method. Reports the page for paying, and the outcome: for `amountCents`, or ' +
      'for the requested amount. The last request to the app is answered by a report of its kind, or by ' +
      '`failed`. An uninstalled app can report on its open sessions for 30 days, with its previous access ' +
      'token.',
    ids: { id: 'paymentSession' },
    body: SessionReport,
    answer: [200, Type.Object({ paymentSession: PaymentSession })],
    errors: [errors.invalid_status, errors.amount_exceeded],
  },
});
