import Type, { type Static } from 'typebox';
import { idPattern } from './ids.ts';
import { Timestamp } from './resources.ts';

export const orderStatuses = ['open', 'completed', 'cancelled'] as const;
export const paymentStatuses = [
  'pending',
  'authorized',
  'paid',
  'partially_refunded',
  'refunded',
  'voided',
] as const;
export const fulfillmentStatuses = ['unfulfilled', 'partially_fulfilled', 'fulfilled', 'returned'] as const;

const cents = Type.Integer({ description: 'In minor units of the order’s currency.' });
const textOrNull = Type.Union([Type.String(), Type.Null()]);

/** The most pieces of one variant in an order, whatever its store allows. */
export const maxOrderQuantity = 999;

/** A store's own rules for orders from its storefront. */
export const CheckoutSettings = Type.Object(
  {
    maxQuantity: Type.Integer({
      minimum: 1,
      maximum: maxOrderQuantity,
      description: 'The most pieces of one variant in an order.',
    }),
    expireUnpaidAfterMinutes: Type.Integer({
      minimum: 0,
      maximum: 525_600,
      description:
        'An order that is still open, unfulfilled and its payment pending after so many minutes is cancelled, and ' +
        'its stock put back; orders placed before it was set, too. 0: never.',
    }),
  },
  { $id: 'CheckoutSettings' },
);
export type CheckoutSettings = Static<typeof CheckoutSettings>;

/** A postal address, `decisions.md 3.4`. */
export const Address = Type.Object(
  {
    name: Type.String(),
    line1: Type.String(),
    line2: Type.String(),
    city: Type.String(),
    region: Type.String(),
    postalCode: Type.String(),
    country: Type.String({ description: 'ISO 3166-1 alpha-2.' }),
  },
  { $id: 'Address' },
);
export type Address = Static<typeof Address>;

export const LineItem = Type.Object({
  productId: Type.String({ pattern: idPattern('product') }),
  variantId: Type.String({ pattern: idPattern('variant') }),
  sku: textOrNull,
  name: Type.String({ description: 'The product’s name when the order was placed.' }),
  variantName: Type.String(),
  quantity: Type.Integer({ minimum: 1 }),
  unitPriceCents: cents,
  totalCents: cents,
});
export type LineItem = Static<typeof LineItem>;

/** An order as the public API and events show it: `store-api.md 2.3`, `decisions.md 3.1`. */
export const Order = Type.Object(
  {
    id: Type.String({ pattern: idPattern('order') }),
    number: Type.Integer({ minimum: 1, description: 'Sequential in the store.' }),
    status: Type.Enum([...orderStatuses]),
    payment: Type.Enum([...paymentStatuses]),
    fulfillment: Type.Enum([...fulfillmentStatuses]),
    currency: Type.String({ description: 'ISO 4217.' }),
    lineItems: Type.Array(LineItem),
    subtotalCents: cents,
    shippingCents: cents,
    taxCents: cents,
    totalCents: cents,
    customerId: Type.Union([Type.String({ pattern: idPattern('customer') }), Type.Null()], {
      description: 'Null once the customer is deleted; the snapshot stays.',
    }),
    customer: Type.Object(
      {
        name: Type.String(),
        email: Type.String(),
        phone: textOrNull,
        shippingAddress: Type.Union([Address, Type.Null()]),
      },
      { description: 'As it was when the order was placed.' },
    ),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'Order' },
);
export type Order = Static<typeof Order>;

/** A customer as the public API and events show it: `store-api.md 2.4`, `decisions.md 3.4`. */
export const Customer = Type.Object(
  {
    id: Type.String({ pattern: idPattern('customer') }),
    email: Type.String({ description: 'Lower-case, unique in the store.' }),
    name: Type.String(),
    phone: textOrNull,
    tags: Type.Array(Type.String()),
    addresses: Type.Array(Address),
    ordersCount: Type.Integer({ minimum: 0, description: 'Orders that are not cancelled.' }),
    totalSpentCents: Type.Integer({ description: 'Of orders paid or partially refunded.' }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'Customer' },
);
export type Customer = Static<typeof Customer>;
