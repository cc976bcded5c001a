import { Address, Order } from '@waybill/contracts';
import { defineRoutes, nullable } from '@waybill/kernel';
import Type from 'typebox';
import { errors } from '../errors.ts';
import { CheckoutPayment } from '../payments/schemas.ts';

const {
  id: _id,
  customerId: _customerId,
  customer: _customer,
  vatId: _vatId,
  updatedAt: _updatedAt,
  ...shown
} = Order.properties;

/** An order as its customer sees it again, without the customer's identity. */
export const Receipt = Type.Object(shown, { $id: 'OrderReceipt' });

const OrderNamed = Type.Object({ storeId: Type.String(), orderId: Type.String() });

const MailedReceipt = Type.Object({
  order: Receipt,
  token: nullable(Type.String()),
  customer: Type.Object({ name: Type.String(), email: Type.String() }),
});

/** Routes of receipts: `decisions.md 17.4`. */
export const routes = defineRoutes({
  getReceipt: {
    method: 'GET',
    path: '/storefront/{storeId}/orders/{token}',
    access: 'public',
    summary: 'Read an order as its shopper',
    description:
      'By the `token` returned when the order was placed. Contains the items, the progress of the order, and ' +
      'the page for paying (`paymentUrl`); not the buyer’s data.',
    ids: { storeId: 'store' },
    answer: [200, Type.Object({ order: Receipt, payment: nullable(CheckoutPayment) })],
  },
  payOrder: {
    method: 'POST',
    path: '/storefront/{storeId}/orders/{token}/payments',
    access: 'public',
    summary: 'Pay the amount due of an order, again or by another method',
    description:
      'Earlier attempts end: a session at a provider expires. `invalid_state` for an order that is paid, ' +
      'authorised or cancelled, or whose payment is in progress.',
    ids: { storeId: 'store' },
    body: Type.Object({
      paymentMethodId: Type.String({ maxLength: 100, examples: ['pmm_01jd5w2k0q8v6m3n4p5r6s7t8v'] }),
    }),
    answer: [201, Type.Object({ payment: CheckoutPayment })],
    errors: [errors.invalid_state, errors.invalid_payment_method, errors.rate_limited],
  },
  payFromPage: {
    method: 'POST',
    path: '/internal/receipts/pay',
    access: 'service',
    summary: "Pay the amount due from the order's page; null if that is impossible",
    body: Type.Object({
      storeId: Type.String(),
      token: Type.String(),
      paymentMethodId: Type.String({ maxLength: 100 }),
      address: Type.String(),
    }),
    answer: [200, Type.Object({ payment: nullable(CheckoutPayment) })],
  },
  readReceipt: {
    method: 'POST',
    path: '/internal/receipts/read',
    access: 'service',
    summary: 'Read an order and its delivery by its token',
    body: Type.Object({ storeId: Type.String(), token: Type.String() }),
    answer: [
      200,
      Type.Object({
        order: Receipt,
        shippingAddress: nullable(Address),
        payment: nullable(Type.Unknown()),
        paymentMethods: Type.Array(Type.Unknown()),
      }),
    ],
  },
  /** The previous version of identity still calls this route. */
  receiptOfOrder: {
    method: 'POST',
    path: '/internal/receipts/of-order',
    access: 'service',
    summary: 'Read the current state of an order, for mails',
    body: OrderNamed,
    answer: [200, MailedReceipt],
  },
  receiptsOfOrders: {
    method: 'POST',
    path: '/internal/receipts/of-orders',
    access: 'service',
    summary: 'Read the current state of orders, for mails; null for unknown ones',
    body: Type.Object({ orders: Type.Array(OrderNamed, { maxItems: 100 }) }),
    answer: [200, Type.Object({ receipts: Type.Array(nullable(MailedReceipt)) })],
  },
});
