import { idPattern, Timestamp } from '@waybill/contracts';
import { defineRoutes, nullable } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../errors.ts';

const Id = Type.String({ maxLength: 100 });
const Cents = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

const reportedStates = ['pending', 'authorized', 'captured', 'refunded', 'voided', 'failed'] as const;

export const SessionReport = Type.Object(
  {
    status: Type.Enum([...reportedStates], {
      description: '`pending` says only where the shopper pays, or that the payment is under way.',
    }),
    redirectUrl: Type.Optional(
      Type.String({
        maxLength: 2000,
        description: 'Where the shopper pays: https.',
        examples: ['https://pay.example.com/c/9f2'],
      }),
    ),
    amountCents: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'By default the sum that was asked for.',
        examples: [1780],
      }),
    ),
    reference: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Your own id of what happened: the same again is the same thing.',
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
    returnUrl: Type.String(),
    redirectUrl: nullable(Type.String()),
    isTest: Type.Boolean(),
    status: Type.Enum([...reportedStates]),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'PaymentSession' },
);
export type PaymentSession = Static<typeof PaymentSession>;

/** `decisions.md 22.4, 22.6`. */
export const routes = defineRoutes({
  reportPaymentSession: {
    method: 'POST',
    path: '/api/v1/payment-sessions/{id}',
    access: { app: 'orders.write' },
    summary: 'Report what became of a payment session',
    description:
      'For the app whose method it is. Says where the shopper pays, and what happened: by `amountCents`, or the sum that was ' +
      'asked for. What the app was asked for last is answered by a report of its kind, or by `failed`.',
    ids: { id: 'paymentSession' },
    body: SessionReport,
    answer: [200, Type.Object({ paymentSession: PaymentSession })],
    errors: [errors.amount_exceeded],
  },
  openSession: {
    method: 'POST',
    path: '/internal/payment-sessions',
    access: 'service',
    summary: 'Open the session of a payment, or give the one that it has',
    body: Type.Object({
      storeId: Id,
      paymentId: Id,
      orderId: Id,
      methodId: Id,
      amountCents: Cents,
      currency: Type.String(),
      description: Type.String(),
      locale: nullable(Type.String()),
      returnUrl: Type.String(),
    }),
    answer: [200, Type.Object({ redirectUrl: nullable(Type.String()) })],
  },
  refreshSession: {
    method: 'POST',
    path: '/internal/payment-sessions/refresh',
    access: 'service',
    summary: 'Look a payment up soon: the shopper is back',
    body: Type.Object({ storeId: Id, paymentId: Id }),
    answer: [200, Type.Object({})],
  },
  takeStep: {
    method: 'POST',
    path: '/internal/payment-steps',
    access: 'service',
    summary: 'Have a provider take a step of a payment, once',
    body: Type.Object({
      storeId: Id,
      paymentId: Id,
      stepId: Id,
      kind: Type.Enum(['capture', 'void', 'refund', 'end']),
      amountCents: Cents,
    }),
    answer: [200, Type.Unknown()],
  },
});
