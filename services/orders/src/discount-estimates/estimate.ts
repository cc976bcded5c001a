import { setImmediate } from 'node:timers/promises';
import { type CartVariant, type DiscountInput, maxCartLines, newId } from '@waybill/contracts';
import { type CartLine, price } from '@waybill/pricing';
import type { Context } from '../config.ts';
import { readNewDiscount } from '../discounts/discounts.ts';
import { errors } from '../errors.ts';
import { createVariantLine } from '../pricing/facts.ts';
import { toDiscount } from '../pricing/price.ts';
import { readCurrency } from '../reports/reports.ts';
import { listPricedOrders, type PricedOrder } from './queries.ts';
import type { DiscountEstimate, DiscountEstimateInput } from './routes.ts';

/** Maximum number of orders that an estimate covers, newest first. */
const maxOrders = 2_000;
const ordersAtOnce = 100;
/**
 * Maximum number of variants that an estimate covers. More would hardly change the result, and would keep the catalog
 * busy.
 */
const maxVariants = 5_000;
const dayMs = 24 * 3_600_000;

/**
 * Estimates what a discount would have cost in the last days, if it had applied automatically to every order as it was
 * placed, since nobody knows who would have entered a code. Stores nothing.
 * @throws invalid_body, not_found, resource_unavailable
 */
export async function estimateDiscount(
  context: Context,
  storeId: string,
  { discount: input, days = 30 }: DiscountEstimateInput,
): Promise<DiscountEstimate> {
  const discount = createUnlimitedDiscount(input);
  const currency = await readCurrency(context, storeId);
  const since = new Date(Date.now() - days * dayMs);
  const variants = createVariants(context, storeId);
  const sums = { orders: 0, ordersWithDiscount: 0, totalCents: 0, discountCents: 0 };
  let before: PricedOrder | null = null;
  while (sums.orders < maxOrders && variants.size() < maxVariants) {
    const orders = await listPricedOrders(context.db, storeId, {
      since,
      currency,
      before,
      limit: ordersAtOnce,
    });
    const known = isByCatalog(input) ? await variants.read(orders) : null;
    for (const order of orders) {
      const saved = computeSaving(order, createLines(order, known), discount, currency);
      sums.orders += 1;
      sums.ordersWithDiscount += saved > 0 ? 1 : 0;
      sums.totalCents += order.totalCents;
      sums.discountCents += saved;
    }
    before = orders.at(-1) ?? null;
    if (orders.length < ordersAtOnce) return { estimate: { ...sums, isComplete: true }, currency };
    // Lets other requests run between two pages.
    await setImmediate();
  }
  return { estimate: { ...sums, isComplete: false }, currency };
}

/** Returns the discount as if it were in force now, without a code and without limits. */
function createUnlimitedDiscount(input: DiscountInput) {
  const { code: _, ...state } = readNewDiscount(input, '/discount');
  return toDiscount(
    {
      ...state,
      id: newId('discount'),
      code: null,
      status: 'active',
      startsAt: null,
      endsAt: null,
      hasCodes: false,
      totalLimit: null,
      customerLimit: null,
      usedCount: 0,
      createdAt: 0,
    },
    0,
  );
}

/**
 * Whether only the catalog knows which products the discount applies to, because orders contain neither tags nor
 * categories.
 */
const isByCatalog = ({ kind, appliesTo, buy, get }: DiscountInput) =>
  kind === 'freeShipping' ||
  [appliesTo, buy?.appliesTo, get?.appliesTo].some(
    (each) => each?.kind === 'tags' || each?.kind === 'categories',
  );

/** Reads variants from the catalog, each of them once. */
function createVariants({ peers }: Context, storeId: string) {
  const known = new Map<string, CartVariant | undefined>();
  return {
    size: () => known.size,
    async read(orders: readonly PricedOrder[]) {
      const ids = orders.flatMap(({ lineItems }) => lineItems.map(({ variantId }) => variantId));
      const unknown = [...new Set(ids)].filter((id) => !known.has(id));
      for (let at = 0; at < unknown.length; at += maxCartLines) {
        const variantIds = unknown.slice(at, at + maxCartLines);
        const request = { storeId, variantIds };
        const reply = await peers.call<{ variants: CartVariant[] }>(
          'catalog',
          'POST',
          '/internal/shop/cart',
          request,
        );
        if (!reply) throw errors.resource_unavailable({ headers: { 'retry-after': '1' } });
        for (const id of variantIds) known.set(id, undefined);
        for (const variant of reply.variants) known.set(variant.variantId, variant);
      }
      return known;
    },
  };
}

/** Returns the lines of an order as they were sold, with the catalog's current facts about their products. */
const createLines = (
  { lineItems }: PricedOrder,
  known: ReadonlyMap<string, CartVariant | undefined> | null,
): CartLine[] =>
  lineItems.map(({ variantId, productId, quantity, unitPriceCents }) => ({
    ...createVariantLine({ variantId, quantity }, known?.get(variantId)),
    productId,
    unitPriceCents,
    problem: null,
  }));

/** Returns the amount that the discount takes off the lines and shipping of an order. Taxes do not affect it. */
function computeSaving(
  { shippingCents }: PricedOrder,
  lines: CartLine[],
  discount: ReturnType<typeof toDiscount>,
  currency: string,
): number {
  const rate = { id: 'paid', name: '', kind: 'flat', priceCents: shippingCents, steps: null } as const;
  const everywhere = { id: 'all', name: '', countries: ['*'], regions: null, postalCodes: null };
  const rates = [{ ...rate, freeFromCents: null, minDays: null, maxDays: null, isEnabled: true }];
  const priced = price(
    { lines, country: 'ZZ' },
    {
      currency,
      taxes: null,
      zones: shippingCents > 0 ? [{ ...everywhere, rates }] : [],
      discounts: [discount],
      now: Date.now(),
    },
  );
  if (priced.problem !== null) return 0;
  return priced.quote.discounts.reduce((sum, { amountCents }) => sum + amountCents, 0);
}
