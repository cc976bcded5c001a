import type { Transaction } from 'kysely';
import type { Tables } from '../tables.ts';
import type { ProductState, VariantState } from './fields.ts';
import { endPrices, findLowestPrices, type PricePeriod } from './price-queries.ts';
import type { LockedProduct } from './queries.ts';

type Trx = Transaction<Tables>;

const thirtyDaysMs = 30 * 86_400_000;

/**
 * Adds the prices that a change ends to the price history. Returns the product with the instants since which its
 * variants have their prices, and with the lowest price before that. `decisions.md 20.2`.
 */
export async function recordPrices(
  trx: Trx,
  storeId: string,
  current: LockedProduct,
  next: ProductState,
  now: Date,
): Promise<ProductState> {
  const [wasActive, isActive] = [current.status === 'active', next.status === 'active'];
  const former = new Map(current.variants.map((variant) => [variant.id, variant]));
  const hasNewPrice = ({ id, priceCents }: VariantState) =>
    former.has(id) && former.get(id)!.priceCents !== priceCents;
  const changed = next.variants.filter(hasNewPrice);
  const ended = wasActive
    ? (isActive ? changed : next.variants).flatMap(
        ({ id }) => createPricePeriod(current, former.get(id), now) ?? [],
      )
    : [];
  const lowest = await findLowestPrices(
    trx,
    storeId,
    changed.map(({ id }) => id),
    new Date(now.getTime() - thirtyDaysMs),
  );
  for (const { variantId, priceCents } of ended)
    lowest.set(variantId, Math.min(lowest.get(variantId) ?? priceCents, priceCents));
  await endPrices(trx, storeId, ended);
  return {
    ...next,
    activeSince: isActive ? (wasActive ? current.activeSince : now) : null,
    variants: next.variants.map((variant) => {
      if (!former.has(variant.id)) return { ...variant, priceSince: now };
      if (!hasNewPrice(variant)) return variant;
      return { ...variant, priceSince: now, lowestPriceCents30Days: lowest.get(variant.id) ?? null };
    }),
  };
}

/** Returns the period in which a variant had its price while its product was active; null if there was none. */
function createPricePeriod(
  { activeSince, createdAt }: LockedProduct,
  variant: VariantState | undefined,
  endedAt: Date,
): PricePeriod | null {
  if (!variant) return null;
  const [priceStart, activeStart] = [variant.priceSince ?? createdAt, activeSince ?? createdAt];
  const startedAt = new Date(Math.max(priceStart.getTime(), activeStart.getTime()));
  return startedAt < endedAt
    ? { variantId: variant.id, priceCents: variant.priceCents, startedAt, endedAt }
    : null;
}
