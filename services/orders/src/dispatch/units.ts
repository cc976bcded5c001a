import type { OrderUnits, PricedLineItem } from '@waybill/contracts';
import { errors } from '../errors.ts';

/** What can become of a unit that was bought. */
export type UnitUse = 'fulfilled' | 'refunded' | 'restocked';

/** How many units of each variant of an order came to what. What is missing is 0. */
export type UnitsByVariant = Record<string, Partial<Record<UnitUse, number>>>;

/** Of an order: what was bought, and what became of it. */
export interface OrderWithUnits {
  lineItems: readonly Pick<PricedLineItem, 'variantId' | 'quantity'>[];
  units: UnitsByVariant;
}

export const countUnits = (
  { units }: Pick<OrderWithUnits, 'units'>,
  variantId: string,
  use: UnitUse,
): number => units[variantId]?.[use] ?? 0;

/** What of an order has not come to that yet. */
export const unitsLeft = (order: OrderWithUnits, use: UnitUse): OrderUnits[] =>
  order.lineItems
    .map(({ variantId, quantity }) => ({
      variantId,
      quantity: quantity - countUnits(order, variantId, use),
    }))
    .filter(({ quantity }) => quantity > 0);

/** Counts more units, or less by a negative number, as having come to something. */
export function addUnits(
  units: UnitsByVariant,
  use: UnitUse,
  lines: readonly OrderUnits[],
  sign: 1 | -1 = 1,
): UnitsByVariant {
  const next = { ...units };
  for (const { variantId, quantity } of lines) {
    const before = next[variantId];
    next[variantId] = { ...before, [use]: Math.max(0, (before?.[use] ?? 0) + sign * quantity) };
  }
  return next;
}

/** Lines with one for each variant, in their order. */
export function mergeLines(lines: readonly OrderUnits[]): OrderUnits[] {
  const merged = new Map<string, number>();
  for (const { variantId, quantity } of lines) merged.set(variantId, (merged.get(variantId) ?? 0) + quantity);
  return [...merged].map(([variantId, quantity]) => ({ variantId, quantity }));
}

/**
 * Checks that an order has these variants, and that no more than `left` is asked of each.
 * @throws not_found, invalid_quantity
 */
export function requireUnits(
  order: Pick<OrderWithUnits, 'lineItems'>,
  lines: readonly OrderUnits[],
  left: readonly OrderUnits[],
): void {
  for (const { variantId, quantity } of lines) {
    if (!order.lineItems.some((item) => item.variantId === variantId)) {
      throw errors.not_found({ message: `The order has no variant ${variantId}.` });
    }
    const most = left.find((each) => each.variantId === variantId)?.quantity ?? 0;
    if (quantity > most) {
      throw errors.invalid_quantity({
        message: `At most ${most} of ${variantId} are left.`,
        fields: { variantId, maximumQuantity: most },
      });
    }
  }
}
