/** Currencies that Stripe counts in other units than ISO 4217 does: by how much. https://docs.stripe.com/currencies */
const factors: Readonly<Record<string, number>> = { ISK: 100, UGX: 100, MGA: 0.01 };

/** Currencies with three decimals, of which Stripe takes two: https://docs.stripe.com/currencies#three-decimal */
const roundedToTen = new Set(['BHD', 'JOD', 'KWD', 'OMR', 'TND']);

/** A sum in minor units (ISO 4217) as Stripe counts it; null: Stripe cannot take exactly this sum. */
export function toStripeAmount(cents: number, currency: string): number | null {
  if (roundedToTen.has(currency) && cents % 10 !== 0) return null;
  const factor = factors[currency] ?? 1;
  if (factor < 1) return cents % 100 === 0 ? cents / 100 : null;
  return cents * factor;
}

/** What Stripe counts, in minor units. */
export function fromStripeAmount(amount: number, currency: string): number {
  const factor = factors[currency] ?? 1;
  return factor < 1 ? amount * 100 : Math.round(amount / factor);
}
