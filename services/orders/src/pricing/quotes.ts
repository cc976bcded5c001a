import {
  ApiError,
  type CartVariant,
  type Quote,
  type QuotedCart,
  type ShippingZone,
  type StoreReply,
} from '@waybill/contracts';
import { singleFlight } from '@waybill/kernel';
import { type CartLine, findZone } from '@waybill/pricing';
import type { Context } from '../config.ts';
import { readTypedCodes } from '../discounts/codes.ts';
import { errors } from '../errors.ts';
import { listChoices, listEnabledMethods, toChoosable } from '../payment-choices/choices.ts';
import { createVariantLine } from './facts.ts';
import { type PricedQuote, priceCart } from './price.ts';
import { type PricingRules, readRules } from './queries.ts';
import type { QuoteInput } from './routes.ts';

/** The asker of a quote. A member gives the address of the customer. */
export type QuoteRequester = { email: string } | 'stranger';

/** Creates the functions that price carts. Concurrent requests of a store share a statement. */
export function createQuoting(context: Context) {
  const shared = singleFlight<StoreReply | null>();
  const readRulesInBatch = context.batchQuery(readRules);
  const readFacts = (storeId: string) =>
    shared(storeId, () => context.peers.call<StoreReply>('identity', 'GET', `/internal/stores/${storeId}`));

  async function price(storeId: string, input: QuoteInput, by: QuoteRequester) {
    const codes = input.discountCodes ?? [];
    const [facts, rules, lines] = await Promise.all([
      readFacts(storeId),
      readRulesInBatch(storeId, {
        codes: [...readTypedCodes(codes).keys()],
        email: by === 'stranger' ? '' : by.email.toLowerCase(),
      }),
      readLines(context.peers, storeId, input.items),
    ]);
    if (!facts) throw errors.not_found();
    const cart = { ...toCart(input), lines };
    return { rules, priced: () => priceCart(cart, rules, facts.store.currency) };
  }

  return {
    /**
     * Returns the price of a cart. @throws not_found, no_shipping, invalid_shipping_rate, invalid_vat_id,
     * resource_unavailable
     */
    async quote(storeId: string, input: QuoteInput, by: QuoteRequester): Promise<{ quote: Quote }> {
      const { priced } = await price(storeId, input, by);
      return { quote: toQuote(priced(), input.explain ?? false) };
    },
    /** Returns a quote for a page of the store. A refusal is a part of the quote. */
    async quoteForPage(storeId: string, input: QuoteInput): Promise<QuotedCart> {
      const [{ rules, priced }, methods] = await Promise.all([
        price(storeId, input, 'stranger'),
        listEnabledMethods(context.db, storeId),
      ]);
      const page = selectPageFacts(rules, input);
      try {
        const quote = toQuote(priced(), false);
        const occasion = { country: input.country || undefined, totalCents: quote.totalCents };
        const choices = quote.totalCents > 0 ? listChoices(methods, occasion) : [];
        return { quote, problem: null, ...page, paymentMethods: choices.map(toChoosable) };
      } catch (error) {
        const problem = problems.find((code) => error instanceof ApiError && error.code === code);
        if (!problem) throw error;
        return { quote: null, problem, ...page };
      }
    },
  };
}

const problems = ['no_shipping', 'invalid_shipping_rate', 'invalid_vat_id'] as const;

const toQuote = ({ quote, steps }: PricedQuote, isExplained: boolean): Quote =>
  isExplained ? { ...quote, steps } : quote;

const toCart = ({ discountCodes, country, region, postalCode, shippingRateId, vatId }: QuoteInput) => ({
  codes: discountCodes ?? [],
  country: country ?? '',
  region: region ?? '',
  postalCode: postalCode ?? '',
  shippingRateId: shippingRateId || null,
  vatId: vatId?.trim() ?? '',
});

/** Maximum quantity per variant in a request to the catalog. */
const maxPieces = 999;

/** Reads the lines of a cart, without reserving stock. Repeated variants become one line, as in an order. */
export async function readLines(
  peers: Context['peers'],
  storeId: string,
  items: readonly { variantId: string; quantity: number }[],
): Promise<CartLine[]> {
  const quantities = new Map<string, number>();
  for (const { variantId, quantity } of items)
    quantities.set(variantId, (quantities.get(variantId) ?? 0) + quantity);
  const request = {
    storeId,
    variantIds: [...quantities.keys()],
    quantities: [...quantities.values()].map((quantity) => Math.min(quantity, maxPieces)),
  };
  const reply = await peers.call<{ variants: CartVariant[] }>(
    'catalog',
    'POST',
    '/internal/shop/cart',
    request,
  );
  if (!reply) throw errors.resource_unavailable({ headers: { 'retry-after': '1' } });
  const variants = new Map(reply.variants.map((variant) => [variant.variantId, variant]));
  return [...quantities].map(([variantId, quantity]) =>
    createVariantLine({ variantId, quantity }, variants.get(variantId)),
  );
}

function selectPageFacts(
  { taxes, zones, hasCodes }: PricingRules,
  { country, region, postalCode }: QuoteInput,
) {
  const homeCountry = taxes?.homeCountry ?? null;
  const destination = {
    lines: [],
    country: country || homeCountry,
    region: region ?? null,
    postalCode: postalCode ?? null,
  };
  const zone = findZone(zones, destination) as ShippingZone | null;
  const thresholds = (zone?.rates ?? [])
    .filter(({ isEnabled, kind, freeFromCents }) => isEnabled && kind !== 'pickup' && freeFromCents !== null)
    .map(({ freeFromCents }) => freeFromCents!);
  const everywhere = zones.length === 0 || zones.some(({ countries }) => countries.includes('*'));
  return {
    displayNote: taxes?.displayNote ?? '',
    takesVatId: taxes?.reverseCharge ?? false,
    takesCodes: hasCodes,
    homeCountry,
    countries: everywhere ? null : [...new Set(zones.flatMap(({ countries }) => countries))].sort(),
    freeFromCents: thresholds.length > 0 ? Math.min(...thresholds) : null,
  };
}
