import {
  CustomFieldValuesInput,
  contentWarnings,
  fulfillmentStatuses,
  Order,
  orderStatuses,
  paymentStatuses,
} from '@waybill/contracts';
import { defineRoutes, instantFilter, nullable, pageSchema, paging, searchRoute } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../errors.ts';

const invalidStatus = { errorCode: 'invalid_status' } as const;
const ignored = Type.Optional(Type.Unknown({ description: 'Set by the server; ignored.' }));

/**
 * A change of an order; omitted fields stay unchanged. All other fields of an order are history and are refused:
 * `decisions.md 3.2`.
 */
export const OrderChange = Type.Object(
  {
    status: Type.Optional(Type.Enum([...orderStatuses], invalidStatus)),
    payment: Type.Optional(Type.Enum([...paymentStatuses], invalidStatus)),
    fulfillment: Type.Optional(Type.Enum([...fulfillmentStatuses], invalidStatus)),
    id: ignored,
    number: ignored,
    createdAt: ignored,
    updatedAt: ignored,
  },
  { $id: 'OrderChange', additionalProperties: false },
);
export type OrderChange = Static<typeof OrderChange>;

export const PaymentLink = Type.Object(
  {
    url: nullable(
      Type.String({
        maxLength: 2048,
        description:
          'The https URL where the customer pays; the order’s page shows it as “Pay now” while the payment is ' +
          'pending; null removes it.',
        examples: ['https://pay.example/o/81f2'],
      }),
    ),
  },
  { $id: 'PaymentLink' },
);

export const OrderCustomFields = Type.Object(
  { customFields: CustomFieldValuesInput },
  { $id: 'CustomFieldsOfOrder' },
);

export const sorts = ['number', 'created', 'updated', 'total'] as const;

const ListQuery = Type.Object({
  ...paging,
  q: Type.Optional(
    Type.String({
      description: 'Every word must occur in the number, the customer’s name or e-mail address.',
    }),
  ),
  status: Type.Optional(Type.Enum([...orderStatuses])),
  payment: Type.Optional(Type.Enum([...paymentStatuses])),
  fulfillment: Type.Optional(Type.Enum([...fulfillmentStatuses])),
  customerId: Type.Optional(Type.String()),
  since: instantFilter('Placed at this time or later.'),
  until: instantFilter('Placed before this time.'),
  sort: Type.Enum([...sorts], { default: 'number' }),
  dir: Type.Enum(['asc', 'desc'], { default: 'desc' }),
});
export type ListQuery = Static<typeof ListQuery>;

const Item = Type.Object({ order: Order });
const WrittenItem = Type.Object({ order: Order, warnings: contentWarnings });
const ids = { id: 'order' } as const;

/** Routes of orders: `store-api.md 4.3`. */
export const routes = defineRoutes({
  listOrders: {
    method: 'GET',
    path: '/api/v1/orders',
    access: { scope: 'orders.read' },
    summary: 'List and search orders',
    description:
      'By status, payment, fulfillment or customer; `q` searches the number, the customer’s name and e-mail ' +
      'address.',
    query: ListQuery,
    answer: [200, pageSchema('orders', Order)],
  },
  createOrder: {
    method: 'POST',
    path: '/api/v1/orders',
    access: { scope: 'orders.write' },
    summary: 'Refuse to create an order: the storefront places orders',
    description:
      'Orders are placed at the storefront, `POST /storefront/{storeId}/orders`, or by a member of the store, ' +
      '`POST /api/stores/{storeId}/orders`.',
    answer: [405, null],
    errors: [errors.orders_are_read_only],
  },
  getOrder: {
    method: 'GET',
    path: '/api/v1/orders/{id}',
    access: { scope: 'orders.read' },
    summary: 'Read an order',
    description: 'The items with their prices, and the customer, as of the order. Neither changes later.',
    ids,
    answer: [200, Item],
  },
  changeOrder: {
    method: 'PATCH',
    path: '/api/v1/orders/{id}',
    access: { scope: 'orders.write' },
    summary: "Change an order's status, payment or fulfillment",
    description:
      '`status`: open ↔ completed, both → cancelled, which is final and restores the stock. `payment`: any to ' +
      'any, except from `paid`, `partially_refunded` and `refunded` back to `pending` or `authorized`; ' +
      '`refunded` refunds payments recorded by hand. `fulfillment`: any to any; `fulfilled` ships everything ' +
      'that is left, `unfulfilled` cancels all fulfilments. Emits `order.updated` if anything changed.',
    ids,
    body: OrderChange,
    // An empty body changes nothing: `decisions.md 3.2`.
    isBodyOptional: true,
    // The handler asks identity for the store's refund limit, because a change of the payment state may be a refund.
    idempotency: 'handler',
    answer: [200, Item],
    errors: [
      errors.invalid_status,
      errors.provider_payment,
      errors.insufficient_role,
      errors.resource_unavailable,
    ],
  },
  setPaymentLink: {
    method: 'PUT',
    path: '/api/v1/orders/{id}/payment-link',
    access: { scope: 'orders.write' },
    summary: 'Set or remove the payment link of an order',
    description:
      'Stored as the order’s `paymentUrl`, and shown to the customer on the order’s page. Emits ' +
      '`order.updated` if it changed.',
    ids,
    body: PaymentLink,
    answer: [200, Item],
  },
  setOrderCustomFields: {
    method: 'PUT',
    path: '/api/v1/orders/{id}/custom-fields',
    access: { scope: 'orders.write' },
    summary: 'Set values of an order’s custom fields',
    description:
      'Omitted keys keep their values; null removes a value. Emits `order.updated` if anything changed.',
    ids,
    body: OrderCustomFields,
    // The handler looks up media and products before it begins a transaction.
    idempotency: 'handler',
    answer: [200, WrittenItem],
    errors: [errors.invalid_custom_field],
  },
  searchOrders: searchRoute('/internal/orders/search'),
});
