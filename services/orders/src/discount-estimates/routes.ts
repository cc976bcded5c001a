import { DiscountInput } from '@waybill/contracts';
import { defineRoutes } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../errors.ts';

export const DiscountEstimateInput = Type.Object(
  {
    discount: DiscountInput,
    days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 90,
        description: 'How many days back; 30 by default.',
        examples: [30],
      }),
    ),
  },
  { $id: 'DiscountEstimateInput' },
);
export type DiscountEstimateInput = Static<typeof DiscountEstimateInput>;

export const DiscountEstimate = Type.Object(
  {
    estimate: Type.Object({
      orders: Type.Integer({ examples: [412] }),
      ordersWithDiscount: Type.Integer({ examples: [57] }),
      totalCents: Type.Integer({
        description: 'Of all these orders, as they were placed.',
        examples: [1_234_500],
      }),
      discountCents: Type.Integer({ description: 'What it would have taken off.', examples: [45_600] }),
      isComplete: Type.Boolean({
        description: 'False: there were more orders than are looked at; these are the newest.',
      }),
    }),
    currency: Type.String({ description: 'ISO 4217.' }),
  },
  { $id: 'DiscountEstimate' },
);
export type DiscountEstimate = Static<typeof DiscountEstimate>;

export const routes = defineRoutes({
  estimateDiscount: {
    method: 'POST',
    path: '/api/stores/{storeId}/reports/discounts',
    access: { member: 'discounts.read' },
    summary: 'Estimate the cost of a discount over past orders',
    description:
      'What it would have taken off the orders of the last days, if it had applied to all of them by itself. Orders that were ' +
      'cancelled do not count. Categories and tags are those of today. Nothing is stored.',
    body: DiscountEstimateInput,
    answer: [200, DiscountEstimate],
    idempotency: 'none',
    errors: [errors.not_found, errors.resource_unavailable],
  },
});
