import { allocate, computePercent, parsePercent, scale, sum, wholePercent } from './amounts.ts';
import type { AppliesTo, CartLine, Discount, Rejection } from './types.ts';

/** A line while discounts are applied. `remainingCents` is the amount that earlier discounts have left. */
export interface DiscountedLine {
  line: CartLine;
  /** 0 for an unavailable line. */
  quantity: number;
  /** Before discounts; net if the buyer owes the tax. */
  subtotalCents: number;
  remainingCents: number;
}

const wholeOrder: AppliesTo = { kind: 'order' };

function qualifies({ productId, categoryIds, tags }: CartLine, to: AppliesTo): boolean {
  switch (to.kind) {
    case 'order':
      return true;
    case 'products':
      return to.ids.includes(productId);
    case 'categories':
      return to.ids.some((id) => categoryIds.includes(id));
    case 'tags':
      return to.tags.some((tag) => tags.includes(tag));
  }
}

/** Returns the reason why a discount is refused regardless of what it would save, or null if it is not refused. */
export function findRefusal(
  discount: Discount,
  isUsedUp: boolean,
  lines: readonly DiscountedLine[],
  now: number,
): Rejection | null {
  if (discount.startsAt !== null && now < discount.startsAt) return 'notStarted';
  if (discount.endsAt !== null && now >= discount.endsAt) return 'ended';
  if (discount.status === 'disabled') return 'disabled';
  if (discount.isUsedUp || isUsedUp) return 'usedUp';
  return reachesMinimum(discount, lines) ? null : 'minimum';
}

function reachesMinimum({ minimum, buy, appliesTo }: Discount, lines: readonly DiscountedLine[]): boolean {
  if (!minimum) return true;
  const counted = lines.filter(({ line }) => qualifies(line, buy?.appliesTo ?? appliesTo ?? wholeOrder));
  return (
    sum(counted.map(({ subtotalCents }) => subtotalCents)) >= (minimum.subtotalCents ?? 0) &&
    sum(counted.map(({ quantity }) => quantity)) >= (minimum.quantity ?? 0)
  );
}

/** Whether a discount applies to something in the cart; an unavailable line does not count. */
export const appliesToSome = ({ appliesTo }: Discount, lines: readonly DiscountedLine[]): boolean =>
  lines.some(({ line, quantity }) => quantity > 0 && qualifies(line, appliesTo ?? wholeOrder));

/** Returns the stage at which a discount applies: lines first, then the order, then shipping. */
export function discountStage({ kind, appliesTo }: Discount): 'lines' | 'order' | 'shipping' {
  if (kind === 'freeShipping') return 'shipping';
  return kind === 'buyXGetY' || (appliesTo ?? wholeOrder).kind !== 'order' ? 'lines' : 'order';
}

/** Returns how much a discount on lines or on the order takes from the remaining amount of each line. */
export function computeReductions(discount: Discount, lines: readonly DiscountedLine[]): number[] {
  if (discount.kind === 'buyXGetY') return computeFreeUnits(discount, lines);
  if (discountStage(discount) === 'order') {
    const remaining = lines.map(({ remainingCents }) => remainingCents);
    return allocate(computeReduction(discount, sum(remaining)), remaining);
  }
  return lines.map(({ line, quantity, remainingCents }) => {
    if (!qualifies(line, discount.appliesTo!)) return 0;
    if (discount.kind === 'amount') return Math.min(remainingCents, discount.amountCents! * quantity);
    return computePercent(remainingCents, parsePercent(discount.percent!)!);
  });
}

function computeReduction({ kind, percent, amountCents }: Discount, remaining: number): number {
  return kind === 'amount'
    ? Math.min(remaining, amountCents!)
    : computePercent(remaining, parsePercent(percent!)!);
}

/**
 * Applies "buy X, get Y" in rounds. Each round buys the dearest units that qualify and discounts the cheapest remaining
 * units that qualify. Rounds that take from one line each are made at once, so the work grows with the lines and not
 * with the units.
 */
function computeFreeUnits({ buy, get }: Discount, lines: readonly DiscountedLine[]): number[] {
  const remaining = lines.map(({ quantity }) => quantity);
  const freeQuantities = lines.map(() => 0);
  const byPrice = (to: AppliesTo, direction: 1 | -1) =>
    [...lines.keys()]
      .filter((index) => lines[index]!.quantity > 0 && qualifies(lines[index]!.line, to))
      .sort((a, b) => direction * compareUnitPrices(lines[a]!, lines[b]!) || a - b);
  const mostExpensiveFirst = byPrice(buy!.appliesTo, -1);
  const cheapestFirst = byPrice(get!.appliesTo, 1);
  const next = (order: readonly number[]) => order.find((index) => remaining[index]! > 0);

  for (;;) {
    const [from, to] = [next(mostExpensiveFirst), next(cheapestFirst)];
    if (from === undefined || to === undefined) break;
    const rounds =
      from === to
        ? Math.floor(remaining[from]! / (buy!.quantity + get!.quantity))
        : Math.min(Math.floor(remaining[from]! / buy!.quantity), Math.floor(remaining[to]! / get!.quantity));
    if (rounds > 0) {
      remaining[from]! -= rounds * buy!.quantity;
      remaining[to]! -= rounds * get!.quantity;
      freeQuantities[to]! += rounds * get!.quantity;
      continue;
    }
    if (sum(mostExpensiveFirst.map((index) => remaining[index]!)) < buy!.quantity) break;
    takeUnits(remaining, mostExpensiveFirst, buy!.quantity);
    const units = takeUnits(remaining, cheapestFirst, get!.quantity);
    if (units.size === 0) break;
    for (const [index, count] of units) freeQuantities[index]! += count;
  }

  const percent = parsePercent(get!.percent)!;
  return lines.map(({ quantity, subtotalCents, remainingCents }, index) =>
    quantity === 0
      ? 0
      : Math.min(
          remainingCents,
          scale(subtotalCents, freeQuantities[index]! * percent, quantity * wholePercent),
        ),
  );
}

/** Compares two lines by the listed price of one unit; for a net line by one unit's share of the subtotal. */
function compareUnitPrices(a: DiscountedLine, b: DiscountedLine): number {
  const [x, y] = [BigInt(a.subtotalCents) * BigInt(b.quantity), BigInt(b.subtotalCents) * BigInt(a.quantity)];
  return x < y ? -1 : x > y ? 1 : 0;
}

/** Takes up to `count` units from the lines in the given order. */
function takeUnits(remaining: number[], order: readonly number[], count: number): Map<number, number> {
  const unitsByIndex = new Map<number, number>();
  let missingUnits = count;
  for (const index of order) {
    const units = Math.min(remaining[index]!, missingUnits);
    if (units === 0) continue;
    remaining[index]! -= units;
    missingUnits -= units;
    unitsByIndex.set(index, units);
  }
  return unitsByIndex;
}
