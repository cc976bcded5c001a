import { fromStripeAmount, toStripeAmount } from '../src/providers/stripe-amounts.ts';

test.each([
  ['EUR', 900, 900],
  ['JPY', 900, 900],
  // Two decimals at Stripe, none in ISO 4217.
  ['ISK', 5_000, 500_000],
  ['UGX', 5_000, 500_000],
  // None at Stripe, two in ISO 4217.
  ['MGA', 5_000, 50],
  // Three decimals, of which Stripe accepts two.
  ['KWD', 1_230, 1_230],
])('%s: %d is %d at Stripe, and back', (currency, cents, amount) => {
  expect(toStripeAmount(cents, currency)).toBe(amount);
  expect(fromStripeAmount(amount, currency)).toBe(cents);
});

test.each([
  ['KWD', 1_234],
  ['MGA', 5_001],
])('%s: %d cannot be taken exactly', (currency, cents) => {
  expect(toStripeAmount(cents, currency)).toBeNull();
});
