/**
 * Input and output of `price`. All amounts are whole minor units of the store's currency, below 2^53 even in sum.
 * Percentages are decimal texts (`"19"`, `"12.5"`); instants are milliseconds since 1970.
 */

/** The lines a shopper wants to buy, and the known parts of the destination. */
export interface Cart {
  lines: readonly CartLine[];
  /** In the order in which they were typed, without duplicates. */
  codes?: readonly TypedCode[];
  /** ISO 3166-1 alpha-2; null if not known yet. */
  country?: string | null;
  region?: string | null;
  postalCode?: string | null;
  /** The chosen rate; null selects the cheapest. */
  shippingRateId?: string | null;
  /** The EU country of the buyer's valid VAT id; null without one. */
  vatIdCountry?: string | null;
}

export interface CartLine {
  variantId: string;
  productId: string;
  /** Shown in the steps that explain the price. */
  name?: string;
  quantity: number;
  unitPriceCents: number;
  taxCategory: string;
  categoryIds: readonly string[];
  tags: readonly string[];
  requiresShipping: boolean;
  /** Weight of one unit; null counts as 0. */
  weightGrams: number | null;
  /** An unavailable line counts as nothing; a line that is out of stock counts like any other. */
  problem: null | 'outOfStock' | 'unavailable';
}

/** A code that a shopper typed, and the discount that it belongs to. */
export interface TypedCode {
  /** The code as shown in the answer: as stored, or as typed if it is a single-use code. */
  code: string;
  /** Null if no discount has this code. */
  discountId: string | null;
  /** True if the code is single-use and was used, or if this shopper has reached a limit. */
  isUsedUp?: boolean;
}

export interface Rules {
  currency: string;
  /** Null if the store has no tax rules and so charges no tax. */
  taxes: Taxes | null;
  zones: readonly Zone[];
  /** Oldest first. */
  discounts: readonly Discount[];
  /** The time at which the cart is priced. */
  now: number;
}

/** Tax rules of a store, `decisions.md 21.1`. */
export interface Taxes {
  pricesIncludeTax: boolean;
  homeCountry: string | null;
  elsewhere: 'none' | 'home';
  rates: readonly TaxRate[];
  shipping: 'proportional' | 'standard' | 'none';
  reverseCharge: boolean;
}

export interface TaxRate {
  country: string;
  region: string | null;
  category: string;
  name: string;
  percent: string;
}

/** A shipping zone, `decisions.md 21.2`. */
export interface Zone {
  id: string;
  name: string;
  /** `["*"]` means every country. */
  countries: readonly string[];
  regions: readonly string[] | null;
  /** Each is a whole code, or a prefix followed by `*`. */
  postalCodes: readonly string[] | null;
  rates: readonly ShippingRate[];
}

export interface ShippingRate {
  id: string;
  name: string;
  kind: 'flat' | 'weight' | 'subtotal' | 'pickup';
  /** Null if `steps` set the price. */
  priceCents: number | null;
  /** In ascending order. */
  steps: readonly { from: number; priceCents: number }[] | null;
  freeFromCents: number | null;
  minDays: number | null;
  maxDays: number | null;
  isEnabled: boolean;
}

/** A discount, `decisions.md 21.3`. */
export interface Discount {
  id: string;
  title: string;
  /** Null if the discount applies automatically, unless it has single-use codes. */
  code: string | null;
  hasSingleUseCodes: boolean;
  status: 'active' | 'disabled';
  startsAt: number | null;
  endsAt: number | null;
  kind: 'percentage' | 'amount' | 'freeShipping' | 'buyXGetY';
  percent: string | null;
  amountCents: number | null;
  appliesTo: AppliesTo | null;
  minimum: { subtotalCents: number | null; quantity: number | null } | null;
  buy: { quantity: number; appliesTo: AppliesTo } | null;
  get: { quantity: number; appliesTo: AppliesTo; percent: string } | null;
  isCombinable: boolean;
  /** Whether its limits are reached. */
  isUsedUp: boolean;
}

export type AppliesTo =
  | { kind: 'order' }
  | { kind: 'products' | 'categories'; ids: readonly string[] }
  | { kind: 'tags'; tags: readonly string[] };

/** The price of a cart, `decisions.md 21.4`. */
export interface Quote {
  currency: string;
  lines: QuoteLine[];
  subtotalCents: number;
  discountCents: number;
  shippingCents: number;
  shippingTaxCents: number;
  taxCents: number;
  totalCents: number;
  taxIncluded: boolean;
  reverseCharge: boolean;
  taxLines: TaxLine[];
  shippingRates: OfferedRate[];
  shippingRateId: string | null;
  discounts: { id: string; title: string; code: string | null; amountCents: number }[];
  rejectedCodes: { code: string; reason: Rejection }[];
  missing: 'country'[];
}

export interface QuoteLine {
  variantId: string;
  quantity: number;
  unitPriceCents: number;
  subtotalCents: number;
  discountCents: number;
  taxCents: number;
  taxPercent: string | null;
  /** After discounts, excluding tax that is added on top. */
  totalCents: number;
  problem: CartLine['problem'];
}

export interface TaxLine {
  name: string;
  percent: string;
  /** Net amount. */
  baseCents: number;
  taxCents: number;
}

export interface OfferedRate {
  id: string;
  name: string;
  /** Before free shipping. */
  priceCents: number;
  minDays: number | null;
  maxDays: number | null;
}

export type Rejection =
  | 'unknown'
  | 'notStarted'
  | 'ended'
  | 'disabled'
  | 'usedUp'
  | 'minimum'
  | 'notCombinable'
  | 'nothingApplies';

/** One step that changed the sum. */
export interface Step {
  kind: 'line' | 'reverseCharge' | 'discount' | 'shipping' | 'freeShipping' | 'tax' | 'includedTax';
  text: string;
  amountCents: number;
}
