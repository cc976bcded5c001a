import { AnnouncedMethods, IdInput, moneyStates, Payment } from '@waybill/contracts';
import { defineRoutes, instantFilter, pageSchema, paging } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../errors.ts';

const Amount = Type.Integer({
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'In minor units of the order’s currency.',
  examples: [1780],
});

export const PaymentInput = Type.Object(
  {
    amountCents: Type.Optional(Amount),
    reference: Type.Optional(
      Type.Union([Type.String({ maxLength: 200 }), Type.Null()], {
        description: 'An external reference, such as on a bank statement.',
        examples: ['RF 2026-1042'],
      }),
    ),
  },
  { $id: 'PaymentInput' },
);
export type PaymentInput = Static<typeof PaymentInput>;

export const CaptureInput = Type.Object({ amountCents: Type.Optional(Amount) }, { $id: 'CaptureInput' });

const ListQuery = Type.Object({
  ...paging,
  since: instantFilter('Created at this time or later.'),
  until: instantFilter('Created before this time.'),
  status: Type.Optional(Type.Enum([...moneyStates])),
  orderId: Type.Optional(IdInput('order')),
});

const Item = Type.Object({ payment: Payment });

const notAnswered =
  'The provider did not answer within ten seconds: returns `{ payment }` in its current state; `payment.updated` follows with the answer.';

/** Routes of payments: `decisions.md 22.2`. */
export const routes = defineRoutes({
  listPayments: {
    method: 'GET',
    path: '/api/v1/payments',
    access: { scope: 'orders.read' },
    summary: 'List payments',
    description: 'Newest first; by time, state or order.',
    query: ListQuery,
    answer: [200, pageSchema('payments', Payment)],
  },
  getPayment: {
    method: 'GET',
    path: '/api/v1/payments/{id}',
    access: { scope: 'orders.read' },
    summary: 'Read a payment',
    description: 'Includes the payment’s history.',
    ids: { id: 'payment' },
    answer: [200, Item],
  },
  capturePayment: {
    method: 'POST',
    path: '/api/v1/payments/{id}/capture',
    access: { scope: 'orders.write' },
    summary: 'Capture a payment',
    description:
      'Captures an authorised payment, or confirms that a pending manual payment was received; by default the ' +
      'amount due. Capturing less than the authorised amount releases the rest. Emits `payment.updated` and ' +
      '`order.updated`.',
    ids: { id: 'payment' },
    body: CaptureInput,
    isBodyOptional: true,
    // The handler calls the provider after the step is committed.
    idempotency: 'handler',
    answer: [200, Item],
    otherAnswers: { 202: notAnswered },
    errors: [errors.invalid_state, errors.amount_exceeded, errors.provider_refused],
  },
  voidPayment: {
    method: 'POST',
    path: '/api/v1/payments/{id}/void',
    access: { scope: 'orders.write' },
    summary: 'Void a payment',
    description:
      'Ends a payment without any captured amount. Emits `payment.updated`, and `order.updated` if the order ' +
      'changed.',
    ids: { id: 'payment' },
    idempotency: 'handler',
    answer: [200, Item],
    otherAnswers: { 202: notAnswered },
    errors: [errors.invalid_state, errors.provider_refused],
  },
  listPaymentsOfOrder: {
    method: 'GET',
    path: '/api/v1/orders/{id}/payments',
    access: { scope: 'orders.read' },
    summary: 'List the payments of an order',
    description: 'Newest first.',
    ids: { id: 'order' },
    query: Type.Object(paging),
    answer: [200, pageSchema('payments', Payment)],
  },
  recordPayment: {
    method: 'POST',
    path: '/api/v1/orders/{id}/payments',
    access: { scope: 'orders.write' },
    summary: 'Record money that came another way',
    description:
      'By default the full amount due. Emits `payment.updated` and `order.updated`. `invalid_state` if nothing ' +
      'is due.',
    ids: { id: 'order' },
    body: PaymentInput,
    isBodyOptional: true,
    answer: [201, Item],
    errors: [errors.invalid_state, errors.amount_exceeded],
  },
  replacePaymentChoices: {
    method: 'POST',
    path: '/internal/payment-choices',
    access: 'service',
    summary: 'Replace the copy of the enabled payment methods of a store',
    body: Type.Object({ storeId: Type.String(), ...AnnouncedMethods.properties }),
    answer: [200, Type.Object({})],
  },
});
