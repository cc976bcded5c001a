import { IdInput, Refund } from '@waybill/contracts';
import { defineRoutes, nullable, pageSchema, paging } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../errors.ts';

const Amount = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description }));

/** The options that all routes for refunds accept. */
export const RefundTerms = Type.Object({
  reason: Type.Optional(
    nullable(
      Type.String({ maxLength: 500, description: 'Shown to the customer.', examples: ['Arrived broken'] }),
    ),
  ),
  paymentId: Type.Optional(
    IdInput('payment', 'The payment to refund; by default the newest payments first.'),
  ),
  notify: Type.Optional(Type.Boolean({ description: 'Whether to mail the customer; true by default.' })),
});

/** The amounts that are refunded besides lines, or instead of them. */
export const RefundAmounts = Type.Object({
  shippingCents: Amount(
    'The part of the order’s `shippingCents` to refund; if tax is added on top, its share is refunded in addition.',
  ),
  amountCents: Amount(
    'An amount on its own, or a replacement for the amount of `lines` and `shippingCents`.',
  ),
});

export const RefundInput = Type.Object(
  {
    lines: Type.Optional(
      Type.Array(
        Type.Object({
          variantId: IdInput('variant'),
          quantity: Type.Integer({ minimum: 1, examples: [1] }),
          restock: Type.Optional(
            Type.Boolean({ description: 'Returns the units to stock, unless they are already there.' }),
          ),
        }),
        { maxItems: 1000, description: 'Refunded at the price paid for them, including tax.' },
      ),
    ),
    shippingCents: Amount(
      'The part of the order’s `shippingCents` to refund; if tax is added on top, its share is refunded in addition.',
    ),
    amountCents: Amount(
      'An amount on its own, or a replacement for the amount of `lines` and `shippingCents`.',
    ),
    ...RefundTerms.properties,
  },
  { $id: 'RefundInput' },
);
export type RefundInput = Static<typeof RefundInput>;

const Item = Type.Object({ refund: Refund });

/** Routes of refunds: `decisions.md 23.2`. */
export const routes = defineRoutes({
  listRefunds: {
    method: 'GET',
    path: '/api/v1/orders/{id}/refunds',
    access: { scope: 'orders.read' },
    summary: 'List the refunds of an order',
    description: 'Newest first.',
    ids: { id: 'order' },
    query: Type.Object(paging),
    answer: [200, pageSchema('refunds', Refund)],
  },
  createRefund: {
    method: 'POST',
    path: '/api/v1/orders/{id}/refunds',
    access: { scope: 'orders.write' },
    summary: 'Refund an order, or a part of it',
    description:
      'Refunds lines, shipping, or an amount. Never more than was paid; over all refunds, never more tax than ' +
      'the order has. Amounts above the store’s `checkout.refundLimitCents` require the role `admin`. Emits ' +
      '`refund.created` and `order.updated`.',
    ids: { id: 'order' },
    body: RefundInput,
    // The handler asks identity for the store's refund limit.
    idempotency: 'handler',
    answer: [201, Item],
    errors: [
      errors.invalid_quantity,
      errors.amount_exceeded,
      errors.invalid_state,
      errors.provider_refused,
      errors.insufficient_role,
      errors.resource_unavailable,
    ],
  },
  getRefund: {
    method: 'GET',
    path: '/api/v1/orders/{id}/refunds/{refundId}',
    access: { scope: 'orders.read' },
    summary: 'Read a refund',
    description: 'Its amounts, items and state.',
    ids: { id: 'order', refundId: 'refund' },
    answer: [200, Item],
  },
});
