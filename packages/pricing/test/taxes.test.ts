import { createCart, quoteCart, taxes, zone } from './carts.ts';

const de = taxes({ standard: '19', reduced: '7' });
const plusTax = taxes({ standard: '19', reduced: '7' }, { pricesIncludeTax: false });

/** `[net, tax]` of each tax line. */
const listTaxLines = (quote: ReturnType<typeof quoteCart>) =>
  quote.taxLines.map(({ baseCents, taxCents }) => [baseCents, taxCents]);

describe('included tax', () => {
  test.each([
    // 11.90 contains 1.90; 1.00 contains 0.16 (0.1597); 0.01 contains nothing.
    [[{ unitPriceCents: 1_190 }], [[1_000, 190]]],
    [[{ unitPriceCents: 100 }], [[84, 16]]],
    [[{ unitPriceCents: 1 }], [[1, 0]]],
    // Half a cent is rounded up: at 19 %, 3 contains 0.479 and 4 contains 0.639.
    [[{ unitPriceCents: 3 }], [[3, 0]]],
    [[{ unitPriceCents: 4 }], [[3, 1]]],
    // Ten lines whose taxes one by one would be 10 × 0.16 = 1.60. The sum of 10.00 contains 1.60 as well, but ten lines
    // of 0.99 contain 1.58, which one by one would be 1.60.
    [Array(10).fill({ unitPriceCents: 99 }), [[832, 158]]],
    // 7 % and 19 % in one cart.
    [
      [{ unitPriceCents: 1_190 }, { unitPriceCents: 1_070, taxCategory: 'reduced' }],
      [
        [1_000, 190],
        [1_000, 70],
      ],
    ],
  ])('of %j is %j', (lines, expected) => {
    const quote = quoteCart(createCart(lines), { taxes: de });
    expect(listTaxLines(quote)).toEqual(expected);
    expect(quote.totalCents).toBe(quote.subtotalCents);
    expect(quote.lines.reduce((sum, each) => sum + each.taxCents, 0)).toBe(quote.taxCents);
  });
});

describe('tax on top', () => {
  test.each([
    [[{ unitPriceCents: 1_000 }], [[1_000, 190]], 1_190],
    // 19 % of 0.01 is 0.0019; of 0.03 it is 0.0057, rounded half up to 1 cent.
    [[{ unitPriceCents: 1 }], [[1, 0]], 1],
    [[{ unitPriceCents: 3 }], [[3, 1]], 4],
    // A line of 3 × 0.333 = 1.00 does not exist: 3 × 0.33 is 0.99.
    [[{ unitPriceCents: 33, quantity: 3 }], [[99, 19]], 118],
    // Ten lines of 0.13: 10 × 0.02 one by one, 0.25 together.
    [Array(10).fill({ unitPriceCents: 13 }), [[130, 25]], 155],
  ])('of %j is %j', (lines, expected, total) => {
    const quote = quoteCart(createCart(lines), { taxes: plusTax });
    expect(listTaxLines(quote)).toEqual(expected);
    expect(quote.totalCents).toBe(total);
  });

  test('21 % on 45, 49 and 4.96 of shipping is 20.78 in all', () => {
    const quote = quoteCart(createCart([{ unitPriceCents: 4_500 }, { unitPriceCents: 4_900 }]), {
      taxes: taxes({ standard: '21' }, { pricesIncludeTax: false }),
      zones: [zone([{ priceCents: 496 }])],
    });
    expect(listTaxLines(quote)).toEqual([[9_896, 2_078]]);
    expect(quote).toMatchObject({ taxCents: 2_078, shippingTaxCents: 104, totalCents: 11_974 });
  });

  test('a third of a percent is exact to four decimals', () => {
    const quote = quoteCart(createCart([{ unitPriceCents: 300_000 }]), {
      taxes: taxes({ standard: '0.3333' }, { pricesIncludeTax: false }),
    });
    expect(listTaxLines(quote)).toEqual([[300_000, 1_000]]);
  });

  test.each([
    ['JPY', 1_000, '10', 100],
    ['JPY', 105, '8', 8],
    ['KWD', 12_345, '5', 617],
  ])('%s %d at %s %% is %d in its own smallest unit', (currency, unitPriceCents, percent, taxCents) => {
    const quote = quoteCart(createCart([{ unitPriceCents }]), {
      currency,
      taxes: taxes({ standard: percent }, { pricesIncludeTax: false }),
    });
    expect(quote).toMatchObject({ currency, taxCents, totalCents: unitPriceCents + taxCents });
  });
});

describe('the place of taxation', () => {
  const rates = [
    { country: 'US', region: null, category: 'standard', name: 'US', percent: '1' },
    { country: 'US', region: 'New York', category: 'standard', name: 'NY', percent: '8.875' },
    { country: 'DE', region: null, category: 'standard', name: 'DE', percent: '19' },
  ];
  const all = taxes(rates, { pricesIncludeTax: false });
  const listNames = (address: object, given = all) =>
    quoteCart(createCart([{}], { country: null, ...address }), { taxes: given }).taxLines.map(
      ({ name }) => name,
    );

  test.each([
    [{ country: 'US', region: ' newyork ' }, ['NY']],
    [{ country: 'US', region: 'Texas' }, ['US']],
    [{ country: 'US' }, ['US']],
    [{ country: 'FR' }, []],
    [{}, ['DE']],
  ])('%j is taxed by %j', (address, names) => {
    expect(listNames(address)).toEqual(names);
  });

  test('other countries may be taxed like the home country', () => {
    expect(listNames({ country: 'FR' }, { ...all, elsewhere: 'home' })).toEqual(['DE']);
  });

  test('lines without shipping are taxed by the sent country, or else by the home country', () => {
    const digital = [{ requiresShipping: false }];
    const priceWithCountry = (country: string | null) =>
      quoteCart(createCart(digital, { country }), { taxes: all, zones: [zone([{}])] });
    expect(priceWithCountry('US')).toMatchObject({
      taxLines: [{ name: 'US' }],
      missing: [],
      shippingRates: [],
    });
    expect(priceWithCountry(null)).toMatchObject({ taxLines: [{ name: 'DE' }], missing: [] });
  });

  test('a category without a rate is taxed at the standard rate, or not at all without one', () => {
    const quote = quoteCart(createCart([{ taxCategory: 'books' }]), { taxes: de });
    expect(quote.lines[0]).toMatchObject({ taxPercent: '19' });
    const untaxed = quoteCart(createCart([{ taxCategory: 'books' }]), { taxes: taxes({ reduced: '7' }) });
    expect(untaxed).toMatchObject({ taxLines: [], taxCents: 0, lines: [{ taxPercent: null }] });
  });

  test('a rate of 0 % is a tax line; a rate on lines that cost 0 is left out', () => {
    const zero = taxes({ standard: '0', reduced: '7' });
    const quote = quoteCart(createCart([{}, { unitPriceCents: 0, taxCategory: 'reduced' }]), { taxes: zero });
    expect(quote.taxLines).toEqual([{ name: 'VAT 0', percent: '0', baseCents: 1_000, taxCents: 0 }]);
  });

  test('a store without rules has no tax and asks for no country', () => {
    const quote = quoteCart(createCart([{}], { country: null }));
    expect(quote).toMatchObject({ taxCents: 0, taxLines: [], missing: [], totalCents: 1_000 });
  });
});

describe('tax on shipping', () => {
  const cart = createCart([{ unitPriceCents: 2_000 }, { unitPriceCents: 1_000, taxCategory: 'reduced' }]);
  const quoteWith = (shipping: 'proportional' | 'standard' | 'none', given = cart) =>
    quoteCart(given, { taxes: { ...plusTax, shipping }, zones: [zone([{ priceCents: 500 }])] });

  test('is divided in proportion to the amount under each rate', () => {
    // 5.00 is split into 3.33 and 1.67: the larger remainder takes the cent.
    const quote = quoteWith('proportional');
    expect(listTaxLines(quote)).toEqual([
      [2_333, 443],
      [1_167, 82],
    ]);
    expect(quote.shippingTaxCents).toBe(63 + 12);
  });

  test('falls under the standard rate, or is untaxed', () => {
    expect(listTaxLines(quoteWith('standard'))).toEqual([
      [2_500, 475],
      [1_000, 70],
    ]);
    expect(quoteWith('none')).toMatchObject({ shippingTaxCents: 0, taxCents: 380 + 70 });
  });

  test('untaxed lines leave their part of shipping untaxed', () => {
    const mixed = { ...plusTax, rates: plusTax.rates.slice(1) };
    const quote = quoteCart(cart, { taxes: mixed, zones: [zone([{ priceCents: 500 }])] });
    expect(listTaxLines(quote)).toEqual([[1_167, 82]]);
  });

  test('is taxed at the rate of the first line if every line costs 0', () => {
    const free = createCart([{ unitPriceCents: 0, taxCategory: 'reduced' }, { unitPriceCents: 0 }]);
    expect(quoteWith('proportional', free).taxLines).toMatchObject([{ name: 'VAT 7', baseCents: 500 }]);
  });

  test('an unavailable line is ignored', () => {
    const free = createCart([{ problem: 'unavailable' }, { unitPriceCents: 0, taxCategory: 'reduced' }]);
    expect(quoteWith('proportional', free).taxLines).toMatchObject([{ name: 'VAT 7', baseCents: 500 }]);
  });
});

describe('reverse charge', () => {
  const given = { ...de, reverseCharge: true };
  const zones = [zone([{ priceCents: 595 }])];
  const buyer = { country: 'FR', vatIdCountry: 'FR' };
  const two = [{ unitPriceCents: 1_190 }, { unitPriceCents: 1_070, taxCategory: 'reduced' }];

  test('makes lines and shipping net at home rates, and is untaxed', () => {
    const quote = quoteCart(createCart(two, buyer), { taxes: given, zones });
    expect(quote).toMatchObject({
      reverseCharge: true,
      lines: [
        { unitPriceCents: 1_190, subtotalCents: 1_000, taxPercent: null },
        { unitPriceCents: 1_070, subtotalCents: 1_000 },
      ],
      shippingCents: 500,
      taxLines: [],
      taxCents: 0,
      totalCents: 2_500,
    });
  });

  test.each([
    ['at home', { country: 'DE', vatIdCountry: 'FR' }],
    ['outside the EU', { country: 'CH', vatIdCountry: 'FR' }],
    ['with an id of the home country', { country: 'FR', vatIdCountry: 'DE' }],
    ['without an id', { country: 'FR', vatIdCountry: null }],
  ])('is none %s', (_name, address) => {
    const quote = quoteCart(createCart(two, address), { taxes: given, zones });
    expect(quote).toMatchObject({ reverseCharge: false, totalCents: 1_190 + 1_070 + 595 });
  });

  test('does not apply in a store without rates', () => {
    const quote = quoteCart(createCart(two, buyer), { taxes: { ...given, rates: [] }, zones });
    expect(quote).toMatchObject({ reverseCharge: false, totalCents: 1_190 + 1_070 + 595 });
  });

  test('prices without tax stay as they are', () => {
    const quote = quoteCart(createCart(two, buyer), { taxes: { ...given, pricesIncludeTax: false }, zones });
    expect(quote).toMatchObject({ reverseCharge: true, taxCents: 0, totalCents: 1_190 + 1_070 + 595 });
  });
});
