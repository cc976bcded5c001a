import Type, { type Static } from 'typebox';
import { countries } from './countries.ts';
import { exampleId } from './examples.ts';
import { idPattern } from './ids.ts';
import { linePattern, Name } from './names.ts';
import { Timestamp } from './resources.ts';

const nullable = <Schema extends Parameters<typeof Type.Array>[0]>(schema: Schema) =>
  Type.Union([schema, Type.Null()]);

/** Maximum of an amount that somebody sets, in minor units: below it, sums of an order stay exact. */
const maxAmountCents = 1_000_000_000_000;
const cents = (example: number, description?: string) =>
  Type.Integer({
    minimum: 0,
    maximum: maxAmountCents,
    examples: [example],
    ...(description && { description }),
  });
const shownCents = (example: number, description = 'In minor units.') =>
  Type.Integer({ description, examples: [example] });

const percentPattern = '^(100(\\.0{1,4})?|[0-9]{1,2}(\\.[0-9]{1,4})?)$';
const Percent = (example: string) =>
  Type.String({
    pattern: percentPattern,
    description: 'From 0 to 100, with at most four decimals.',
    examples: [example],
  });

export const standardTaxCategory = 'standard';
const TaxCategory = Type.String({ minLength: 1, maxLength: 60, examples: ['standard'] });
const Country = Type.Enum([...countries], { description: 'ISO 3166-1 alpha-2.', examples: ['DE'] });
const Region = Type.String({ minLength: 1, maxLength: 200, pattern: linePattern, examples: ['CA'] });

export const TaxRate = Type.Object(
  {
    country: Country,
    region: nullable(Type.String({ examples: ['CA'] })),
    category: TaxCategory,
    name: Type.String({ description: 'The name shown to customers.', examples: ['VAT'] }),
    percent: Percent('19'),
  },
  { $id: 'TaxRate' },
);
export type TaxRate = Static<typeof TaxRate>;

const ElsewhereTax = Type.Enum(['none', 'home'], {
  description: 'The tax on orders to places without a rate: none, or as in the home country.',
});
const taxOfShipping = Type.Enum(['proportional', 'standard', 'none'], {
  description: 'Shipping is taxed in proportion to the shipped items, at the standard rate, or not at all.',
});
const displayNote = Type.String({
  maxLength: 500,
  description: 'Shown below the total in cart and checkout.',
  examples: ['Small business: no VAT is charged.'],
});

/** `decisions.md 21.1`. */
export const Taxes = Type.Object(
  {
    pricesIncludeTax: Type.Boolean({ examples: [true] }),
    homeCountry: nullable(Country),
    elsewhere: ElsewhereTax,
    categories: Type.Array(TaxCategory, { examples: [['standard', 'reduced']] }),
    rates: Type.Array(TaxRate),
    shipping: taxOfShipping,
    reverseCharge: Type.Boolean({
      description: 'Whether orders of businesses with a VAT ID in other EU countries are untaxed.',
      examples: [false],
    }),
    displayNote,
  },
  { $id: 'Taxes' },
);
export type Taxes = Static<typeof Taxes>;

/** The taxes of a store that has configured none. */
export const noTaxes: Taxes = {
  pricesIncludeTax: true,
  homeCountry: null,
  elsewhere: 'none',
  categories: [standardTaxCategory],
  rates: [],
  shipping: 'proportional',
  reverseCharge: false,
  displayNote: '',
};

export const maxTaxCategories = 100;

const TaxRateInput = Type.Object({
  country: Country,
  region: Type.Optional(nullable(Region)),
  category: Type.Optional(TaxCategory),
  name: Name({ pattern: linePattern, examples: ['VAT'] }),
  percent: Percent('19'),
});

export const TaxesInput = Type.Object(
  {
    pricesIncludeTax: Type.Optional(Taxes.properties.pricesIncludeTax),
    homeCountry: Type.Optional(Taxes.properties.homeCountry),
    elsewhere: Type.Optional(ElsewhereTax),
    categories: Type.Optional(
      Type.Array(TaxCategory, {
        maxItems: maxTaxCategories,
        description: 'Always includes `standard`, even if omitted.',
        examples: [['standard', 'reduced']],
      }),
    ),
    rates: Type.Optional(Type.Array(TaxRateInput, { maxItems: 2_000 })),
    shipping: Type.Optional(taxOfShipping),
    reverseCharge: Type.Optional(Taxes.properties.reverseCharge),
    displayNote: Type.Optional(displayNote),
  },
  { $id: 'TaxesInput' },
);
export type TaxesInput = Static<typeof TaxesInput>;

export const taxPresets = ['eu', 'uk', 'ch', 'no'] as const;
export type TaxPreset = (typeof taxPresets)[number];

export const shippingRateKinds = ['flat', 'weight', 'subtotal', 'pickup'] as const;
const ShippingRateKind = Type.Enum([...shippingRateKinds], {
  description: '`weight` and `subtotal` are priced by their `steps`, the others by `priceCents`.',
});
const Step = Type.Object({
  from: Type.Integer({
    minimum: 0,
    maximum: maxAmountCents,
    description: 'Grams, or minor units of the shipped items after discounts.',
    examples: [0],
  }),
  priceCents: cents(490),
});
const Days = Type.Integer({ minimum: 0, maximum: 365, examples: [2] });
const rateFields = {
  priceCents: nullable(cents(490)),
  steps: nullable(Type.Array(Step, { minItems: 1, maxItems: 100 })),
  freeFromCents: nullable(
    cents(5000, 'The value of the shipped items, after discounts, from which shipping is free.'),
  ),
  minDays: nullable(Days),
  maxDays: nullable(Days),
};

export const ShippingRate = Type.Object(
  {
    id: Type.String({ pattern: idPattern('shippingRate') }),
    name: Type.String({ examples: ['Parcel'] }),
    kind: ShippingRateKind,
    ...rateFields,
    isEnabled: Type.Boolean({ examples: [true] }),
  },
  { $id: 'ShippingRate' },
);
export type ShippingRate = Static<typeof ShippingRate>;

const ZoneCountries = Type.Array(Type.Enum([...countries, '*']), {
  minItems: 1,
  maxItems: 300,
  description: 'ISO 3166-1 alpha-2, or `*` alone for every country.',
  examples: [['DE', 'AT']],
});
const PostalCode = Type.String({ minLength: 1, maxLength: 20, pattern: linePattern, examples: ['10*'] });
const zoneFields = {
  countries: ZoneCountries,
  regions: nullable(Type.Array(Region, { minItems: 1, maxItems: 500, examples: [['CA', 'OR']] })),
  postalCodes: nullable(
    Type.Array(PostalCode, {
      minItems: 1,
      maxItems: 1_000,
      description: 'Full postal codes, or prefixes followed by `*`.',
      examples: [['10*']],
    }),
  ),
};

export const ShippingZone = Type.Object(
  {
    id: Type.String({ pattern: idPattern('shippingZone') }),
    name: Type.String({ examples: ['Germany'] }),
    ...zoneFields,
    rates: Type.Array(ShippingRate),
  },
  { $id: 'ShippingZone' },
);
export type ShippingZone = Static<typeof ShippingZone>;

/** `decisions.md 21.2`. */
export const Shipping = Type.Object({ zones: Type.Array(ShippingZone) }, { $id: 'Shipping' });
export type Shipping = Static<typeof Shipping>;

/** The schema of an id in a request: one that exists already; any other is replaced. */
const sentId = (kind: 'shippingZone' | 'shippingRate') =>
  Type.Optional(
    nullable(
      Type.String({
        maxLength: 100,
        description: 'The ID of an existing zone or rate; any other ID is replaced.',
        examples: [exampleId(kind)],
      }),
    ),
  );

const ShippingRateInput = Type.Object({
  id: sentId('shippingRate'),
  name: Type.Optional(Name({ pattern: linePattern, examples: ['Parcel'] })),
  kind: Type.Optional(ShippingRateKind),
  priceCents: Type.Optional(rateFields.priceCents),
  steps: Type.Optional(rateFields.steps),
  freeFromCents: Type.Optional(rateFields.freeFromCents),
  minDays: Type.Optional(rateFields.minDays),
  maxDays: Type.Optional(rateFields.maxDays),
  isEnabled: Type.Optional(Type.Boolean({ examples: [true] })),
});
export type ShippingRateInput = Static<typeof ShippingRateInput>;

const ShippingZoneInput = Type.Object({
  id: sentId('shippingZone'),
  name: Type.Optional(Name({ pattern: linePattern, examples: ['Germany'] })),
  countries: Type.Optional(ZoneCountries),
  regions: Type.Optional(zoneFields.regions),
  postalCodes: Type.Optional(zoneFields.postalCodes),
  rates: Type.Optional(Type.Array(ShippingRateInput, { maxItems: 50 })),
});
export type ShippingZoneInput = Static<typeof ShippingZoneInput>;

export const ShippingInput = Type.Object(
  { zones: Type.Optional(Type.Array(ShippingZoneInput, { maxItems: 200 })) },
  { $id: 'ShippingInput' },
);
export type ShippingInput = Static<typeof ShippingInput>;

export const discountKinds = ['percentage', 'amount', 'freeShipping', 'buyXGetY'] as const;
export const discountStatuses = ['active', 'disabled'] as const;
export const appliesToKinds = ['order', 'products', 'categories', 'tags'] as const;

const AppliesTo = Type.Object({
  kind: Type.Enum([...appliesToKinds]),
  ids: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      maxItems: 1_000,
      description: 'For `products` and `categories`.',
    }),
  ),
  tags: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 60 }), {
      maxItems: 100,
      description: 'For `tags`.',
      examples: [['sale']],
    }),
  ),
});
export type AppliesTo = Static<typeof AppliesTo>;
/** The products that a discount applies to as a request sends them: omitted fields are kept. */
const AppliesToInput = Type.Partial(AppliesTo);
export type AppliesToInput = Static<typeof AppliesToInput>;

const Quantity = Type.Integer({ minimum: 1, maximum: 1_000_000, examples: [2] });
const Uses = Type.Integer({ minimum: 1, maximum: 1_000_000_000, examples: [100] });
const Minimum = Type.Object({
  subtotalCents: nullable(cents(5000)),
  quantity: nullable(Quantity),
});
const Limits = Type.Object({
  total: nullable(Uses),
  perCustomer: nullable(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: 'Counted by e-mail address.',
      examples: [1],
    }),
  ),
});
const Buy = Type.Object({ quantity: Quantity, appliesTo: AppliesTo });
const Get = Type.Object({ quantity: Quantity, appliesTo: AppliesTo, percent: Percent('100') });
const BuyInput = Type.Partial(Type.Object({ ...Buy.properties, appliesTo: AppliesToInput }));
const GetInput = Type.Partial(Type.Object({ ...Get.properties, appliesTo: AppliesToInput }));

const Code = Type.String({
  minLength: 1,
  maxLength: 60,
  description: 'Visible characters; compared without regard to case and diacritics.',
  examples: ['SPRING'],
});

/** `decisions.md 21.3`. */
export const Discount = Type.Object(
  {
    id: Type.String({ pattern: idPattern('discount') }),
    title: Type.String({ examples: ['Spring sale'] }),
    code: nullable(
      Type.String({
        description: 'Null if the discount applies automatically, or through single-use codes.',
        examples: ['SPRING'],
      }),
    ),
    status: Type.Enum([...discountStatuses]),
    startsAt: nullable(Timestamp),
    endsAt: nullable(Timestamp),
    kind: Type.Enum([...discountKinds]),
    percent: nullable(Percent('12.5')),
    amountCents: nullable(Type.Integer({ examples: [500] })),
    appliesTo: nullable(AppliesTo),
    minimum: Minimum,
    buy: nullable(Buy),
    get: nullable(Get),
    limits: Limits,
    isCombinable: Type.Boolean({ examples: [false] }),
    usedCount: Type.Integer({ minimum: 0, examples: [3] }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'Discount' },
);
export type Discount = Static<typeof Discount>;

const Instant = nullable(Type.String({ description: 'RFC 3339.', examples: ['2026-12-01T00:00:00.000Z'] }));

/** The fields that a request can set of a discount. Fields that its kind does not use are not stored. */
export const DiscountPatch = Type.Object(
  {
    title: Type.Optional(Name({ pattern: linePattern, examples: ['Spring sale'] })),
    code: Type.Optional(nullable(Code)),
    status: Type.Optional(Type.Enum([...discountStatuses], { errorCode: 'invalid_status' })),
    startsAt: Type.Optional(Instant),
    endsAt: Type.Optional(Instant),
    kind: Type.Optional(Type.Enum([...discountKinds])),
    percent: Type.Optional(nullable(Percent('12.5'))),
    amountCents: Type.Optional(
      nullable(Type.Integer({ minimum: 1, maximum: maxAmountCents, examples: [500] })),
    ),
    appliesTo: Type.Optional(nullable(AppliesToInput)),
    minimum: Type.Optional(nullable(Type.Partial(Minimum))),
    buy: Type.Optional(nullable(BuyInput)),
    get: Type.Optional(nullable(GetInput)),
    limits: Type.Optional(nullable(Type.Partial(Limits))),
    isCombinable: Type.Optional(Type.Boolean({ examples: [false] })),
  },
  { $id: 'DiscountPatch' },
);
export type DiscountPatch = Static<typeof DiscountPatch>;

export const DiscountInput = Type.Object(
  {
    ...DiscountPatch.properties,
    title: Name({ pattern: linePattern, examples: ['Spring sale'] }),
    kind: Type.Enum([...discountKinds]),
  },
  {
    $id: 'DiscountInput',
    // Without it, the example would have the fields of all kinds, which a store refuses.
    examples: [
      {
        title: 'Spring sale',
        code: 'SPRING',
        status: 'active',
        kind: 'percentage',
        percent: '12.5',
        appliesTo: { kind: 'order' },
        minimum: { subtotalCents: 5000 },
        limits: { total: 100, perCustomer: 1 },
        isCombinable: false,
      },
    ],
  },
);
export type DiscountInput = Static<typeof DiscountInput>;

/** Maximum number of single-use codes that one request creates, and that a discount may have. */
export const maxNewCodes = 10_000;
export const maxDiscountCodes = 100_000;

export const DiscountCode = Type.Object(
  {
    code: Type.String({ examples: ['SPRING-7K2M9QX4'] }),
    usedAt: nullable(Timestamp),
    orderId: nullable(Type.String({ pattern: idPattern('order') })),
  },
  { $id: 'SingleUseCode' },
);
export type DiscountCode = Static<typeof DiscountCode>;

/** Maximum number of codes in an order. */
export const maxTypedCodes = 20;

export const DiscountCodes = Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
  maxItems: maxTypedCodes,
  description: 'As the shopper typed them.',
  examples: [['SPRING']],
});

/** Creates the schema of a text of one line. */
export const LineText = (maxLength: number, example: string) =>
  Type.String({ maxLength, pattern: linePattern, examples: [example] });

export const TaxLine = Type.Object(
  {
    name: Type.String({ examples: ['VAT'] }),
    percent: Type.String({ examples: ['19'] }),
    baseCents: shownCents(1496, 'Net.'),
    taxCents: shownCents(284),
  },
  { $id: 'TaxLine' },
);
export type TaxLine = Static<typeof TaxLine>;

export const UsedDiscount = Type.Object(
  {
    id: Type.String({ pattern: idPattern('discount') }),
    title: Type.String({ examples: ['Spring sale'] }),
    code: nullable(Type.String({ examples: ['SPRING'] })),
    amountCents: shownCents(0, 'The amount saved.'),
  },
  { $id: 'UsedDiscount' },
);
export type UsedDiscount = Static<typeof UsedDiscount>;

export const rejectionReasons = [
  'unknown',
  'notStarted',
  'ended',
  'disabled',
  'usedUp',
  'minimum',
  'notCombinable',
  'nothingApplies',
] as const;
export const RejectedCode = Type.Object(
  { code: Type.String({ examples: ['SPRING'] }), reason: Type.Enum([...rejectionReasons]) },
  { $id: 'RejectedCode' },
);
export type RejectedCode = Static<typeof RejectedCode>;

const taxPercent = nullable(Type.String({ description: 'Null if untaxed.', examples: ['19'] }));

export const OfferedRate = Type.Object(
  {
    id: Type.String({ pattern: idPattern('shippingRate') }),
    name: Type.String({ examples: ['Parcel'] }),
    priceCents: shownCents(490, 'Before free shipping.'),
    minDays: nullable(Days),
    maxDays: nullable(Days),
  },
  { $id: 'OfferedRate' },
);
export type OfferedRate = Static<typeof OfferedRate>;

const QuoteLine = Type.Object({
  variantId: Type.String(),
  quantity: Type.Integer({ minimum: 1, examples: [2] }),
  unitPriceCents: shownCents(890),
  subtotalCents: shownCents(1780),
  discountCents: shownCents(0),
  taxCents: shownCents(284),
  taxPercent,
  totalCents: shownCents(1780, 'After discounts, without tax on top.'),
  problem: nullable(Type.Enum(['outOfStock', 'unavailable'])),
});

export const quoteStepKinds = [
  'line',
  'reverseCharge',
  'discount',
  'shipping',
  'freeShipping',
  'tax',
  'includedTax',
] as const;

/** `decisions.md 21.4`. */
export const Quote = Type.Object(
  {
    currency: Type.String({ description: 'ISO 4217.', examples: ['EUR'] }),
    lines: Type.Array(QuoteLine),
    subtotalCents: shownCents(1780),
    discountCents: shownCents(0, 'Excludes savings from free shipping.'),
    shippingCents: shownCents(0),
    shippingTaxCents: shownCents(0),
    taxCents: shownCents(284),
    totalCents: shownCents(1780),
    taxIncluded: Type.Boolean({ description: 'Whether prices include tax.', examples: [true] }),
    reverseCharge: Type.Boolean({ examples: [false] }),
    taxLines: Type.Array(TaxLine),
    shippingRates: Type.Array(OfferedRate),
    shippingRateId: nullable(Type.String({ pattern: idPattern('shippingRate') })),
    discounts: Type.Array(UsedDiscount),
    rejectedCodes: Type.Array(RejectedCode),
    missing: Type.Array(Type.Enum(['country']), {
      description: 'The fields required before the order has a price.',
      examples: [[]],
    }),
    steps: Type.Optional(
      Type.Array(
        Type.Object({
          kind: Type.Enum([...quoteStepKinds]),
          text: Type.String({ examples: ['2 × Earl Grey'] }),
          amountCents: shownCents(1780),
        }),
        { description: 'With `explain`: the changes to the amount, in order.' },
      ),
    ),
  },
  { $id: 'Quote' },
);
export type Quote = Static<typeof Quote>;
