/**
 * What the price of a cart depends on, and what comes of it. All amounts are whole minor units of the store's currency,
 * below 2^53 also in sum; percentages are decimal texts (`"19"`, `"12.5"`); instants are milliseconds since 1970.
 */

/** What somebody wants to buy, and what is known of where it goes. */
export interface Cart {
  lines: readonly CartLine[];
  /** As they were typed, in that order; none twice. */
  codes?: readonly TypedCode[];
  /** ISO 3166-1 alpha-2; null: not known yet. */
  country?: string | null;
  region?: string | null;
  postalCode?: string | null;
  /** The rate that was chosen; null: the cheapest. */
  shippingRateId?: string | null;
  /** The EU country whose valid VAT id the buyer has; null without one. */
  vatIdCountry?: string | null;
}

export interface CartLine {
  variantId: string;
  productId: string;
  /** For the steps of an explanation. */
  name?: string;
  quantity: number;
  unitPriceCents: number;
  taxCategory: string;
  categoryIds: readonly string[];
  tags: readonly string[];
  requiresShipping: boolean;
  /** Of one; null counts as 0. */
  weightGrams: number | null;
  /** An unavailable line counts as nothing, one that is out of stock as the others. */
  problem: null | 'outOfStock' | 'unavailable';
}

/** A code that a shopper typed, and what it is one of. */
export interface TypedCode {
  /** As it is answered: as stored, a single-use code as typed. */
  code: string;
  /** Null: no discount has this code. */
  discountId: string | null;
  /** A single-use code that was used, or a limit that this shopper has reached. */
  isUsedUp?: boolean;
}

export interface Rules {
  currency: string;
  /** Null: the store has no rules, so no tax. */
  taxes: Taxes | null;
  zones: readonly Zone[];
  /** The oldest first. */
  discounts: readonly Discount[];
  /** When the cart is priced. */
  now: number;
}

/** `decisions.md 21.1`. */
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

/** `decisions.md 21.2`. */
export interface Zone {
  id: string;
  name: string;
  /** `["*"]`: every country. */
  countries: readonly string[];
  regions: readonly string[] | null;
  /** Each a whole code, or the beginning of one with `*` behind it. */
  postalCodes: readonly string[] | null;
  rates: readonly ShippingRate[];
}

export interface ShippingRate {
  id: string;
  name: string;
  kind: 'flat' | 'weight' | 'subtotal' | 'pickup';
  /** Null where `steps` tell it. */
  priceCents: number | null;
  /** Ascending. */
  steps: readonly { from: number; priceCents: number }[] | null;
  freeFromCents: number | null;
  minDays: number | null;
  maxDays: number | null;
  isEnabled: boolean;
}

/** `decisions.md 21.3`. */
export interface Discount {
  id: string;
  title: string;
  /** Null: it applies by itself, unless it has single-use codes. */
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
  /** Its limits are reached. */
  isUsedUp: boolean;
}

export type AppliesTo =
  | { kind: 'order' }
  | { kind: 'products' | 'categories'; ids: readonly string[] }
  | { kind: 'tags'; tags: readonly string[] };

/** `decisions.md 21.4`. */
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
  /** After discounts, without tax on top. */
  totalCents: number;
  problem: CartLine['problem'];
}

export interface TaxLine {
  name: string;
  percent: string;
  /** Net. */
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

/** One thing that changed the sum. */
export interface Step {
  kind: 'line' | 'reverseCharge' | 'discount' | 'shipping' | 'freeShipping' | 'tax' | 'includedTax';
  text: string;
  amountCents: number;
}
