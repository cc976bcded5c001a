import { price } from '../src/index.ts';
import { createCart, createRules, discount, quoteCart, zone } from './carts.ts';

describe('zones', () => {
  const zones = [
    zone([{ name: 'World' }], { id: 'world' }),
    zone([{ name: 'Germany' }], { id: 'de', countries: ['DE'] }),
    zone([{ name: 'Bavaria' }], { id: 'by', countries: ['DE'], regions: ['Bavaria'] }),
    zone([{ name: 'Berlin' }], { id: 'be', countries: ['DE'], postalCodes: ['10*', '14195'] }),
    zone([{ name: 'Islands' }], { countries: ['DE'], regions: ['Holstein'], postalCodes: ['25*'] }),
  ];

  test.each([
    [{ country: 'FR' }, 'World'],
    [{ country: 'DE' }, 'Germany'],
    [{ country: 'DE', region: 'BAVARIA' }, 'Bavaria'],
    [{ country: 'DE', postalCode: '1 0115' }, 'Berlin'],
    [{ country: 'DE', postalCode: '14195', region: 'Bavaria' }, 'Berlin'],
    [{ country: 'DE', postalCode: '14196' }, 'Germany'],
    [{ country: 'DE', postalCode: '25849' }, 'Germany'],
    [{ country: 'DE', postalCode: '25849', region: 'Holstein' }, 'Islands'],
    [{ country: 'FR', postalCode: '10115' }, 'World'],
  ])('the narrowest that covers %j is %s', (address, name) => {
    expect(quoteCart(createCart([{}], address), { zones }).shippingRates).toMatchObject([{ name }]);
  });

  test('an address that no zone covers, or whose zone offers no rate, is noShipping', () => {
    const only = zone([{}], { countries: ['DE'] });
    expect(price(createCart([{}], { country: 'FR' }), createRules({ zones: [only] }))).toEqual({
      problem: 'noShipping',
    });
    const off = zone([{ isEnabled: false }]);
    expect(price(createCart([{}], { shippingRateId: 'x' }), createRules({ zones: [off] }))).toEqual({
      problem: 'noShipping',
    });
  });

  test('without a country no rate is chosen, and the quote reports that it is missing', () => {
    const cart = createCart([{}], { country: null, shippingRateId: 'nonsense' });
    expect(quoteCart(cart, { zones })).toMatchObject({
      missing: ['country'],
      shippingRates: [],
      shippingRateId: null,
      shippingCents: 0,
    });
  });
});

describe('rates', () => {
  const steps = [
    { from: 0, priceCents: 900 },
    { from: 2_000, priceCents: 700 },
    { from: 5_000, priceCents: 300 },
  ];
  const by = (kind: 'weight' | 'subtotal') => ({ kind, priceCents: null, steps });

  test.each([
    [{ unitPriceCents: 1_999 }, 900],
    [{ unitPriceCents: 2_000 }, 700],
    [{ unitPriceCents: 1_000, quantity: 5 }, 300],
  ])('by subtotal, %j costs %d', (given, priceCents) => {
    expect(quoteCart(createCart([given]), { zones: [zone([by('subtotal')])] }).shippingCents).toBe(
      priceCents,
    );
  });

  test('by weight counts units, except those that need no shipping or have no weight', () => {
    const cart = createCart([
      { weightGrams: 700, quantity: 3 },
      { weightGrams: 9_000, requiresShipping: false },
      { weightGrams: null },
    ]);
    expect(quoteCart(cart, { zones: [zone([by('weight')])] }).shippingCents).toBe(700);
  });

  test('a step that is not reached is not offered', () => {
    const zones = [zone([{ ...by('subtotal'), steps: steps.slice(1) }, { priceCents: 1_200 }])];
    expect(quoteCart(createCart([{}]), { zones })).toMatchObject({
      shippingRates: [{ id: 'rate_2' }],
      shippingRateId: 'rate_2',
    });
  });

  test('free from a subtotal after discounts', () => {
    const zones = [zone([{ freeFromCents: 1_000 }])];
    expect(quoteCart(createCart([{}]), { zones }).shippingCents).toBe(0);
    const discounts = [discount({ kind: 'amount', amountCents: 600, percent: null })];
    expect(quoteCart(createCart([{}]), { zones, discounts })).toMatchObject({
      totalCents: 900,
      shippingCents: 500,
    });
  });

  test('chooses the cheapest rate except pickup, the first of equals, and pickup only without others', () => {
    const pickup = { kind: 'pickup', priceCents: 0 } as const;
    const zones = [zone([pickup, { priceCents: 700 }, { priceCents: 500 }, { priceCents: 500 }])];
    expect(quoteCart(createCart([{}]), { zones }).shippingRateId).toBe('rate_3');
    expect(quoteCart(createCart([{}]), { zones: [zone([pickup])] }).shippingRateId).toBe('rate_1');
  });

  test('a rate that is not offered is invalidShippingRate; a cart without shipping ignores it', () => {
    const zones = [zone([{}])];
    expect(price(createCart([{}], { shippingRateId: 'rate_9' }), createRules({ zones }))).toEqual({
      problem: 'invalidShippingRate',
    });
    const digital = createCart([{ requiresShipping: false }], { shippingRateId: 'rate_9' });
    expect(quoteCart(digital, { zones })).toMatchObject({ shippingRateId: null, shippingCents: 0 });
  });
});
