import { defineRoutes } from '@waybill/kernel';
import Type from 'typebox';

/** Internal route for the export of a customer, not exposed by the gateway. */
export const routes = defineRoutes({
  listCustomerEvents: {
    method: 'POST',
    path: '/internal/customer-events',
    access: 'service',
    summary: 'List the stored events of a customer and its orders, page by page: `decisions.md 15.7`',
    body: Type.Object({
      storeId: Type.String(),
      customerId: Type.String(),
      orderIds: Type.Optional(Type.Array(Type.String(), { maxItems: 10_000 })),
      after: Type.Union([Type.String(), Type.Null()]),
    }),
    answer: [
      200,
      Type.Object({
        items: Type.Array(Type.Object({ id: Type.String(), type: Type.String(), createdAt: Type.String() })),
        next: Type.Union([Type.String(), Type.Null()]),
      }),
    ],
  },
});
