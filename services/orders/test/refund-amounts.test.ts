import fc from 'fast-check';
import {
  priceRefund,
  type RefundAmountsInput,
  type RefundableOrder,
  type RefundSums,
  refundableShippingCents,
} from '../src/refunding/amounts.ts';

const line = (variantId: string, quantity: number, totalCents: number, taxCents: number) => ({
  variantId,
  quantity,
  totalCents,
  taxCents,
});

const order = (changes: Partial<RefundableOrder> = {}): RefundableOrder => ({
  lineItems: [line('a', 3, 1000, 160), line('b', 1, 500, 0)],
  shippingCents: 490,
  shippingTaxCents: 78,
  taxCents: 238,
  taxIncluded: true,
  totalCents: 1990,
  ...changes,
});

/** Prices refunds one after the other. */
function stack(of: RefundableOrder, inputs: readonly RefundAmountsInput[]): RefundSums[] {
  const refunds: RefundSums[] = [];
  for (const each of inputs) refunds.push(priceRefund(of, refunds, each));
  return refunds;
}
const listSums = (refunds: readonly RefundSums[]) =>
  refunds.map(({ amountCents, taxCents }) => [amountCents, taxCents]);

describe('what a refund comes to', () => {
  test('units are refunded at what was paid for them, and the last one gets the remainder', () => {
    const one = { lines: [{ variantId: 'a', quantity: 1 }] };
    expect(listSums(stack(order(), [one, one, one]))).toEqual([
      [333, 53],
      [333, 53],
      [334, 54],
    ]);
    const [all] = stack(order(), [{ lines: [{ variantId: 'a', quantity: 3 }] }]);
    expect(all).toMatchObject({ amountCents: 1000, taxCents: 160 });
  });

  test('where tax is on top, it comes on top', () => {
    const onTop = order({ taxIncluded: false, totalCents: 1990 + 238 });
    const inputs = [
      { lines: [{ variantId: 'a', quantity: 1 }] },
      { shippingCents: 245 },
      { lines: [{ variantId: 'b', quantity: 1 }] },
      { shippingCents: 245 },
    ];
    expect(listSums(stack(onTop, inputs))).toEqual([
      [386, 53],
      [284, 39],
      [500, 0],
      [284, 39],
    ]);
  });

  test('a sum alone contains the order’s tax in proportion, and one that replaces another scales its tax', () => {
    expect(listSums(stack(order(), [{ amountCents: 199 }]))).toEqual([[199, 24]]);
    const half = { lines: [{ variantId: 'a', quantity: 3 }], amountCents: 500 };
    expect(listSums(stack(order(), [half]))).toEqual([[500, 80]]);
    const untaxed = { lines: [{ variantId: 'b', quantity: 1 }], amountCents: 100 };
    expect(listSums(stack(order(), [untaxed]))).toEqual([[100, 0]]);
  });

  test('counts units at their price, whatever sums replaced them', () => {
    const one = { lines: [{ variantId: 'a', quantity: 1 }] };
    expect(listSums(stack(order(), [{ ...one, amountCents: 1 }, one, one])).slice(1)).toEqual([
      [333, 53],
      [334, 54],
    ]);
  });
});

const cents = fc.integer({ min: 0, max: 100_000 });
const anyOrder: fc.Arbitrary<RefundableOrder> = fc
  .record({
    lines: fc.array(fc.record({ quantity: fc.integer({ min: 1, max: 9 }), cents, percent: fc.nat(30) }), {
      minLength: 1,
      maxLength: 4,
    }),
    shippingCents: cents,
    shippingPercent: fc.nat(30),
    taxIncluded: fc.boolean(),
  })
  .map(({ lines, shippingCents, shippingPercent, taxIncluded }) => {
    const computeTax = (amount: number, percent: number) =>
      Math.round((amount * percent) / (taxIncluded ? 100 + percent : 100));
    const lineItems = lines.map(({ quantity, cents: amount, percent }, i) =>
      line(`v${i}`, quantity, amount, computeTax(amount, percent)),
    );
    const shippingTaxCents = computeTax(shippingCents, shippingPercent);
    const taxCents = shippingTaxCents + lineItems.reduce((sum, item) => sum + item.taxCents, 0);
    const net = shippingCents + lineItems.reduce((sum, item) => sum + item.totalCents, 0);
    const totalCents = net + (taxIncluded ? 0 : taxCents);
    return { lineItems, shippingCents, shippingTaxCents, taxCents, taxIncluded, totalCents };
  });

/** A requested refund, as fractions of what is left. */
const anyStep = fc.record({
  lines: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 4 }),
  shipping: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
  sum: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
});

test('whatever is stacked, tax and net are never more than the order’s, and both are reached in the end', () => {
  fc.assert(
    fc.property(anyOrder, fc.array(anyStep, { maxLength: 12 }), (of, steps) => {
      const refunds: RefundSums[] = [];
      const totals = () => ({
        amount: refunds.reduce((sum, each) => sum + each.amountCents, 0),
        tax: refunds.reduce((sum, each) => sum + each.taxCents, 0),
      });
      const add = (input: RefundAmountsInput) => {
        const priced = priceRefund(of, refunds, input);
        // The ledger refuses more than was paid.
        if (priced.amountCents > of.totalCents - totals().amount) return;
        refunds.push(priced);
        const { amount, tax } = totals();
        expect(priced.taxCents).toBeGreaterThanOrEqual(0);
        expect(priced.taxCents).toBeLessThanOrEqual(priced.amountCents);
        expect(tax).toBeLessThanOrEqual(of.taxCents);
        expect(amount - tax).toBeLessThanOrEqual(of.totalCents - of.taxCents);
        for (const item of of.lineItems) {
          const parts = refunds
            .flatMap(({ lines }) => lines)
            .filter(({ variantId }) => variantId === item.variantId);
          const units = parts.reduce((sum, { quantity }) => sum + quantity, 0);
          const [paid, taxed] = [
            parts.reduce((sum, part) => sum + part.amountCents, 0),
            parts.reduce((sum, part) => sum + part.taxCents, 0),
          ];
          const whole = item.totalCents + (of.taxIncluded ? 0 : item.taxCents!);
          if (units === item.quantity) expect([paid, taxed]).toEqual([whole, item.taxCents]);
          else expect([paid <= whole, taxed <= item.taxCents!]).toEqual([true, true]);
        }
      };
      for (const { lines, shipping, sum } of steps) {
        const wanted = of.lineItems.flatMap(({ variantId, quantity }, i) => {
          const done = refunds
            .flatMap((refund) => refund.lines)
            .filter((each) => each.variantId === variantId)
            .reduce((all, each) => all + each.quantity, 0);
          const units = Math.round((lines[i] ?? 0) * (quantity - done));
          return units > 0 ? [{ variantId, quantity: units }] : [];
        });
        const shippingCents = Math.round((shipping ?? 0) * refundableShippingCents(of, refunds));
        const left = of.totalCents - totals().amount;
        add({
          lines: wanted,
          shippingCents,
          ...(sum !== null && { amountCents: Math.round(sum * left) }),
        });
      }
      const rest = of.totalCents - totals().amount;
      if (rest > 0) add({ amountCents: rest });
      expect(totals()).toEqual({ amount: of.totalCents, tax: of.taxCents });
    }),
    { numRuns: 500 },
  );
});
