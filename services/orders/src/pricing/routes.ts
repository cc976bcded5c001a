import {
  countries,
  DiscountCodes,
  Email,
  IdInput,
  idPattern,
  LineText,
  maxOrderQuantity,
  Quote,
  Shipping,
  ShippingInput,
  Taxes,
  TaxesInput,
  taxPresets,
} from '@waybill/contracts';
import { defineRoutes, nullable } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../errors.ts';

export const OrderItems = Type.Array(
  Type.Object({
    variantId: IdInput('variant'),
    quantity: Type.Integer({ minimum: 1, maximum: maxOrderQuantity }),
  }),
  {
    minItems: 1,
    maxItems: 100,
    description:
      'A variant that occurs twice becomes one line item; the maximum quantity of each is set by the store, at ' +
      `most ${maxOrderQuantity}.`,
  },
);

/** The choices that orders and quotes accept besides the items. */
export const pricingChoices = {
  discountCodes: Type.Optional(nullable(DiscountCodes)),
  shippingRateId: Type.Optional(
    nullable(
      Type.String({
        maxLength: 100,
        description: 'By default the cheapest rate offered other than pickup.',
        examples: ['shr_01jd5w2k0q8v6m3n4p5r6s7t8v'],
      }),
    ),
  ),
  vatId: Type.Optional(
    nullable(
      Type.String({
        maxLength: 50,
        description: 'The VAT ID of the buyer’s business.',
        examples: ['FR40303265045'],
      }),
    ),
  ),
};

const QuoteInput = Type.Object(
  {
    items: OrderItems,
    ...pricingChoices,
    country: Type.Optional(
      nullable(Type.Enum(['', ...countries], { description: 'ISO 3166-1 alpha-2.', examples: ['DE'] })),
    ),
    region: Type.Optional(nullable(LineText(200, 'Bavaria'))),
    postalCode: Type.Optional(nullable(LineText(200, '10115'))),
    explain: Type.Optional(
      Type.Boolean({ description: 'Whether to explain how each amount is calculated.', examples: [false] }),
    ),
  },
  { $id: 'QuoteInput' },
);
export type QuoteInput = Static<typeof QuoteInput>;

const MemberQuoteInput = Type.Object(
  { ...QuoteInput.properties, email: Type.Optional(nullable(Email)) },
  { $id: 'MemberQuoteInput' },
);

const TaxesItem = Type.Object({ taxes: Taxes });
const ShippingItem = Type.Object({ shipping: Shipping });
const QuoteItem = Type.Object({ quote: Quote });
const ids = { storeId: 'store' } as const;
const quoteErrors = [errors.no_shipping, errors.invalid_shipping_rate, errors.invalid_vat_id];

/** Routes of pricing: `decisions.md 21.1, 21.2, 21.4`. */
export const routes = defineRoutes({
  getTaxes: {
    method: 'GET',
    path: '/api/stores/{storeId}/taxes',
    access: { member: 'orders.read' },
    summary: 'Read the tax settings of a store',
    description: 'Without rates there is no tax.',
    ids,
    answer: [200, TaxesItem],
  },
  replaceTaxes: {
    method: 'PUT',
    path: '/api/stores/{storeId}/taxes',
    access: { member: 'manager' },
    summary: 'Replace the tax settings of a store',
    description:
      'Omitted fields keep their values; `rates` are replaced as a whole. Placed orders do not change.',
    ids,
    body: TaxesInput,
    answer: [200, TaxesItem],
  },
  applyTaxPreset: {
    method: 'POST',
    path: '/api/stores/{storeId}/taxes/presets',
    access: { member: 'manager' },
    summary: "Apply today's tax rates of some countries",
    description:
      'Replaces the rates of the preset’s countries with their standard and reduced rates as of 1 January 2026 ' +
      '(sources: European Commission, HMRC, the tax administrations of Switzerland and Norway), and adds the ' +
      'required tax categories.',
    ids,
    body: Type.Object({ preset: Type.Enum([...taxPresets]) }),
    answer: [200, TaxesItem],
  },
  getShipping: {
    method: 'GET',
    path: '/api/stores/{storeId}/shipping',
    access: { member: 'orders.read' },
    summary: 'Read the shipping settings of a store',
    description: 'Without zones, shipping is free and there is nothing to choose.',
    ids,
    answer: [200, ShippingItem],
  },
  replaceShipping: {
    method: 'PUT',
    path: '/api/stores/{storeId}/shipping',
    access: { member: 'manager' },
    summary: 'Replace the shipping settings of a store',
    description:
      'The server assigns the IDs. A zone or rate sent with its ID keeps it, and the values that are omitted.',
    ids,
    body: ShippingInput,
    answer: [200, ShippingItem],
  },
  quote: {
    method: 'POST',
    path: '/storefront/{storeId}/quotes',
    access: 'public',
    summary: 'Calculate the price of a cart',
    description:
      'Matches the charge of `POST /storefront/{storeId}/orders` to the cent, and includes the available ' +
      'shipping rates. Rate-limited per address. Does not check whether a customer has used a discount before.',
    ids,
    body: QuoteInput,
    idempotency: 'none',
    answer: [200, QuoteItem],
    errors: [...quoteErrors, errors.rate_limited, errors.resource_unavailable],
  },
  quoteForCustomer: {
    method: 'POST',
    path: '/api/stores/{storeId}/quotes',
    access: { member: 'orders.read' },
    summary: 'Calculate the price of a cart for a customer',
    description: 'Works like the storefront; with `email`, excludes discounts that the customer has used up.',
    ids,
    body: MemberQuoteInput,
    idempotency: 'none',
    answer: [200, QuoteItem],
    errors: quoteErrors,
  },
  readHomeCountry: {
    method: 'POST',
    path: '/internal/pricing/home-country',
    access: 'service',
    summary:
      'Check whether a store is in the EU by its tax settings, which decides the former price that its pages show',
    body: Type.Object({ storeId: Type.String({ pattern: idPattern('store') }) }),
    answer: [200, Type.Object({ isInEu: Type.Boolean() })],
  },
  quoteForPage: {
    method: 'POST',
    path: '/internal/quotes',
    access: 'service',
    summary: 'Calculate the price of a cart on a store page',
    body: Type.Object({ storeId: Type.String({ pattern: idPattern('store') }), ...QuoteInput.properties }),
    answer: [200, Type.Unknown()],
  },
});
