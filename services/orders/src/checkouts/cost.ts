import type { PricedLineItem, RejectedCode } from '@waybill/contracts';
import type { CartLine } from '@waybill/pricing';
import { readTypedCodes } from '../discounts/codes.ts';
import { errors } from '../errors.ts';
import type { ReservedLines } from '../pricing/facts.ts';
import { type PricedQuote, priceCart } from '../pricing/price.ts';
import type { PricingRules, RulesQuery } from '../pricing/queries.ts';
import type { Checkout, OrderCost } from './queries.ts';

/** Returns the parameters for reading the rules of a checkout. */
export const toRulesQuery = ({ customer, choices = {} }: Checkout): RulesQuery => ({
  codes: [...readTypedCodes(choices.discountCodes ?? []).keys()],
  email: customer.email,
});

/** Whether the checkout has a code that is invalid for every cart and customer. */
export function hasInvalidCode({ choices = {} }: Checkout, { typed }: PricingRules): boolean {
  const keys = [...readTypedCodes(choices.discountCodes ?? []).keys()];
  if (keys.length === 0) return false;
  const found = new Map(typed.map((each) => [each.key, each]));
  const now = Date.now();
  return keys.some((key) => {
    const code = found.get(key);
    if (!code || code.isUsed) return true;
    const { status, startsAt, endsAt, totalLimit, usedCount } = code.discount;
    return (
      status === 'disabled' ||
      (startsAt !== null && now < startsAt) ||
      (endsAt !== null && now >= endsAt) ||
      (totalLimit !== null && usedCount >= totalLimit)
    );
  });
}

/**
 * Prices an order and checks whether it may be placed at this price (`decisions.md 21.5`). With `acceptsLess`, a price
 * below the expected one is accepted, as on the store's own pages.
 * @throws invalid_body without a required country, no_shipping, invalid_shipping_rate, invalid_vat_id,
 * discount_rejected, total_changed
 */
export function priceCheckout(
  { customer, choices = {} }: Checkout,
  lines: readonly CartLine[],
  rules: PricingRules,
  currency: string,
  { acceptsLess = false } = {},
): PricedQuote {
  const { country = '', region = '', postalCode = '' } = customer.shippingAddress ?? {};
  const cart = {
    lines,
    codes: choices.discountCodes ?? [],
    country,
    region,
    postalCode,
    shippingRateId: choices.shippingRateId ?? null,
    vatId: choices.vatId ?? '',
  };
  const now = Date.now();
  const priced = priceCart(cart, rules, currency, { now });
  const { quote } = priced;
  if (quote.missing.length > 0) {
    const pointer = '/customer/shippingAddress/country';
    throw errors.invalid_body({ details: [{ pointer, message: 'is required to tax and send this order' }] });
  }
  const { expectedTotalCents: expected = null } = choices;
  const isUnexpected = (totalCents: number) =>
    expected !== null && (acceptsLess ? totalCents > expected : totalCents !== expected);
  const isWithRejected = isRejected(quote.rejectedCodes);
  if (!isWithRejected && !isUnexpected(quote.totalCents)) return priced;
  const anonymousQuote = priceCart(cart, rules, currency, { isStranger: true, now }).quote;
  const isKnownTotal = !isUnexpected(anonymousQuote.totalCents);
  // Only a client that knows the price for a stranger learns that this customer has used up a discount.
  if (isRejected(anonymousQuote.rejectedCodes) || (isWithRejected && isKnownTotal))
    throw errors.discount_rejected({ fields: { rejectedCodes: quote.rejectedCodes } });
  throw errors.total_changed({ fields: { quote: isKnownTotal ? quote : anonymousQuote } });
}

const isRejected = (codes: readonly RejectedCode[]): boolean =>
  codes.some(({ reason }) => reason !== 'notCombinable');

/** Returns the parts of an order that depend on its price. */
export function toOrder(
  { quote, uses, shippingRate }: PricedQuote,
  { lines: reserved, facts }: ReservedLines,
): { lines: PricedLineItem[]; cost: OrderCost; uses: PricedQuote['uses'] } {
  const { lines, missing: _m, rejectedCodes: _r, shippingRates: _s, ...cost } = quote;
  return {
    lines: reserved.map(({ productId, variantId, sku, name, variantName, quantity, unitPriceCents }, i) => {
      const { discountCents, taxCents, taxPercent, totalCents } = lines[i]!;
      const item = { productId, variantId, sku, name, variantName, quantity, unitPriceCents };
      return {
        ...item,
        options: facts?.[i]?.options ?? {},
        discountCents,
        taxCents,
        taxPercent,
        totalCents,
      };
    }),
    cost: { ...cost, shippingRate },
    uses,
  };
}
