import { Order } from '@waybill/contracts';
import { defineRoutes } from '@waybill/kernel';
import Type from 'typebox';

const {
  id: _id,
  customerId: _customerId,
  customer: _customer,
  updatedAt: _updatedAt,
  ...shown
} = Order.properties;

/** An order as whoever placed it sees it again: without what says who that was. */
export const Receipt = Type.Object(shown, { $id: 'OrderReceipt' });

/** `decisions.md 17.4`. */
export const routes = defineRoutes({
  getReceipt: {
    method: 'GET',
    path: '/storefront/{storeId}/orders/{token}',
    access: 'public',
    summary: 'Look at an order that one has placed',
    description:
      'By the `token` that placing it was answered with. It tells what was bought, how far the order is, and where it is ' +
      'paid (`paymentUrl`); not who bought it.',
    ids: { storeId: 'store' },
    answer: [200, Type.Object({ order: Receipt })],
  },
});
