import type {
  Cart,
  CartLine,
  Discount,
  Quote,
  Rules,
  ShippingRate,
  Step,
  Taxes,
  Zone,
} from '../src/index.ts';
import { price } from '../src/index.ts';

/** A line of one product, priced at 10.00 each unless given otherwise. */
export function line(given: Partial<CartLine> = {}): CartLine {
  const variantId = given.variantId ?? 'var_1';
  return {
    variantId,
    productId: variantId.replace('var', 'prd'),
    quantity: 1,
    unitPriceCents: 1_000,
    taxCategory: 'standard',
    categoryIds: [],
    tags: [],
    requiresShipping: true,
    weightGrams: null,
    problem: null,
    ...given,
  };
}

/** Lines of different products. */
export const lines = (...given: Partial<CartLine>[]): CartLine[] =>
  given.map((each, index) => line({ variantId: `var_${index + 1}`, ...each }));

export const createCart = (given: Partial<CartLine>[], more: Partial<Cart> = {}): Cart => ({
  lines: lines(...given),
  country: 'DE',
  ...more,
});

export const taxes = (rates: Record<string, string> | Taxes['rates'], more: Partial<Taxes> = {}): Taxes => ({
  pricesIncludeTax: true,
  homeCountry: 'DE',
  elsewhere: 'none',
  shipping: 'proportional',
  reverseCharge: false,
  rates: Array.isArray(rates)
    ? rates
    : Object.entries(rates).map(([category, percent]) => ({
        country: 'DE',
        region: null,
        category,
        name: `VAT ${percent}`,
        percent,
      })),
  ...more,
});

export const rate = (given: Partial<ShippingRate> = {}): ShippingRate => ({
  id: 'rate_1',
  name: 'Parcel',
  kind: 'flat',
  priceCents: 500,
  steps: null,
  freeFromCents: null,
  minDays: null,
  maxDays: null,
  isEnabled: true,
  ...given,
});

export const zone = (rates: Partial<ShippingRate>[], given: Partial<Zone> = {}): Zone => ({
  id: 'zone_1',
  name: 'Zone',
  countries: ['*'],
  regions: null,
  postalCodes: null,
  ...given,
  rates: rates.map((each, index) => rate({ id: `rate_${index + 1}`, ...each })),
});

let createdCount = 0;
export const discount = (given: Partial<Discount> = {}): Discount => ({
  id: `dsc_${++createdCount}`,
  title: 'Sale',
  code: null,
  hasSingleUseCodes: false,
  status: 'active',
  startsAt: null,
  endsAt: null,
  kind: 'percentage',
  percent: '10',
  amountCents: null,
  appliesTo: { kind: 'order' },
  minimum: null,
  buy: null,
  get: null,
  isCombinable: false,
  isUsedUp: false,
  ...given,
});

export const createRules = (given: Partial<Rules> = {}): Rules => ({
  currency: 'EUR',
  taxes: null,
  zones: [],
  discounts: [],
  now: Date.UTC(2026, 10, 26),
  ...given,
});

/** Returns the quote of a cart that can be shipped. */
export function quoteCart(cart: Cart, rules: Partial<Rules> = {}): Quote {
  return priceCart(cart, rules).quote;
}

export function priceCart(cart: Cart, rules: Partial<Rules> = {}): { quote: Quote; steps: Step[] } {
  const priced = price(cart, createRules(rules));
  if (priced.problem !== null) throw new Error(priced.problem);
  return priced;
}
