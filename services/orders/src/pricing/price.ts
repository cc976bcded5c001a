import type { Quote } from '@waybill/contracts';
import {
  type CartLine,
  type Discount,
  euCountries,
  mayReverseCharge,
  price,
  type Step,
} from '@waybill/pricing';
import { readTypedCodes } from '../discounts/codes.ts';
import type { DiscountUse } from '../discounts/uses.ts';
import { errors } from '../errors.ts';
import type { PricingRules, StoredDiscount } from './queries.ts';
import { countryOfVatId } from './vat-ids.ts';

/** What somebody wants to buy, and what they have said of it. */
export interface PricedCart {
  lines: readonly CartLine[];
  codes: readonly string[];
  /** ISO 3166-1 alpha-2, or empty. */
  country: string;
  region: string;
  postalCode: string;
  shippingRateId: string | null;
  vatId: string;
}

export interface PricedQuote {
  quote: Quote;
  steps: Step[];
  /** The discounts that are used, each with its single-use code, folded. */
  uses: DiscountUse[];
  /** Of the rate that was chosen. */
  shippingRate: { id: string; name: string } | null;
}

/**
 * What a cart costs by the rules of its store. Whoever writes an order and whoever asks for a quote call this one.
 * `isStranger`: what this customer has used before is not looked at.
 * @throws no_shipping, invalid_shipping_rate, invalid_vat_id, invalid_body where the sum is beyond what JSON can carry
 */
export function priceCart(
  cart: PricedCart,
  rules: PricingRules,
  currency: string,
  { isStranger = false, now = Date.now() } = {},
): PricedQuote {
  const found = new Map(rules.typed.map((each) => [each.key, each]));
  const codes = [...readTypedCodes(cart.codes)].map(([key, typed]) => {
    const code = found.get(key);
    return {
      key,
      code: code && !code.isSingle ? code.code : typed,
      discountId: code?.discount.id ?? null,
      isUsedUp: code?.isUsed ?? false,
      isSingle: code?.isSingle ?? false,
    };
  });
  const usedByCustomer = new Map(isStranger ? [] : rules.uses.map(({ id, uses }) => [id, uses]));
  const priced = price(
    {
      lines: cart.lines,
      codes,
      country: cart.country || null,
      region: cart.region || null,
      postalCode: cart.postalCode || null,
      shippingRateId: cart.shippingRateId,
      vatIdCountry: readVatIdCountry(cart, rules),
    },
    {
      currency,
      taxes: rules.taxes,
      zones: rules.zones,
      discounts: discountsOf(rules).map((discount) =>
        toDiscount(discount, usedByCustomer.get(discount.id) ?? 0),
      ),
      now,
    },
  );
  if (priced.problem !== null)
    throw priced.problem === 'noShipping' ? errors.no_shipping() : errors.invalid_shipping_rate();
  const { quote, steps } = priced;
  checkSums(quote, cart);
  const keys = new Map(codes.filter(({ isSingle }) => isSingle).map(({ code, key }) => [code, key]));
  const chosen = quote.shippingRates.find(({ id }) => id === quote.shippingRateId);
  return {
    quote,
    steps,
    uses: quote.discounts.map(({ id, code }) => ({
      discountId: id,
      codeId: code === null ? null : (keys.get(code) ?? null),
    })),
    shippingRate: chosen ? { id: chosen.id, name: chosen.name } : null,
  };
}

/** Those that may apply, the oldest first. */
function discountsOf({ automatic, typed }: PricingRules): StoredDiscount[] {
  const byId = new Map(
    [...automatic, ...typed.map(({ discount }) => discount)].map((each) => [each.id, each]),
  );
  return [...byId.values()].sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
}

/** A discount as carts are priced by it; `usedByCustomer`: how often whoever buys has used it before. */
export function toDiscount({ terms, ...discount }: StoredDiscount, usedByCustomer: number): Discount {
  const { hasCodes, totalLimit, customerLimit, usedCount, createdAt: _, ...shared } = discount;
  return {
    ...shared,
    ...terms,
    appliesTo: terms.appliesTo as Discount['appliesTo'],
    buy: terms.buy as Discount['buy'],
    get: terms.get as Discount['get'],
    hasSingleUseCodes: hasCodes,
    isUsedUp:
      (totalLimit !== null && usedCount >= totalLimit) ||
      (customerLimit !== null && usedByCustomer >= customerLimit),
  };
}

/** The country of the buyer's VAT id where it matters; null elsewhere. */
function readVatIdCountry({ vatId, country }: PricedCart, { taxes }: PricingRules): string | null {
  if (!vatId || !mayReverseCharge(taxes, country)) return null;
  const of = countryOfVatId(vatId);
  if (of === null || !euCountries.has(of) || of === taxes!.homeCountry) {
    throw errors.invalid_vat_id({
      details: [{ pointer: '/vatId', message: 'must be a VAT id of another country of the EU' }],
    });
  }
  return of;
}

function checkSums({ subtotalCents, totalCents }: Quote, { lines }: PricedCart): void {
  if (Number.isSafeInteger(subtotalCents) && Number.isSafeInteger(totalCents)) return;
  const at = lines.findIndex(({ problem }) => problem === null);
  throw errors.invalid_body({
    details: [
      { pointer: `/items/${Math.max(at, 0)}/quantity`, message: 'makes the order too expensive to count' },
    ],
  });
}
