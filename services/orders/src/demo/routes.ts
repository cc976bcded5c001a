import { fulfillmentStatuses, idPattern, LineItem, orderStatuses, paymentStatuses } from '@waybill/contracts';
import { defineRoutes } from '@waybill/kernel';
import Type, { type Static } from 'typebox';

const PastOrder = Type.Object({
  /** RFC 3339, UTC. */
  createdAt: Type.String({ format: 'date-time' }),
  status: Type.Enum([...orderStatuses]),
  payment: Type.Enum([...paymentStatuses]),
  fulfillment: Type.Enum([...fulfillmentStatuses]),
  currency: Type.String(),
  lineItems: Type.Array(LineItem, { minItems: 1, maxItems: 20 }),
  customer: Type.Object({
    name: Type.String(),
    email: Type.String(),
    shippingAddress: Type.Object({
      name: Type.String(),
      line1: Type.String(),
      city: Type.String(),
      postalCode: Type.String(),
      country: Type.String(),
    }),
  }),
});
export type PastOrder = Static<typeof PastOrder>;

/** Routes that exist only while the demo is created: `decisions.md 9.3`. */
export const routes = defineRoutes({
  addPastOrders: {
    method: 'POST',
    path: '/internal/demo/orders',
    access: 'service',
    summary: 'Create the order history of the demo store',
    description:
      'Emits no events for these orders, so no mails are sent and no webhooks called. 404 unless ' +
      '`WAYBILL_DEMO` is `full`.',
    body: Type.Object({
      storeId: Type.String({ pattern: idPattern('store') }),
      orders: Type.Array(PastOrder, { minItems: 1, maxItems: 500 }),
    }),
    answer: [
      200,
      Type.Object({
        added: Type.Integer({ description: 'The number of orders added; 0 if they were added before.' }),
      }),
    ],
  },
});
