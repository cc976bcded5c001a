/** Factors for currencies whose unit at Stripe differs from ISO 4217. https://docs.stripe.com/currencies */
const factors: Readonly<Record<string, number>> = { ISK: 100, UGX: 100, MGA: 0.01 };

/** Currencies with three decimals, of which Stripe accepts two: https://docs.stripe.com/currencies#three-decimal */
const roundedToTen = new Set(['BHD', 'JOD', 'KWD', 'OMR', 'TND']);

/** Converts an amount in minor units (ISO 4217) to Stripe's unit; null if Stripe cannot express exactly this amount. */
export function toStripeAmount(cents: number, currency: string): number | null {
  if (roundedToTen.has(currency) && cents % 10 !== 0) return null;
  const factor = factors[currency] ?? 1;
  if (factor < 1) return cents % 100 === 0 ? cents / 100 : null;
  return cents * factor;
}

/** Converts an amount in Stripe's unit to minor units. */
export function fromStripeAmount(amount: number, currency: string): number {
  const factor = factors[currency] ?? 1;
  return factor < 1 ? amount * 100 : Math.round(amount / factor);
}
