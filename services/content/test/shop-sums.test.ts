import type { Quote } from '@waybill/contracts';
import { emptyFields } from '../src/storefront/shop-pages/fields.ts';
import { type CartLine, cartHtml, checkoutHtml, type ShopPage } from '../src/storefront/shop-pages/html.ts';
import type { PricedCart } from '../src/storefront/shop-pages/price-html.ts';
import { shopTextsIn } from '../src/storefront/shop-pages/texts.ts';

const line: CartLine = {
  variantId: 'var_tea',
  productPath: 'products/tea',
  name: 'Tea',
  variantName: '',
  quantity: 2,
  priceCents: 1_190,
  isAvailable: true,
};

/** A quote for a business in another country, whose prices lose the tax that they include. */
const quote: Quote = {
  currency: 'EUR',
  lines: [
    {
      variantId: line.variantId,
      quantity: 2,
      unitPriceCents: 1_190,
      subtotalCents: 2_000,
      discountCents: 0,
      taxCents: 0,
      taxPercent: null,
      totalCents: 2_000,
      problem: null,
    },
  ],
  subtotalCents: 2_000,
  discountCents: 0,
  shippingCents: 0,
  shippingTaxCents: 0,
  taxCents: 0,
  totalCents: 2_000,
  taxIncluded: true,
  reverseCharge: true,
  taxLines: [],
  shippingRates: [],
  shippingRateId: null,
  discounts: [],
  rejectedCodes: [],
  missing: [],
};
const priced: PricedCart = {
  quote,
  problem: null,
  displayNote: '',
  takesVatId: true,
  takesCodes: false,
  homeCountry: 'DE',
  countries: null,
  freeFromCents: null,
  codes: [],
  vatId: 'ATU12345675',
};
const of: ShopPage = { texts: shopTextsIn('de'), language: 'de', currency: 'EUR', toPages: '' };

test('lines of who owes the tax are net, as the total below them is', () => {
  const checkout = checkoutHtml(of, [line], emptyFields('de'), { key: 'k', isAnswer: false, priced });
  for (const html of [checkout, cartHtml(of, [line], '', priced)]) {
    expect(html.split('20,00&nbsp;€')).toHaveLength(3);
    expect(html).not.toContain('23,80');
  }
});

test('lines of everybody else show their price', () => {
  const taxed = { ...priced, quote: { ...quote, reverseCharge: false } };
  expect(cartHtml(of, [line], '', taxed)).toContain('23,80&nbsp;€');
});
