import { defineRoutes, nullable } from '@waybill/kernel';
import Type from 'typebox';

const Id = Type.String({ maxLength: 100 });
const Cents = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** Routes for the orders service: `decisions.md 22.4`. */
export const routes = defineRoutes({
  openSession: {
    method: 'POST',
    path: '/internal/payment-sessions',
    access: 'service',
    summary: 'Open the session of a payment, or return the existing one',
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
    summary: 'Look up a payment soon, because its shopper is back',
    body: Type.Object({ storeId: Id, paymentId: Id }),
    answer: [200, Type.Object({})],
  },
  takeStep: {
    method: 'POST',
    path: '/internal/payment-steps',
    access: 'service',
    summary: 'Carry out a payment step at its provider, once',
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
