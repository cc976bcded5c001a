import { idPattern, LineItem } from '@waybill/contracts';
import { defineRoutes } from '@waybill/kernel';
import Type from 'typebox';
import { LineFacts } from '../stock/line-facts.ts';

const variantId = Type.String();

/** Routes between orders and the catalog only: `Reservation` in the contracts. */
export const routes = defineRoutes({
  reserveStock: {
    method: 'POST',
    path: '/internal/reservations',
    access: 'service',
    summary: 'Reserve the stock of all items of an order, or of none',
    body: Type.Object({
      storeId: Type.String({ pattern: idPattern('store') }),
      orderId: Type.String({ pattern: idPattern('order') }),
      expiresAt: Type.String(),
      items: Type.Array(Type.Object({ variantId, quantity: Type.Integer({ minimum: 1 }) }), { minItems: 1 }),
    }),
    answer: [
      200,
      Type.Union([
        Type.Object({
          outcome: Type.Literal('reserved'),
          lines: Type.Array(LineItem),
          facts: Type.Array(LineFacts),
        }),
        Type.Object({
          outcome: Type.Literal('out_of_stock'),
          variants: Type.Array(Type.Object({ variantId, available: Type.Boolean() })),
        }),
        Type.Object({
          outcome: Type.Literal('refused'),
          problems: Type.Array(Type.Object({ variantId, message: Type.String() })),
        }),
        Type.Object({ outcome: Type.Literal('expired') }),
      ]),
    ],
  },
  releaseStock: {
    method: 'POST',
    path: '/internal/reservations/release',
    access: 'service',
    summary: 'Release the reservation of an order that will never be placed',
    body: Type.Object({
      storeId: Type.String({ pattern: idPattern('store') }),
      orderId: Type.String({ pattern: idPattern('order') }),
    }),
    answer: [204, null],
  },
});
