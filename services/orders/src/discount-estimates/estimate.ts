import { setImmediate } from 'node:timers/promises';
import { type CartVariant, type DiscountInput, maxCartLines, newId } from '@waybill/contracts';
import { type CartLine, price } from '@waybill/pricing';
import type { Context } from '../config.ts';
import { readNewDiscount } from '../discounts/discounts.ts';
import { errors } from '../errors.ts';
import { lineOfVariant } from '../pricing/facts.ts';
import { toDiscount } from '../pricing/price.ts';
import { currencyOf } from '../reports/reports.ts';
import { listPricedOrders, type PricedOrder } from './queries.ts';
import type { DiscountEstimate, DiscountEstimateInput } from './routes.ts';

/** Of a store with more orders in that time, the newest are looked at. */
const maxOrders = 2_000;
const ordersAtOnce = 100;
/** Beyond these nobody learns more of what a discount costs, and the catalog would be asked for long. */
const maxVariants = 5_000;
const dayMs = 24 * 3_600_000;

/**
 * What a discount would have taken off the orders of the last days, each as it was placed, if it had applied to all of
 * them by itself: nobody knows who would have typed a code. Nothing is stored.
 * @throws invalid_body, not_found, resource_unavailable
 */
export async function estimateDiscount(
  context: Context,
  storeId: string,
  { discount: input, days = 30 }: DiscountEstimateInput,
): Promise<DiscountEstimate> {
  const discount = applyingByItself(input);
  const currency = await currencyOf(context, storeId);
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
      const saved = savingOf(order, linesOf(order, known), discount, currency);
      sums.orders += 1;
      sums.ordersWithDiscount += saved > 0 ? 1 : 0;
      sums.totalCents += order.totalCents;
      sums.discountCents += saved;
    }
    before = orders.at(-1) ?? null;
    if (orders.length < ordersAtOnce) return { estimate: { ...sums, isComplete: true }, currency };
    // Others are served between two pages.
    await setImmediate();
  }
  return { estimate: { ...sums, isComplete: false }, currency };
}

/** The discount as if it were in force now, without a code and without limits. */
function applyingByItself(input: DiscountInput) {
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

/** Whether what it applies to is known by the catalog alone: an order holds neither tags nor categories. */
const isByCatalog = ({ kind, appliesTo, buy, get }: DiscountInput) =>
  kind === 'freeShipping' ||
  [appliesTo, buy?.appliesTo, get?.appliesTo].some(
    (each) => each?.kind === 'tags' || each?.kind === 'categories',
  );

/** What the catalog knows of variants, each asked for once. */
function createVariants({ peers }: Context, storeId: string) {
  const known = new Map<string, CartVariant | undefined>();
  return {
    size: () => known.size,
    async read(orders: readonly PricedOrder[]) {
      const ids = orders.flatMap(({ lineItems }) => lineItems.map(({ variantId }) => variantId));
      const unknown = [...new Set(ids)].filter((id) => !known.has(id));
      for (let at = 0; at < unknown.length; at += maxCartLines) {
        const variantIds = unknown.slice(at, at + maxCartLines);
        const asked = { storeId, variantIds };
        const reply = await peers.call<{ variants: CartVariant[] }>(
          'catalog',
          'POST',
          '/internal/shop/cart',
          asked,
        );
        if (!reply) throw errors.resource_unavailable({ headers: { 'retry-after': '1' } });
        for (const id of variantIds) known.set(id, undefined);
        for (const variant of reply.variants) known.set(variant.variantId, variant);
      }
      return known;
    },
  };
}

/** The lines of an order as they were sold, with what the catalog says of their products today. */
const linesOf = (
  { lineItems }: PricedOrder,
  known: ReadonlyMap<string, CartVariant | undefined> | null,
): CartLine[] =>
  lineItems.map(({ variantId, productId, quantity, unitPriceCents }) => ({
    ...lineOfVariant({ variantId, quantity }, known?.get(variantId)),
    productId,
    unitPriceCents,
    problem: null,
  }));

/** What the discount takes off lines and shipping of an order. Taxes change nothing of it. */
function savingOf(
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
