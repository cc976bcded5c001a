import { defineRoutes } from '@waybill/kernel';
import Type from 'typebox';
import { errors } from '../errors.ts';

/** Routes of provider events: `decisions.md 22.5`. */
export const routes = defineRoutes({
  receiveEvent: {
    method: 'POST',
    path: '/payments/{methodId}/events',
    access: 'public',
    summary: 'Receive an event from a payment provider',
    description:
      'Only for the provider of the method, which signs the bytes of the body (`Stripe-Signature`). Each event ' +
      'counts once, by its ID; it is answered when it is stored.',
    ids: { methodId: 'paymentMethod' },
    headers: { 'Stripe-Signature': { required: true, description: 'As created by Stripe.' } },
    streamedBodies: { 'application/json': Type.Object({}, { additionalProperties: true }) },
    idempotency: 'none',
    answer: [200, Type.Object({})],
    errors: [errors.invalid_signature],
  },
});
