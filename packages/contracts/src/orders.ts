import Type, { type Static } from 'typebox';
import { CustomFieldValues } from './custom-fields.ts';
import { idPattern } from './ids.ts';
import { TaxLine, UsedDiscount } from './pricing.ts';
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

const cents = (example: number) =>
  Type.Integer({ description: 'In minor units of the order’s currency.', examples: [example] });
const textOrNull = (example: string) => Type.Union([Type.String(), Type.Null()], { examples: [example] });

/** Maximum quantity of one variant in an order, even if the store allows more. */
export const maxOrderQuantity = 999;

/** A store's own rules for orders from its storefront. */
export const CheckoutSettings = Type.Object(
  {
    maxQuantity: Type.Integer({
      minimum: 1,
      maximum: maxOrderQuantity,
      description: 'The maximum quantity of one variant in an order.',
    }),
    expireUnpaidAfterMinutes: Type.Integer({
      minimum: 0,
      maximum: 525_600,
      description:
        'Minutes after which an order with an open payment at a provider is cancelled and its stock restored. 0: ' +
        'never. Takes effect once the store accepts payments through a provider; until then ' +
        '`expireManualAfterDays` applies to every unpaid order.',
    }),
    expireManualAfterDays: Type.Integer({
      minimum: 0,
      maximum: 365,
      description:
        'Days after which any other open, unfulfilled order with a pending payment is cancelled and its stock ' +
        'restored, including orders placed before the setting. 0: never.',
    }),
    refundLimitCents: Type.Union(
      [Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), Type.Null()],
      {
        description:
          'Refunds above this amount, in minor units of the store’s currency, require the role `admin`. Null: no ' +
          'limit.',
        examples: [null],
      },
    ),
    returnDays: Type.Integer({
      minimum: 0,
      maximum: 3650,
      description: 'Days after delivery during which shoppers can request a return. 0: never.',
    }),
  },
  { $id: 'CheckoutSettings' },
);
export type CheckoutSettings = Static<typeof CheckoutSettings>;

/** A postal address, `decisions.md 3.4`. */
export const Address = Type.Object(
  {
    name: Type.String({ examples: ['Ada Lovelace'] }),
    line1: Type.String({ examples: ['12 St James’s Square'] }),
    line2: Type.String({ examples: [''] }),
    city: Type.String({ examples: ['London'] }),
    region: Type.String({ examples: [''] }),
    postalCode: Type.String({ examples: ['SW1Y 4JH'] }),
    country: Type.String({ description: 'ISO 3166-1 alpha-2.', examples: ['GB'] }),
  },
  { $id: 'Address' },
);
export type Address = Static<typeof Address>;

/** An item that was bought, with its unit price. */
export const LineItem = Type.Object({
  productId: Type.String({ pattern: idPattern('product') }),
  variantId: Type.String({ pattern: idPattern('variant') }),
  sku: textOrNull('EG-1'),
  name: Type.String({
    description: 'The product’s name when the order was placed.',
    examples: ['Earl Grey'],
  }),
  variantName: Type.String({ examples: ['100 g'] }),
  quantity: Type.Integer({ minimum: 1, examples: [2] }),
  unitPriceCents: cents(890),
  totalCents: cents(1780),
});
export type LineItem = Static<typeof LineItem>;

/** A line item with its prices in the order: `decisions.md 21.5`. It never changes. */
export const PricedLineItem = Type.Object({
  ...LineItem.properties,
  options: Type.Record(Type.String(), Type.String(), {
    description: 'The variant’s options when the order was placed.',
    examples: [{ Size: '100 g' }],
  }),
  discountCents: cents(0),
  taxCents: cents(284),
  taxPercent: Type.Union([Type.String(), Type.Null()], { description: 'Null if untaxed.', examples: ['19'] }),
  totalCents: Type.Integer({ description: 'After discounts, without tax on top.', examples: [1780] }),
});
export type PricedLineItem = Static<typeof PricedLineItem>;

/** A priced line item with its fulfilled and refunded quantities: `decisions.md 23.1`. */
export const OrderLineItem = Type.Object({
  ...PricedLineItem.properties,
  fulfilledQuantity: Type.Integer({
    minimum: 0,
    description: 'The number of units fulfilled.',
    examples: [0],
  }),
  refundedQuantity: Type.Integer({ minimum: 0, description: 'The number of units refunded.', examples: [0] }),
});
export type OrderLineItem = Static<typeof OrderLineItem>;

/** An order as the public API and events show it: `store-api.md 2.3`, `decisions.md 3.1`. */
export const Order = Type.Object(
  {
    id: Type.String({ pattern: idPattern('order') }),
    number: Type.Integer({ minimum: 1, description: 'Sequential within the store.' }),
    status: Type.Enum([...orderStatuses]),
    payment: Type.Enum([...paymentStatuses]),
    fulfillment: Type.Enum([...fulfillmentStatuses]),
    currency: Type.String({ description: 'ISO 4217.', examples: ['GBP'] }),
    lineItems: Type.Array(OrderLineItem),
    subtotalCents: cents(1780),
    discountCents: cents(0),
    discounts: Type.Array(UsedDiscount, { description: 'The discounts that were applied.' }),
    shippingCents: cents(0),
    shippingTaxCents: cents(0),
    shippingRate: Type.Union([Type.Object({ id: Type.String(), name: Type.String() }), Type.Null()], {
      description: 'The chosen shipping rate; null if there was nothing to choose.',
      examples: [null],
    }),
    taxCents: cents(284),
    taxLines: Type.Array(TaxLine),
    taxIncluded: Type.Boolean({ description: 'Whether prices include tax.', examples: [true] }),
    reverseCharge: Type.Boolean({ description: 'Whether the buyer owes the tax.', examples: [false] }),
    totalCents: cents(1780),
    paidCents: Type.Integer({ description: 'The amount captured over all payments.', examples: [1780] }),
    refundedCents: Type.Integer({ description: 'The refunded part of that amount.', examples: [0] }),
    dueCents: Type.Integer({
      description: 'The total less the captured amount, never below 0; 0 for a cancelled order.',
      examples: [0],
    }),
    paymentUrl: Type.Optional(
      Type.String({
        description: 'The URL where the customer pays; present once a payment app has set it.',
        examples: ['https://pay.example/o/81f2'],
      }),
    ),
    customerId: Type.Union([Type.String({ pattern: idPattern('customer') }), Type.Null()], {
      description: 'Null once the customer is deleted; the snapshot remains.',
    }),
    customer: Type.Object(
      {
        name: Type.String({ examples: ['Ada Lovelace'] }),
        email: Type.String({ examples: ['ada@example.com'] }),
        phone: textOrNull('+44 20 7946 0000'),
        shippingAddress: Type.Union([Address, Type.Null()]),
      },
      { description: 'The customer as of when the order was placed.' },
    ),
    vatId: textOrNull('FR40303265045'),
    customFields: CustomFieldValues,
    locale: Type.Union([Type.String(), Type.Null()], {
      description: 'The language in which the order was placed, BCP 47.',
      examples: ['en'],
    }),
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
    email: Type.String({
      description: 'Lower-case, unique within the store.',
      examples: ['ada@example.com'],
    }),
    name: Type.String({ examples: ['Ada Lovelace'] }),
    phone: textOrNull('+44 20 7946 0000'),
    tags: Type.Array(Type.String(), { examples: [['regular']] }),
    addresses: Type.Array(Address),
    customFields: CustomFieldValues,
    ordersCount: Type.Integer({
      minimum: 0,
      description: 'The number of orders that are not cancelled.',
      examples: [1],
    }),
    totalSpentCents: Type.Integer({
      description: 'The captured amount less the refunded amount over all orders.',
      examples: [1780],
    }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'Customer' },
);
export type Customer = Static<typeof Customer>;
