import type { OrderUnits, PricedLineItem } from '@waybill/contracts';
import { errors } from '../errors.ts';

/** The possible uses of a unit that was bought. */
export type UnitUse = 'fulfilled' | 'refunded' | 'restocked';

/** Counts of units by variant and use. Missing counts are 0. */
export type UnitsByVariant = Record<string, Partial<Record<UnitUse, number>>>;

/** The bought units of an order, and their counts by use. */
export interface OrderWithUnits {
  lineItems: readonly Pick<PricedLineItem, 'variantId' | 'quantity'>[];
  units: UnitsByVariant;
}

/** Returns how many units of a variant have this use. */
export const countUnits = (
  { units }: Pick<OrderWithUnits, 'units'>,
  variantId: string,
  use: UnitUse,
): number => units[variantId]?.[use] ?? 0;

/** Returns the units of an order that do not have this use yet. */
export const listUnitsWithout = (order: OrderWithUnits, use: UnitUse): OrderUnits[] =>
  order.lineItems
    .map(({ variantId, quantity }) => ({
      variantId,
      quantity: quantity - countUnits(order, variantId, use),
    }))
    .filter(({ quantity }) => quantity > 0);

/** Adds units to the counts of a use, or subtracts them. */
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

/** Merges lines into one per variant, in their order. */
export function mergeLines(lines: readonly OrderUnits[]): OrderUnits[] {
  const merged = new Map<string, number>();
  for (const { variantId, quantity } of lines) merged.set(variantId, (merged.get(variantId) ?? 0) + quantity);
  return [...merged].map(([variantId, quantity]) => ({ variantId, quantity }));
}

/**
 * Checks that an order has these variants, and that the quantities do not exceed `remainingUnits`.
 * @throws not_found, invalid_quantity
 */
export function requireUnits(
  order: Pick<OrderWithUnits, 'lineItems'>,
  lines: readonly OrderUnits[],
  remainingUnits: readonly OrderUnits[],
): void {
  for (const { variantId, quantity } of lines) {
    if (!order.lineItems.some((item) => item.variantId === variantId)) {
      throw errors.not_found({ message: `The order has no variant ${variantId}.` });
    }
    const maxQuantity = remainingUnits.find((each) => each.variantId === variantId)?.quantity ?? 0;
    if (quantity > maxQuantity) {
      throw errors.invalid_quantity({
        message: `At most ${maxQuantity} of ${variantId} are left.`,
        fields: { variantId, maximumQuantity: maxQuantity },
      });
    }
  }
}
