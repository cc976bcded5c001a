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
        description: 'The number of past days; 30 by default.',
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
        description: 'The total of all these orders, as placed.',
        examples: [1_234_500],
      }),
      discountCents: Type.Integer({
        description: 'The total discount it would have given.',
        examples: [45_600],
      }),
      isComplete: Type.Boolean({
        description: 'False if there were too many orders to examine; the result then covers the newest.',
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
      'The discount on orders of the last days, had it applied to all of them automatically. Excludes ' +
      'cancelled orders. Uses today’s categories and tags. Stores nothing.',
    body: DiscountEstimateInput,
    answer: [200, DiscountEstimate],
    idempotency: 'none',
    errors: [errors.invalid_status, errors.not_found, errors.resource_unavailable],
  },
});
