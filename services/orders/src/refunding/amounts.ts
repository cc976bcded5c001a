import type { OrderUnits, PricedLineItem, RefundLine } from '@waybill/contracts';

/** What of an order decides what its refunds come to. */
export interface RefundableOrder {
  /** Those of orders from before there were taxes lack them. */
  lineItems: readonly (Pick<PricedLineItem, 'variantId' | 'quantity' | 'totalCents'> &
    Partial<Pick<PricedLineItem, 'taxCents'>>)[];
  shippingCents: number;
  shippingTaxCents: number;
  taxCents: number;
  taxIncluded: boolean;
  totalCents: number;
}

/** What a refund comes to. */
export interface RefundSums {
  amountCents: number;
  taxCents: number;
  shippingCents: number;
  shippingTaxCents: number;
  lines: readonly Omit<RefundLine, 'restock'>[];
}

export interface AskedRefund {
  lines?: readonly OrderUnits[];
  shippingCents?: number;
  /** Alone a sum; otherwise what replaces that of lines and shipping. */
  amountCents?: number;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0);

/** `whole × part ÷ of`, rounded half up, exact for any sums of money. */
export function proportion(whole: number, part: number, of: number): number {
  if (of === 0) return 0;
  return Number((BigInt(whole) * BigInt(part) * 2n + BigInt(of)) / (BigInt(of) * 2n));
}

/**
 * The tax in a part of something: in proportion, as long as the tax and the net amount that are left cover it. Of the last
 * part that is all that is left of both.
 */
function taxOfPart(
  whole: { amountCents: number; taxCents: number },
  taken: { amountCents: number; taxCents: number },
  amountCents: number,
  wanted = proportion(whole.taxCents, amountCents, whole.amountCents),
): number {
  const taxLeft = Math.max(0, whole.taxCents - taken.taxCents);
  const netLeft = Math.max(0, whole.amountCents - whole.taxCents - (taken.amountCents - taken.taxCents));
  return Math.min(Math.max(wanted, amountCents - netLeft), taxLeft, amountCents);
}

/** Adds up what the refunds of an order came to. */
const totalOf = (refunds: readonly RefundSums[]) => ({
  amountCents: sum(refunds.map(({ amountCents }) => amountCents)),
  taxCents: sum(refunds.map(({ taxCents }) => taxCents)),
});

/** What of an order's shipping was not refunded yet. */
export const shippingLeft = (
  { shippingCents }: Pick<RefundableOrder, 'shippingCents'>,
  before: readonly RefundSums[],
): number => Math.max(0, shippingCents - sum(before.map((refund) => refund.shippingCents)));

/**
 * What a refund comes to: `decisions.md 23.2`. `before` are the refunds of the order that did not fail. The lines and the
 * shipping that are asked for have to be left.
 */
export function priceRefund(
  order: RefundableOrder,
  before: readonly RefundSums[],
  asked: AskedRefund,
): RefundSums {
  const lines = (asked.lines ?? []).map((line) => priceLine(order, before, line));
  const shipping = priceShipping(order, before, asked.shippingCents ?? 0);
  const listed = {
    amountCents: sum(lines.map(({ amountCents }) => amountCents)) + shipping.amountCents,
    taxCents: sum(lines.map(({ taxCents }) => taxCents)) + shipping.taxCents,
  };
  const amountCents = asked.amountCents ?? listed.amountCents;
  const whole = { amountCents: order.totalCents, taxCents: order.taxCents };
  const scaled =
    listed.amountCents > 0
      ? proportion(listed.taxCents, amountCents, listed.amountCents)
      : proportion(order.taxCents, amountCents, order.totalCents);
  return {
    amountCents,
    taxCents: taxOfPart(whole, totalOf(before), amountCents, scaled),
    shippingCents: asked.shippingCents ?? 0,
    shippingTaxCents: shipping.taxCents,
    lines,
  };
}

/** Each unit goes back at the line's amount by its quantity, rounded down, and the last one takes what that leaves. */
function priceLine(
  { lineItems, taxIncluded }: RefundableOrder,
  before: readonly RefundSums[],
  { variantId, quantity }: OrderUnits,
): RefundSums['lines'][number] {
  const item = lineItems.find((each) => each.variantId === variantId)!;
  const { taxCents = 0 } = item;
  const whole = { amountCents: item.totalCents + (taxIncluded ? 0 : taxCents), taxCents };
  const earlier = before.flatMap(({ lines }) => lines).filter((line) => line.variantId === variantId);
  const unitCents = Math.floor(whole.amountCents / item.quantity);
  const isLast = sum(earlier.map((line) => line.quantity)) + quantity === item.quantity;
  const rest = isLast ? whole.amountCents - unitCents * item.quantity : 0;
  const amountCents = unitCents * quantity + rest;
  return { variantId, quantity, amountCents, taxCents: taxOfPart(whole, totalOfLines(earlier), amountCents) };
}

const totalOfLines = (lines: RefundSums['lines']) => ({
  amountCents: sum(lines.map(({ amountCents }) => amountCents)),
  taxCents: sum(lines.map(({ taxCents }) => taxCents)),
});

/** `shippingCents` is meant as the order's is: where tax comes on top, its part of the tax does here, too. */
function priceShipping(
  order: RefundableOrder,
  before: readonly RefundSums[],
  shippingCents: number,
): { amountCents: number; taxCents: number } {
  const taxLeft = Math.max(0, order.shippingTaxCents - sum(before.map((refund) => refund.shippingTaxCents)));
  const isLast = shippingCents > 0 && shippingCents === shippingLeft(order, before);
  const taxCents = isLast
    ? taxLeft
    : Math.min(proportion(order.shippingTaxCents, shippingCents, order.shippingCents), taxLeft);
  return { amountCents: shippingCents + (order.taxIncluded ? 0 : taxCents), taxCents };
}
