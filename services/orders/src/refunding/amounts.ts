import type { OrderUnits, PricedLineItem, RefundLine } from '@waybill/contracts';

/** The fields of an order that its refunds depend on. */
export interface RefundableOrder {
  /** Items of orders from before taxes have no tax fields. */
  lineItems: readonly (Pick<PricedLineItem, 'variantId' | 'quantity' | 'totalCents'> &
    Partial<Pick<PricedLineItem, 'taxCents'>>)[];
  shippingCents: number;
  shippingTaxCents: number;
  taxCents: number;
  taxIncluded: boolean;
  totalCents: number;
}

/** The amounts of a refund. */
export interface RefundSums {
  amountCents: number;
  taxCents: number;
  shippingCents: number;
  shippingTaxCents: number;
  lines: readonly Omit<RefundLine, 'restock'>[];
}

export interface RefundAmountsInput {
  lines?: readonly OrderUnits[];
  shippingCents?: number;
  /** The whole refund if there are no lines and shipping; otherwise it replaces their total. */
  amountCents?: number;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0);

/** Computes `whole × part ÷ of`, rounded half up, exactly for any amounts of money. */
export function proportion(whole: number, part: number, of: number): number {
  if (of === 0) return 0;
  return Number((BigInt(whole) * BigInt(part) * 2n + BigInt(of)) / (BigInt(of) * 2n));
}

/**
 * Returns the tax in a part of an amount: proportional, but at most the remaining tax, and at least the part beyond the
 * remaining net amount. So the last part takes all that is left of both.
 */
function computePartTax(
  whole: { amountCents: number; taxCents: number },
  refunded: { amountCents: number; taxCents: number },
  amountCents: number,
  desiredCents = proportion(whole.taxCents, amountCents, whole.amountCents),
): number {
  const remainingTax = Math.max(0, whole.taxCents - refunded.taxCents);
  const remainingNet = Math.max(
    0,
    whole.amountCents - whole.taxCents - (refunded.amountCents - refunded.taxCents),
  );
  return Math.min(Math.max(desiredCents, amountCents - remainingNet), remainingTax, amountCents);
}

/** Adds up the refunds of an order. */
const sumRefunds = (refunds: readonly RefundSums[]) => ({
  amountCents: sum(refunds.map(({ amountCents }) => amountCents)),
  taxCents: sum(refunds.map(({ taxCents }) => taxCents)),
});

/** Returns the shipping of an order that has not been refunded yet. */
export const refundableShippingCents = (
  { shippingCents }: Pick<RefundableOrder, 'shippingCents'>,
  before: readonly RefundSums[],
): number => Math.max(0, shippingCents - sum(before.map((refund) => refund.shippingCents)));

/**
 * Computes a refund: `decisions.md 23.2`. `before` are the order's refunds that did not fail. The requested lines and
 * shipping must not exceed what is left.
 */
export function priceRefund(
  order: RefundableOrder,
  before: readonly RefundSums[],
  requested: RefundAmountsInput,
): RefundSums {
  const lines = (requested.lines ?? []).map((line) => priceLine(order, before, line));
  const shipping = priceShipping(order, before, requested.shippingCents ?? 0);
  const listed = {
    amountCents: sum(lines.map(({ amountCents }) => amountCents)) + shipping.amountCents,
    taxCents: sum(lines.map(({ taxCents }) => taxCents)) + shipping.taxCents,
  };
  const amountCents = requested.amountCents ?? listed.amountCents;
  const whole = { amountCents: order.totalCents, taxCents: order.taxCents };
  const scaled =
    listed.amountCents > 0
      ? proportion(listed.taxCents, amountCents, listed.amountCents)
      : proportion(order.taxCents, amountCents, order.totalCents);
  return {
    amountCents,
    taxCents: computePartTax(whole, sumRefunds(before), amountCents, scaled),
    shippingCents: requested.shippingCents ?? 0,
    shippingTaxCents: shipping.taxCents,
    lines,
  };
}

/** Refunds each unit at the line's amount divided by its quantity, rounded down; the last unit takes the remainder. */
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
  return {
    variantId,
    quantity,
    amountCents,
    taxCents: computePartTax(whole, sumLines(earlier), amountCents),
  };
}

const sumLines = (lines: RefundSums['lines']) => ({
  amountCents: sum(lines.map(({ amountCents }) => amountCents)),
  taxCents: sum(lines.map(({ taxCents }) => taxCents)),
});

/** `shippingCents` includes tax if the order's shipping does; otherwise its share of the tax comes on top. */
function priceShipping(
  order: RefundableOrder,
  before: readonly RefundSums[],
  shippingCents: number,
): { amountCents: number; taxCents: number } {
  const remainingTax = Math.max(
    0,
    order.shippingTaxCents - sum(before.map((refund) => refund.shippingTaxCents)),
  );
  const isLast = shippingCents > 0 && shippingCents === refundableShippingCents(order, before);
  const taxCents = isLast
    ? remainingTax
    : Math.min(proportion(order.shippingTaxCents, shippingCents, order.shippingCents), remainingTax);
  return { amountCents: shippingCents + (order.taxIncluded ? 0 : taxCents), taxCents };
}
