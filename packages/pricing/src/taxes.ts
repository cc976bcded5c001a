import {
  allocate,
  computeNet,
  computePercent,
  formatPercent,
  includedTax,
  parsePercent,
  sum,
} from './amounts.ts';
import { compareText, euCountries } from './places.ts';
import type { Cart, Taxes, TaxLine } from './types.ts';

/** A tax rate in the form used for calculation. */
export interface Rate {
  name: string;
  percent: number;
}

/** The tax rates of a place by tax category. */
export type PlaceRates = ReadonlyMap<string, Rate>;

/**
 * Returns the tax rates of an order's destination: those of the region if it has any, else of the country. If neither
 * has rates, returns none, or the home country's if `elsewhere` says so. Without a country, the home country applies
 * (`decisions.md 21.1`).
 */
export function findPlaceRates(taxes: Taxes | null, cart: Cart): PlaceRates {
  if (!taxes) return new Map();
  const country = cart.country ?? taxes.homeCountry;
  if (country === null) return new Map();
  const found = findRates(taxes, country, cart.country ? (cart.region ?? null) : null);
  if (found.size > 0 || taxes.elsewhere === 'none' || taxes.homeCountry === null) return found;
  return findRates(taxes, taxes.homeCountry, null);
}

function findRates({ rates }: Taxes, country: string, region: string | null): PlaceRates {
  const inCountry = rates.filter((rate) => rate.country === country);
  const inRegion =
    region === null
      ? []
      : inCountry.filter((rate) => rate.region !== null && compareText(rate.region, region));
  const found = inRegion.length > 0 ? inRegion : inCountry.filter((rate) => rate.region === null);
  return new Map(
    found.map(({ category, name, percent }) => [category, { name, percent: parsePercent(percent)! }]),
  );
}

/** Returns the rate of a category, else the standard rate; null if there is no tax. */
export const findRate = (rates: PlaceRates, category: string): Rate | null =>
  rates.get(category) ?? rates.get(standardCategory) ?? null;

export const standardCategory = 'standard';

/**
 * Whether a buyer in this country with a valid VAT id of another EU country would owe the tax instead of the seller.
 * Without rates there is no tax to owe.
 */
export function canReverseCharge(taxes: Taxes | null, country: string | null | undefined): boolean {
  if (!taxes?.reverseCharge || taxes.rates.length === 0 || !taxes.homeCountry || !country) return false;
  return country !== taxes.homeCountry && [country, taxes.homeCountry].every((each) => euCountries.has(each));
}

/** Whether this cart is untaxed because its buyer owes the tax. */
export function isReverseCharged(taxes: Taxes | null, { country, vatIdCountry }: Cart): boolean {
  if (!canReverseCharge(taxes, country) || !vatIdCountry) return false;
  return euCountries.has(vatIdCountry) && vatIdCountry !== taxes!.homeCountry;
}

/** Returns an amount listed with the home country's tax without that tax (`reverseCharge`). */
export function removeHomeTax(amount: number, home: PlaceRates, category: string): number {
  const rate = findRate(home, category);
  return rate ? computeNet(amount, rate.percent) : amount;
}

/** Returns the rates by which listed prices include tax: those of the home country. */
export const findHomeRates = (taxes: Taxes): PlaceRates =>
  taxes.homeCountry ? findRates(taxes, taxes.homeCountry, null) : new Map();

export interface ComputedTaxes {
  /** One entry per line. */
  lineTaxCents: number[];
  shippingTaxCents: number;
  taxLines: TaxLine[];
}

interface Group {
  rate: Rate;
  lines: number[];
  shippingCents: number;
}

/**
 * Computes each tax line once, over the sum of the lines and shipping that fall under it, rounded half up. The tax is
 * then divided among them in proportion (`decisions.md 21.1`).
 */
export function computeTaxes(
  lines: readonly { amountCents: number; rate: Rate | null }[],
  shippingCents: number,
  { shipping, pricesIncludeTax }: Pick<Taxes, 'shipping' | 'pricesIncludeTax'>,
  standard: Rate | null,
): ComputedTaxes {
  const groups: Group[] = [];
  const findGroup = (rate: Rate): Group => {
    const found = groups.find((each) => each.rate.name === rate.name && each.rate.percent === rate.percent);
    if (found) return found;
    const group = { rate, lines: [], shippingCents: 0 };
    groups.push(group);
    return group;
  };
  for (const [index, { rate }] of lines.entries()) if (rate) findGroup(rate).lines.push(index);

  if (shipping === 'standard' && standard) findGroup(standard).shippingCents = shippingCents;
  if (shipping === 'proportional') divideShipping(lines, shippingCents, groups);

  const lineTaxCents = lines.map(() => 0);
  let shippingTaxCents = 0;
  const taxLines: TaxLine[] = [];
  for (const { rate, lines: members, shippingCents: shippingPart } of groups) {
    const amounts = [...members.map((index) => lines[index]!.amountCents), shippingPart];
    const amount = sum(amounts);
    if (amount === 0) continue;
    const taxCents = (pricesIncludeTax ? includedTax : computePercent)(amount, rate.percent);
    const parts = allocate(taxCents, amounts);
    for (const [position, index] of members.entries()) lineTaxCents[index] = parts[position]!;
    shippingTaxCents += parts.at(-1)!;
    taxLines.push({
      name: rate.name,
      percent: formatPercent(rate.percent),
      baseCents: pricesIncludeTax ? amount - taxCents : amount,
      taxCents,
    });
  }
  return { lineTaxCents, shippingTaxCents, taxLines };
}

/** Assigns each tax line its share of shipping; the untaxed lines together take an untaxed share. */
function divideShipping(
  lines: readonly { amountCents: number; rate: Rate | null }[],
  shippingCents: number,
  groups: readonly Group[],
): void {
  const untaxed = [...lines.keys()].filter((index) => !lines[index]!.rate);
  const recipients = [
    ...groups.map((group) => ({ group, lines: group.lines })),
    { group: null, lines: untaxed },
  ]
    .filter((recipient) => recipient.lines.length > 0)
    .sort((a, b) => a.lines[0]! - b.lines[0]!);
  const weights = recipients.map((recipient) =>
    sum(recipient.lines.map((index) => lines[index]!.amountCents)),
  );
  const parts = allocate(shippingCents, weights, (a, b) => weights[b]! - weights[a]! || a - b);
  for (const [index, { group }] of recipients.entries()) if (group) group.shippingCents = parts[index]!;
}
