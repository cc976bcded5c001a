import fc from 'fast-check';
import { type Cart, type CartLine, parsePercent, price, type Quote, type Rules } from '../src/index.ts';
import { createRules, discount, line, rate, zone } from './carts.ts';

/** Set `PRICING_RUNS=1000000` for the long run. */
const numRuns = Number(process.env.PRICING_RUNS ?? 1_000);

const cents = fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 2_000_000 }));
const percent = fc.oneof(
  fc.constantFrom('0', '19', '7', '20', '5.5', '8.875', '100', '0.3333', '33.3333'),
  fc.integer({ min: 0, max: 1_000_000 }).map((each) => String(each / 10_000)),
);
const some = <T>(values: T[]) => fc.subarray(values);
const appliesTo = fc.oneof(
  fc.constant({ kind: 'order' as const }),
  some(['prd_1', 'prd_2', 'prd_3']).map((ids) => ({ kind: 'products' as const, ids })),
  some(['cat_1', 'cat_2']).map((ids) => ({ kind: 'categories' as const, ids })),
  some(['tea', 'sale']).map((tags) => ({ kind: 'tags' as const, tags })),
);

const cartLine: fc.Arbitrary<Partial<CartLine>> = fc.record({
  quantity: fc.integer({ min: 1, max: 12 }),
  unitPriceCents: cents,
  taxCategory: fc.constantFrom('standard', 'reduced', 'books'),
  categoryIds: some(['cat_1', 'cat_2']),
  tags: some(['tea', 'sale']),
  requiresShipping: fc.boolean(),
  weightGrams: fc.option(fc.integer({ min: 0, max: 5_000 })),
  problem: fc.constantFrom(null, null, null, 'outOfStock', 'unavailable'),
});

const randomCart: fc.Arbitrary<Cart> = fc.record({
  lines: fc
    .array(cartLine, { minLength: 1, maxLength: 8 })
    .map((all) => all.map((each, index) => line({ variantId: `var_${index + 1}`, ...each }))),
  country: fc.constantFrom('DE', 'FR', 'US', null),
  vatIdCountry: fc.constantFrom('FR', null),
});

const randomTaxes = fc.record({
  pricesIncludeTax: fc.boolean(),
  homeCountry: fc.constantFrom('DE', null),
  elsewhere: fc.constantFrom('none' as const, 'home' as const),
  shipping: fc.constantFrom('proportional' as const, 'standard' as const, 'none' as const),
  reverseCharge: fc.boolean(),
  rates: fc
    .tuple(percent, percent, some(['standard', 'reduced']), some(['DE', 'FR']))
    .map(([standard, reduced, categories, countries]) =>
      countries.flatMap((country) =>
        categories.map((category) => ({
          country,
          region: null,
          category,
          name: category,
          percent: category === 'standard' ? standard : reduced,
        })),
      ),
    ),
});

const randomDiscount = fc
  .record({
    kind: fc.constantFrom(
      'percentage' as const,
      'amount' as const,
      'freeShipping' as const,
      'buyXGetY' as const,
    ),
    percent,
    amountCents: cents,
    appliesTo,
    minimum: fc.option(
      fc.record({ subtotalCents: fc.option(cents), quantity: fc.option(fc.nat({ max: 9 })) }),
    ),
    buy: fc.record({ quantity: fc.integer({ min: 1, max: 4 }), appliesTo }),
    get: fc.record({ quantity: fc.integer({ min: 1, max: 4 }), appliesTo, percent }),
    isCombinable: fc.boolean(),
  })
  .map(({ buy, get, ...given }) =>
    discount({ ...given, ...(given.kind === 'buyXGetY' ? { buy, get } : { buy: null, get: null }) }),
  );

const randomRate = fc
  .record({
    kind: fc.constantFrom('flat' as const, 'weight' as const, 'subtotal' as const, 'pickup' as const),
    priceCents: cents,
    steps: fc.array(fc.record({ from: cents, priceCents: cents }), { minLength: 1, maxLength: 3 }),
    freeFromCents: fc.option(cents),
  })
  .map(({ kind, priceCents, steps, freeFromCents }) => {
    const isFixed = kind === 'flat' || kind === 'pickup';
    const ascending = steps.toSorted((a, b) => a.from - b.from);
    return rate({
      id: `rate_${kind}_${priceCents}_${steps.length}_${freeFromCents}`,
      kind,
      freeFromCents,
      priceCents: isFixed ? priceCents : null,
      steps: isFixed ? null : ascending,
    });
  });

const randomRules: fc.Arbitrary<Rules> = fc
  .record({
    taxes: randomTaxes,
    rates: fc.array(randomRate, { maxLength: 3 }),
    discounts: fc.array(randomDiscount, { maxLength: 4 }),
  })
  // The flat rate at the end makes sure that the cart can be shipped.
  .map(({ taxes, rates, discounts }) =>
    createRules({ taxes, discounts, zones: rates.length > 0 ? [zone([...rates, { priceCents: 990 }])] : [] }),
  );

function quoteCart(cart: Cart, rules: Rules) {
  const priced = price(cart, rules);
  if (priced.problem !== null) throw new Error(priced.problem);
  return priced;
}

const total = (amounts: readonly number[]) => amounts.reduce((sum, each) => sum + each, 0);

/** Checks the invariants of every quote. */
function expectSums({ quote, steps }: ReturnType<typeof quoteCart>) {
  const { lines, taxLines } = quote;
  const sums = {
    subtotalCents: total(lines.map((each) => each.subtotalCents)),
    discountCents: total(lines.map((each) => each.discountCents)),
    taxCents: total(taxLines.map((each) => each.taxCents)),
    totalCents:
      quote.subtotalCents -
      quote.discountCents +
      quote.shippingCents +
      (quote.taxIncluded ? 0 : quote.taxCents),
  };
  const { subtotalCents, discountCents, taxCents, totalCents } = quote;
  expect({ subtotalCents, discountCents, taxCents, totalCents }).toEqual(sums);
  expect(total(lines.map((each) => each.taxCents)) + quote.shippingTaxCents).toBe(taxCents);
  expect(total(steps.map((each) => each.amountCents))).toBe(totalCents);
  expect(total(quote.discounts.map((each) => each.amountCents))).toBeGreaterThanOrEqual(discountCents);
  for (const each of lines) expect(each.totalCents).toBe(each.subtotalCents - each.discountCents);
  const amounts = [
    ...lines.flatMap((each) => [each.subtotalCents, each.discountCents, each.taxCents, each.totalCents]),
    ...taxLines.flatMap((each) => [each.baseCents, each.taxCents]),
    ...quote.discounts.map((each) => each.amountCents),
    quote.shippingCents,
    quote.shippingTaxCents,
    totalCents,
  ];
  for (const amount of amounts)
    if (!(Number.isSafeInteger(amount) && amount >= 0)) throw new Error(`${amount}`);
}

/** The difference between the tax of a tax line and `baseCents × percent`. */
const measureDeviation = ({ baseCents, percent, taxCents }: Quote['taxLines'][number]) =>
  Math.abs((baseCents * parsePercent(percent)!) / 1_000_000 - taxCents);

test('sums add up, nothing is below 0, and a tax line agrees with its base to a cent', () => {
  fc.assert(
    fc.property(randomCart, randomRules, (cart, rules) => {
      const priced = quoteCart(cart, rules);
      expectSums(priced);
      for (const each of priced.quote.taxLines) expect(measureDeviation(each)).toBeLessThanOrEqual(1);
    }),
    { numRuns },
  );
});

test('no discount makes an order more expensive', () => {
  fc.assert(
    fc.property(randomCart, randomRules, (cart, rules) => {
      const without = quoteCart(cart, { ...rules, discounts: [] }).quote.totalCents;
      expect(quoteCart(cart, rules).quote.totalCents).toBeLessThanOrEqual(without);
    }),
    { numRuns },
  );
});

test('the order of lines moves remainders only, and no total by more than a cent a tax line', () => {
  fc.assert(
    fc.property(randomCart, randomRules, (cart, rules) => {
      // For "buy X, get Y" and for discounts on lines, equal prices go by the order of the lines. That does not change
      // the sum, but may change which tax rate is spared.
      const discounts = rules.discounts.filter(({ kind }) => kind !== 'buyXGetY');
      const straight = quoteCart(cart, { ...rules, discounts }).quote;
      const reversed = quoteCart({ ...cart, lines: cart.lines.toReversed() }, { ...rules, discounts }).quote;
      // If every line costs 0, shipping falls under the tax line of the first one.
      const isFree = ({ lines }: Quote) => lines.every(({ totalCents }) => totalCents === 0);
      if (isFree(straight) || isFree(reversed)) return;
      // A cent of a discount that moves to a line with another rate takes its share of shipping along, which may be
      // many times the price of the lines.
      const left = straight.subtotalCents - straight.discountCents;
      const leeway =
        (straight.taxLines.length + reversed.taxLines.length) * (1 + straight.shippingCents / left);
      expect(reversed.subtotalCents).toBe(straight.subtotalCents);
      expect(Math.abs(reversed.totalCents - straight.totalCents)).toBeLessThanOrEqual(leeway);
    }),
    { numRuns },
  );
});

test('included tax, and the same net amounts with tax on top, agree to a cent a tax line', () => {
  fc.assert(
    fc.property(randomCart, randomTaxes, (cart, given) => {
      const taxes = { ...given, pricesIncludeTax: true, reverseCharge: false };
      const included = quoteCart(cart, createRules({ taxes })).quote;
      const getCategory = (name: string) => name;
      const net = included.taxLines.map(({ name, baseCents }, index) =>
        line({ variantId: `var_${index + 1}`, unitPriceCents: baseCents, taxCategory: getCategory(name) }),
      );
      const onTop = quoteCart(
        { ...cart, lines: net },
        createRules({ taxes: { ...taxes, pricesIncludeTax: false } }),
      ).quote;
      const sumGross = (quote: Quote) =>
        total(quote.taxLines.map(({ baseCents, taxCents }) => baseCents + taxCents));
      expect(Math.abs(sumGross(onTop) - sumGross(included))).toBeLessThanOrEqual(included.taxLines.length);
    }),
    { numRuns },
  );
});
