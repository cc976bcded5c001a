import { compareText, matchesPostalCode } from './places.ts';
import type { Cart, ShippingRate, Zone } from './types.ts';

/**
 * Returns the narrowest zone that covers an address: by postal code, region, country, then any country. The first wins
 * a tie.
 */
export function findZone(
  zones: readonly Zone[],
  { country, region, postalCode }: Pick<Cart, 'country' | 'region' | 'postalCode'>,
): Zone | null {
  if (!country) return null;
  let best: { zone: Zone; width: number } | null = null;
  for (const zone of zones) {
    const isNamed = zone.countries.includes(country);
    if (!isNamed && !zone.countries.includes('*')) continue;
    if (zone.regions && !(region && zone.regions.some((each) => compareText(each, region)))) continue;
    if (
      zone.postalCodes &&
      !(postalCode && zone.postalCodes.some((each) => matchesPostalCode(each, postalCode)))
    )
      continue;
    const width = zone.postalCodes ? 0 : zone.regions ? 1 : isNamed ? 2 : 3;
    if (!best || width < best.width) best = { zone, width };
  }
  return best?.zone ?? null;
}

/** The goods to be shipped: their weight in grams and their subtotal after discounts. */
export interface Parcel {
  weightGrams: number;
  subtotalCents: number;
}

/**
 * Returns the price of a rate: its own price, or that of the last step that the parcel reaches. Null if it is not
 * offered.
 */
export function findRatePrice(rate: ShippingRate, { weightGrams, subtotalCents }: Parcel): number | null {
  if (!rate.isEnabled) return null;
  const isFree = rate.freeFromCents !== null && subtotalCents >= rate.freeFromCents;
  if (rate.kind === 'flat' || rate.kind === 'pickup') return isFree ? 0 : rate.priceCents;
  const measuredValue = rate.kind === 'weight' ? weightGrams : subtotalCents;
  const step = rate.steps?.findLast(({ from }) => measuredValue >= from);
  if (!step) return null;
  return isFree ? 0 : step.priceCents;
}
