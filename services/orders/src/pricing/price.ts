import type { Quote } from '@waybill/contracts';
import {
  type CartLine,
  canReverseCharge,
  type Discount,
  euCountries,
  price,
  type Step,
} from '@waybill/pricing';
import { readTypedCodes } from '../discounts/codes.ts';
import type { DiscountUse } from '../discounts/uses.ts';
import { errors } from '../errors.ts';
import type { PricingRules, StoredDiscount } from './queries.ts';
import { parseVatIdCountry } from './vat-ids.ts';

/** A cart and the choices of its shopper. */
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
  /** The used discounts, each with its single-use code, folded. */
  uses: DiscountUse[];
  /** The chosen shipping rate. */
  shippingRate: { id: string; name: string } | null;
}

/**
 * Prices a cart by the rules of its store. Quotes and orders both use this function. With `isStranger`, the customer's
 * earlier uses of discounts are ignored.
 * @throws no_shipping, invalid_shipping_rate, invalid_vat_id, invalid_body if the total exceeds the numbers of JSON
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
      discounts: listDiscounts(rules).map((discount) =>
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

/** Returns the discounts that may apply, oldest first. */
function listDiscounts({ automatic, typed }: PricingRules): StoredDiscount[] {
  const byId = new Map(
    [...automatic, ...typed.map(({ discount }) => discount)].map((each) => [each.id, each]),
  );
  return [...byId.values()].sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
}

/**
 * Converts a discount to the form that pricing needs; `usedByCustomer` is how often the customer has used it before.
 */
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

/** Returns the country of the buyer's VAT id where it matters, or else null. */
function readVatIdCountry({ vatId, country }: PricedCart, { taxes }: PricingRules): string | null {
  if (!vatId || !canReverseCharge(taxes, country)) return null;
  const of = parseVatIdCountry(vatId);
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
      { pointer: `/items/${Math.max(at, 0)}/quantity`, message: 'makes the total of the order too large' },
    ],
  });
}
