import { defineRoutes, nullable } from '@waybill/kernel';
import Type from 'typebox';

const OrderPart = Type.Object({
  kind: Type.Enum(['fulfillment', 'refund', 'return', 'document']),
  id: Type.String(),
  at: Type.Optional(Type.String({ description: 'The instant of the change that the mail is about.' })),
});

/** Routes with which identity reads the contents of mails to customers: `decisions.md 23.7`. */
export const routes = defineRoutes({
  listMailedOrders: {
    method: 'POST',
    path: '/internal/mailed-orders',
    access: 'service',
    summary: 'Read current orders for mails; null for unknown ones',
    body: Type.Object({
      orders: Type.Array(
        Type.Object({ storeId: Type.String(), orderId: Type.String(), part: nullable(OrderPart) }),
        { maxItems: 100 },
      ),
    }),
    answer: [200, Type.Object({ orders: Type.Array(Type.Unknown()) })],
  },
  getBranding: {
    method: 'POST',
    path: '/internal/documents/branding',
    access: 'service',
    summary: 'Read the logo of a store’s documents: a PNG in base64',
    body: Type.Object({ storeId: Type.String() }),
    answer: [200, Type.Object({ logo: nullable(Type.String()) })],
  },
});
