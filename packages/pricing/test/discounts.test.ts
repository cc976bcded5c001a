import { createCart, discount, priceCart, quoteCart, taxes, zone } from './carts.ts';

const listAmounts = (quote: ReturnType<typeof quoteCart>) =>
  quote.lines.map(({ discountCents }) => discountCents);
const everything = { kind: 'order' } as const;
const code = (discountId: string, typed = 'CODE', more = {}) => ({ code: typed, discountId, ...more });

describe('the amount of a discount', () => {
  const cart = createCart([
    { unitPriceCents: 1_000, tags: ['tea'] },
    { unitPriceCents: 1_000, categoryIds: ['cat_1'] },
    { unitPriceCents: 1_000, quantity: 2 },
  ]);

  test.each([
    ['a percentage of the order', { percent: '10' }, [100, 100, 200]],
    // 3.33 % of 40.00 is 1.33: rounded once on the sum, and the cents go to the largest remainders.
    ['an odd percentage of the order', { percent: '3.33' }, [33, 33, 67]],
    ['an amount of the order', { kind: 'amount', amountCents: 1_001 }, [250, 250, 501]],
    ['more than there is', { kind: 'amount', amountCents: 9_999 }, [1_000, 1_000, 2_000]],
    ['a percentage of a tag', { percent: '50', appliesTo: { kind: 'tags', tags: ['tea'] } }, [500, 0, 0]],
    ['one of a category', { percent: '50', appliesTo: { kind: 'categories', ids: ['cat_1'] } }, [0, 500, 0]],
    [
      'an amount of each unit of products',
      { kind: 'amount', amountCents: 300, appliesTo: { kind: 'products', ids: ['prd_3', 'prd_1'] } },
      [300, 0, 600],
    ],
  ] as const)('%s', (_name, given, expected) => {
    const quote = quoteCart(cart, { discounts: [discount(given)] });
    expect(listAmounts(quote)).toEqual(expected);
    expect(quote.discounts[0]!.amountCents).toBe(quote.discountCents);
    expect(quote.totalCents).toBe(quote.subtotalCents - quote.discountCents);
  });

  test('over mixed rates, with shipping in proportion to the remaining amounts', () => {
    const mixed = createCart([{ unitPriceCents: 1_190 }, { unitPriceCents: 1_070, taxCategory: 'reduced' }]);
    const quote = quoteCart(mixed, {
      taxes: taxes({ standard: '19', reduced: '7' }),
      zones: [zone([{ priceCents: 452 }])],
      discounts: [discount({ percent: '50' })],
    });
    // 5.95 and 5.35 are left; shipping of 4.52 is split into 2.38 and 2.14.
    expect(quote.taxLines).toEqual([
      { name: 'VAT 19', percent: '19', baseCents: 700, taxCents: 133 },
      { name: 'VAT 7', percent: '7', baseCents: 700, taxCents: 49 },
    ]);
    expect(quote.totalCents).toBe(595 + 535 + 452);
  });

  test('free shipping sets the chosen rate to 0 and is not part of discountCents', () => {
    const discounts = [discount({ kind: 'freeShipping', percent: null })];
    const zones = [zone([{ priceCents: 500 }, { priceCents: 900 }])];
    const quote = quoteCart(createCart([{}], { shippingRateId: 'rate_2' }), { zones, discounts });
    expect(quote).toMatchObject({
      shippingCents: 0,
      discountCents: 0,
      totalCents: 1_000,
      discounts: [{ amountCents: 900 }],
      shippingRates: [{ priceCents: 500 }, { priceCents: 900 }],
    });
  });

  test.each([
    ['products', { kind: 'products', ids: ['prd_2'] }],
    ['categories', { kind: 'categories', ids: ['cat_1'] }],
    ['tags', { kind: 'tags', tags: ['tea'] }],
  ] as const)('free shipping for some %s needs one of them in the cart', (_name, appliesTo) => {
    const free = discount({ kind: 'freeShipping', percent: null, appliesTo });
    const rules = { zones: [zone([{ priceCents: 500 }])], discounts: [free] };
    const listed = { tags: ['tea'], categoryIds: ['cat_1'] };
    for (const country of ['DE', null]) {
      expect(quoteCart(createCart([{}], { country }), rules).discounts).toEqual([]);
      expect(quoteCart(createCart([{}, listed], { country }), rules).discounts).toHaveLength(1);
    }
  });

  test('free shipping appears with 0 before the country is known', () => {
    const discounts = [discount({ kind: 'freeShipping', percent: null, code: 'CODE' })];
    const cart = createCart([{}], { country: null, codes: [code(discounts[0]!.id)] });
    expect(quoteCart(cart, { zones: [zone([{}])], discounts })).toMatchObject({
      discounts: [{ amountCents: 0 }],
      rejectedCodes: [],
    });
  });
});

describe('buy X, get Y', () => {
  const bogo = (buy: number, get: number, percent = '100', to: object = everything) =>
    discount({
      kind: 'buyXGetY',
      percent: null,
      appliesTo: null,
      buy: { quantity: buy, appliesTo: to as never },
      get: { quantity: get, appliesTo: everything, percent },
    });

  test.each([
    // Three for the price of two: the dearest are bought, the cheapest is free.
    [
      [
        [300, 1],
        [200, 1],
        [100, 1],
      ],
      bogo(2, 1),
      [0, 0, 100],
    ],
    [
      [
        [300, 1],
        [200, 1],
        [100, 1],
      ],
      bogo(1, 1),
      [0, 0, 100],
    ],
    [
      [
        [300, 2],
        [100, 2],
      ],
      bogo(1, 1),
      [0, 200],
    ],
    [[[100, 7]], bogo(2, 1), [200]],
    // Two are bought; of the three units that may be free only one is left.
    [[[100, 3]], bogo(2, 3), [100]],
    [[[100, 2]], bogo(2, 1), [0]],
    // A third off, rounded once per line.
    [[[99, 5]], bogo(1, 1, '33.33'), [66]],
    // At equal prices the earlier line is bought, and the earlier of the remaining lines is free.
    [
      [
        [100, 1],
        [100, 1],
        [100, 1],
      ],
      bogo(1, 1),
      [0, 100, 0],
    ],
    [
      [
        [100, 1_000_000],
        [50, 1_000_000],
      ],
      bogo(3, 2),
      [0, 40_000_000],
    ],
  ] as const)('%j → %#', (given, sale, expected) => {
    const cart = createCart(given.map(([unitPriceCents, quantity]) => ({ unitPriceCents, quantity })));
    expect(listAmounts(quoteCart(cart, { discounts: [sale] }))).toEqual(expected);
  });

  test('agrees with counting units one by one', () => {
    let seed = 7;
    const random = (most: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return (seed % most) + 1;
    };
    for (let round = 0; round < 500; round++) {
      const given = Array.from({ length: random(5) }, () => [random(4) * 100, random(9)] as const);
      const [buy, get] = [random(4), random(4)];
      const units = given.flatMap(([price, quantity], line) => Array(quantity).fill({ price, line }));
      const saved = saveOneByOne(units, buy, get);
      const cart = createCart(given.map(([unitPriceCents, quantity]) => ({ unitPriceCents, quantity })));
      expect(listAmounts(quoteCart(cart, { discounts: [bogo(buy, get)] }))).toEqual(
        given.map((_, line) => saved.get(line) ?? 0),
      );
    }

    function saveOneByOne(units: { price: number; line: number }[], buy: number, get: number) {
      const left = [...units];
      const saved = new Map<number, number>();
      while (left.length > buy) {
        left.sort((a, b) => b.price - a.price || a.line - b.line).splice(0, buy);
        left.sort((a, b) => a.price - b.price || a.line - b.line);
        for (const { line, price } of left.splice(0, get)) saved.set(line, (saved.get(line) ?? 0) + price);
      }
      return saved;
    }
  });
});

describe('the choice of discounts', () => {
  const sale = (percent: string, more = {}) => discount({ percent, ...more });

  test('is the best of: none, all combinable ones, or a single exclusive one', () => {
    const best = (...discounts: ReturnType<typeof discount>[]) =>
      quoteCart(createCart([{ unitPriceCents: 10_000 }]), { discounts }).discounts.map(
        ({ amountCents }) => amountCents,
      );
    const combines = { isCombinable: true };
    expect(best(sale('10'), sale('20'))).toEqual([2_000]);
    expect(best(sale('10', combines), sale('20', combines), sale('25'))).toEqual([1_000, 1_800]);
    expect(best(sale('10', combines), sale('20', combines), sale('30'))).toEqual([3_000]);
  });

  test('discounts of lines apply before those of the order, each to the remaining amount', () => {
    const discounts = [
      sale('50', { isCombinable: true }),
      sale('50', { isCombinable: true, appliesTo: { kind: 'products', ids: ['prd_1'] } }),
    ];
    const quote = quoteCart(createCart([{ unitPriceCents: 1_000 }, { unitPriceCents: 1_000 }]), {
      discounts,
    });
    expect(listAmounts(quote)).toEqual([750, 500]);
    expect(quote.discounts.map(({ amountCents }) => amountCents)).toEqual([500, 750]);
  });

  test('among equal ones prefers a typed code, then the older one', () => {
    const [a, b, c] = [sale('10'), sale('10'), sale('10', { code: 'CODE' })];
    const used = (cart = createCart([{}])) =>
      quoteCart(cart, { discounts: [a, b, c] }).discounts.map(({ id }) => id);
    expect(used()).toEqual([a.id]);
    expect(used(createCart([{}], { codes: [code(c.id)] }))).toEqual([c.id]);
  });

  test('never makes an order more expensive, even when free shipping would be lost', () => {
    const zones = [zone([{ priceCents: 500, freeFromCents: 1_000 }])];
    const penny = discount({ kind: 'amount', amountCents: 1, percent: null, code: 'PENNY' });
    const cart = createCart([{}], { codes: [code(penny.id, 'PENNY')] });
    expect(quoteCart(cart, { zones, discounts: [penny] })).toMatchObject({
      totalCents: 1_000,
      discounts: [],
      rejectedCodes: [{ code: 'PENNY', reason: 'nothingApplies' }],
    });
  });

  test('a discount that removes all rates, or the chosen one, is not used', () => {
    const steps = [{ from: 1_000, priceCents: 100 }];
    const zones = [zone([{ kind: 'subtotal', priceCents: null, steps }, { priceCents: 9_000 }])];
    const cart = createCart([{}], { shippingRateId: 'rate_1' });
    expect(quoteCart(cart, { zones, discounts: [sale('10')] })).toMatchObject({
      totalCents: 1_100,
      discounts: [],
    });
  });
});

describe('why a code is rejected', () => {
  const now = Date.UTC(2026, 10, 26);
  const limited = { minimum: { subtotalCents: 5_000, quantity: null } };
  test.each([
    ['notStarted', { startsAt: now + 1, endsAt: now + 2, status: 'disabled' }],
    ['ended', { endsAt: now, status: 'disabled' }],
    ['disabled', { status: 'disabled', isUsedUp: true }],
    ['usedUp', { isUsedUp: true, ...limited }],
    ['minimum', limited],
    ['minimum', { minimum: { subtotalCents: null, quantity: 2 } }],
    ['nothingApplies', { appliesTo: { kind: 'tags', tags: ['none'] } }],
    ['nothingApplies', { kind: 'freeShipping', percent: null }],
  ] as const)('%s: %j', (reason, given) => {
    const one = discount({ code: 'CODE', ...given });
    const cart = createCart([{}], { codes: [code(one.id)] });
    expect(quoteCart(cart, { discounts: [one] })).toMatchObject({
      discounts: [],
      rejectedCodes: [{ code: 'CODE', reason }],
    });
  });

  test('is unknown, used up for a person, a second code of one discount, or beaten by another', () => {
    const [small, large] = [discount({ code: 'SMALL', percent: '5' }), discount({ percent: '10' })];
    const single = discount({ hasSingleUseCodes: true, percent: '20' });
    const codes = [
      { code: 'NONE', discountId: null },
      code(small.id, 'SMALL'),
      code(single.id, 'ONE', { isUsedUp: true }),
      code(single.id, 'TWO'),
      code(single.id, 'THREE'),
    ];
    const quote = quoteCart(createCart([{}], { codes }), { discounts: [small, large, single] });
    expect(quote.discounts).toMatchObject([{ id: single.id, code: 'TWO', amountCents: 200 }]);
    expect(quote.rejectedCodes).toEqual([
      { code: 'NONE', reason: 'unknown' },
      { code: 'SMALL', reason: 'notCombinable' },
      { code: 'ONE', reason: 'usedUp' },
      { code: 'THREE', reason: 'notCombinable' },
    ]);
  });
});

test('every change of the sum is a step, and the steps add up to the total', () => {
  const { quote, steps } = priceCart(createCart([{ name: 'Tea', quantity: 2 }]), {
    taxes: taxes({ standard: '19' }, { pricesIncludeTax: false }),
    zones: [zone([{ priceCents: 500 }])],
    discounts: [
      discount({ title: 'Sale', isCombinable: true }),
      discount({ title: 'Free', kind: 'freeShipping', percent: null, isCombinable: true }),
    ],
  });
  expect(steps).toEqual([
    { kind: 'line', text: '2 × Tea', amountCents: 2_000 },
    { kind: 'discount', text: 'Sale', amountCents: -200 },
    { kind: 'shipping', text: 'Parcel', amountCents: 500 },
    { kind: 'freeShipping', text: 'Free', amountCents: -500 },
    { kind: 'tax', text: 'VAT 19 19 %', amountCents: 342 },
  ]);
  expect(steps.reduce((sum, each) => sum + each.amountCents, 0)).toBe(quote.totalCents);
});
