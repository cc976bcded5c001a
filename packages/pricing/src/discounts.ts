import { allocate, parsePercent, percentOf, scale, sum, wholePercent } from './amounts.ts';
import type { AppliesTo, CartLine, Discount, Rejection } from './types.ts';

/** A line as discounts see it: `leftCents` is what earlier ones have left of it. */
export interface DiscountedLine {
  line: CartLine;
  /** 0 of a line that is unavailable. */
  quantity: number;
  /** Before discounts; net where the buyer owes the tax. */
  subtotalCents: number;
  leftCents: number;
}

const everything: AppliesTo = { kind: 'order' };

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

/** Why a discount is out of the question, whatever it would save; null: it is not. */
export function refusalOf(
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
  const counted = lines.filter(({ line }) => qualifies(line, buy?.appliesTo ?? appliesTo ?? everything));
  return (
    sum(counted.map(({ subtotalCents }) => subtotalCents)) >= (minimum.subtotalCents ?? 0) &&
    sum(counted.map(({ quantity }) => quantity)) >= (minimum.quantity ?? 0)
  );
}

/** In which turn a discount takes what it takes: lines, then the order, then shipping. */
export function stageOf({ kind, appliesTo }: Discount): 'lines' | 'order' | 'shipping' {
  if (kind === 'freeShipping') return 'shipping';
  return kind === 'buyXGetY' || (appliesTo ?? everything).kind !== 'order' ? 'lines' : 'order';
}

/** What a discount of lines or of the order takes from what is left of each line. */
export function reductionsOf(discount: Discount, lines: readonly DiscountedLine[]): number[] {
  if (discount.kind === 'buyXGetY') return freeUnits(discount, lines);
  if (stageOf(discount) === 'order') {
    const left = lines.map(({ leftCents }) => leftCents);
    return allocate(reductionOfSum(discount, sum(left)), left);
  }
  return lines.map(({ line, quantity, leftCents }) => {
    if (!qualifies(line, discount.appliesTo!)) return 0;
    if (discount.kind === 'amount') return Math.min(leftCents, discount.amountCents! * quantity);
    return percentOf(leftCents, parsePercent(discount.percent!)!);
  });
}

function reductionOfSum({ kind, percent, amountCents }: Discount, left: number): number {
  return kind === 'amount' ? Math.min(left, amountCents!) : percentOf(left, parsePercent(percent!)!);
}

/**
 * "Buy X, get Y": round by round the dearest units that qualify are bought, and the cheapest that are left and qualify
 * cost less. Rounds that take from one line each are made at once, so that the work goes by lines and not by units.
 */
function freeUnits({ buy, get }: Discount, lines: readonly DiscountedLine[]): number[] {
  const left = lines.map(({ quantity }) => quantity);
  const given = lines.map(() => 0);
  const byPrice = (to: AppliesTo, direction: 1 | -1) =>
    [...lines.keys()]
      .filter((index) => lines[index]!.quantity > 0 && qualifies(lines[index]!.line, to))
      .sort((a, b) => direction * compareUnitPrices(lines[a]!, lines[b]!) || a - b);
  const dearest = byPrice(buy!.appliesTo, -1);
  const cheapest = byPrice(get!.appliesTo, 1);
  const next = (order: readonly number[]) => order.find((index) => left[index]! > 0);

  for (;;) {
    const [from, to] = [next(dearest), next(cheapest)];
    if (from === undefined || to === undefined) break;
    const rounds =
      from === to
        ? Math.floor(left[from]! / (buy!.quantity + get!.quantity))
        : Math.min(Math.floor(left[from]! / buy!.quantity), Math.floor(left[to]! / get!.quantity));
    if (rounds > 0) {
      left[from]! -= rounds * buy!.quantity;
      left[to]! -= rounds * get!.quantity;
      given[to]! += rounds * get!.quantity;
      continue;
    }
    if (sum(dearest.map((index) => left[index]!)) < buy!.quantity) break;
    take(left, dearest, buy!.quantity);
    const units = take(left, cheapest, get!.quantity);
    if (units.size === 0) break;
    for (const [index, count] of units) given[index]! += count;
  }

  const percent = parsePercent(get!.percent)!;
  return lines.map(({ quantity, subtotalCents, leftCents }, index) =>
    quantity === 0
      ? 0
      : Math.min(leftCents, scale(subtotalCents, given[index]! * percent, quantity * wholePercent)),
  );
}

/** By what one costs as listed, of a net line its share of the subtotal. */
function compareUnitPrices(a: DiscountedLine, b: DiscountedLine): number {
  const [x, y] = [BigInt(a.subtotalCents) * BigInt(b.quantity), BigInt(b.subtotalCents) * BigInt(a.quantity)];
  return x < y ? -1 : x > y ? 1 : 0;
}

/** Takes up to so many units, in this order of lines. */
function take(left: number[], order: readonly number[], count: number): Map<number, number> {
  const taken = new Map<number, number>();
  let wanted = count;
  for (const index of order) {
    const some = Math.min(left[index]!, wanted);
    if (some === 0) continue;
    left[index]! -= some;
    wanted -= some;
    taken.set(index, some);
  }
  return taken;
}
