import {
  maxTaxCategories,
  newId,
  noTaxes,
  type Problem,
  type ShippingInput,
  type ShippingRate,
  type ShippingRateInput,
  type ShippingZone,
  type ShippingZoneInput,
  standardTaxCategory,
  type Taxes,
  type TaxesInput,
  type TaxPreset,
  type TaxRate,
} from '@waybill/contracts';
import type { Context, Write } from '../config.ts';
import { errors } from '../errors.ts';
import { listPresetCountries, listPresetRates } from './presets.ts';
import { findRules, lockRules, updateRules } from './queries.ts';

/** Returns a store's tax settings; those of a store that has none yet charge no tax. */
export const findTaxes = async (db: Context['db'], storeId: string): Promise<Taxes> =>
  withStandard((await findRules(db, storeId)).taxes ?? noTaxes);

/** Adds the category that all products fall back to. Earlier versions let a store remove it. */
const withStandard = (taxes: Taxes): Taxes =>
  taxes.categories.includes(standardTaxCategory)
    ? taxes
    : { ...taxes, categories: [standardTaxCategory, ...taxes.categories] };

/** Changes a store's taxes; omitted fields keep their values. @throws invalid_body */
export function changeTaxes(write: Write, storeId: string, input: TaxesInput): Promise<Taxes> {
  return saveTaxes(write, storeId, (before) => {
    const rates = input.rates?.map(
      (rate): TaxRate => ({
        country: rate.country,
        region: rate.region ?? null,
        category: rate.category ?? standardTaxCategory,
        name: rate.name,
        percent: rate.percent,
      }),
    );
    const taxes = withStandard({
      pricesIncludeTax: input.pricesIncludeTax ?? before.pricesIncludeTax,
      homeCountry: input.homeCountry === undefined ? before.homeCountry : input.homeCountry,
      elsewhere: input.elsewhere ?? before.elsewhere,
      categories: input.categories ?? before.categories,
      rates: rates ?? before.rates,
      shipping: input.shipping ?? before.shipping,
      reverseCharge: input.reverseCharge ?? before.reverseCharge,
      displayNote: input.displayNote ?? before.displayNote,
    });
    checkTaxes(taxes);
    return taxes;
  });
}

/** Replaces the rates of a preset's countries, and adds the categories of these rates. */
export function applyTaxPreset(write: Write, storeId: string, preset: TaxPreset): Promise<Taxes> {
  const countries = listPresetCountries(preset);
  const rates = listPresetRates(preset);
  return saveTaxes(write, storeId, (before) => ({
    ...before,
    categories: [...new Set([...before.categories, ...rates.map(({ category }) => category)])],
    rates: [...before.rates.filter(({ country }) => !countries.includes(country)), ...rates],
  }));
}

async function saveTaxes(
  { trx, audit }: Write,
  storeId: string,
  computeNext: (before: Taxes) => Taxes,
): Promise<Taxes> {
  const stored = await lockRules(trx, storeId);
  const before = withStandard(stored.taxes ?? noTaxes);
  const taxes = computeNext(before);
  const changed = changedFields(before, taxes);
  if (stored.taxes && changed.length === 0) return before;
  await updateRules(trx, storeId, { taxes });
  if (changed.length > 0) await audit(storeId, 'taxes.updated', { id: storeId }, { changed });
  return taxes;
}

const changedFields = <Value extends object>(before: Value, after: Value): string[] =>
  (Object.keys(after) as (keyof Value & string)[]).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );

/** Checks what the schema cannot express. @throws invalid_body for repeated rates and unknown categories */
function checkTaxes(taxes: Taxes): void {
  const details: Problem[] = [];
  const seen = new Set<string>();
  for (const [i, category] of taxes.categories.entries()) {
    if (seen.has(category)) details.push({ pointer: `/categories/${i}`, message: 'appears twice' });
    seen.add(category);
  }
  if (taxes.categories.length > maxTaxCategories) {
    const message = `must be at most ${maxTaxCategories}, \`${standardTaxCategory}\` among them`;
    details.push({ pointer: '/categories', message });
  }
  const placeKeys = new Set<string>();
  for (const [i, { country, region, category }] of taxes.rates.entries()) {
    if (!seen.has(category))
      details.push({ pointer: `/rates/${i}/category`, message: 'must be one of `categories`' });
    const placeKey = JSON.stringify([country, region === null ? null : compact(region), category]);
    if (placeKeys.has(placeKey))
      details.push({
        pointer: `/rates/${i}`,
        message: 'has the country, region and category of another rate',
      });
    placeKeys.add(placeKey);
  }
  if (details.length > 0) throw errors.invalid_body({ details });
}

/** Returns a region in the form for comparisons: `decisions.md 21.1`. */
const compact = (text: string): string => text.replaceAll(/\s/g, '').toLowerCase();

/** Returns a store's shipping zones with their rates. */
export const findZones = async (db: Context['db'], storeId: string): Promise<ShippingZone[]> =>
  (await findRules(db, storeId)).zones;

/** Changes a store's shipping zones and rates. @throws invalid_body */
export async function changeShipping(
  { trx, audit }: Write,
  storeId: string,
  { zones: input }: ShippingInput,
): Promise<ShippingZone[]> {
  const { zones: before } = await lockRules(trx, storeId);
  const zones = input ? readZones(input, before) : before;
  if (JSON.stringify(zones) === JSON.stringify(before)) return before;
  await updateRules(trx, storeId, { zones });
  await audit(storeId, 'shipping.updated', { id: storeId }, { changed: ['zones'] });
  return zones;
}

/** Builds the zones for storing. Fields that an existing zone omits keep their values. */
function readZones(input: readonly ShippingZoneInput[], before: readonly ShippingZone[]): ShippingZone[] {
  const details: Problem[] = [];
  const knownZones = new Map(before.map((zone) => [zone.id, zone]));
  const knownRates = new Map(before.flatMap(({ rates }) => rates).map((rate) => [rate.id, rate]));
  // Rates that a zone keeps because it omits them cannot be used by another zone.
  for (const { id, rates } of input)
    if (id && !rates) for (const rate of knownZones.get(id)?.rates ?? []) knownRates.delete(rate.id);
  const zones = input.map((sent, i): ShippingZone => {
    const pointer = `/zones/${i}`;
    const known = takeKnown(knownZones, sent.id);
    const countries = sent.countries ?? known?.countries ?? [];
    if (!sent.name && !known) details.push({ pointer: `${pointer}/name`, message: 'is required' });
    if (countries.length === 0) details.push({ pointer: `${pointer}/countries`, message: 'is required' });
    if (countries.includes('*') && countries.length > 1)
      details.push({ pointer: `${pointer}/countries`, message: 'must be `*` alone, or countries' });
    const rates = sent.rates
      ? sent.rates.map((rate, j) =>
          readRate(rate, takeKnown(knownRates, rate.id), `${pointer}/rates/${j}`, details),
        )
      : (known?.rates ?? []);
    return {
      id: known?.id ?? newId('shippingZone'),
      name: sent.name ?? known?.name ?? '',
      countries,
      regions: sent.regions === undefined ? (known?.regions ?? null) : sent.regions,
      postalCodes: sent.postalCodes === undefined ? (known?.postalCodes ?? null) : sent.postalCodes,
      rates,
    };
  });
  if (details.length > 0) throw errors.invalid_body({ details });
  return zones;
}

/** Returns the value of an id at most once, so that a second entry with the same id counts as new. */
function takeKnown<Value>(known: Map<string, Value>, id: string | null | undefined): Value | undefined {
  if (!id) return undefined;
  const found = known.get(id);
  known.delete(id);
  return found;
}

function readRate(
  sent: ShippingRateInput,
  known: ShippingRate | undefined,
  pointer: string,
  details: Problem[],
): ShippingRate {
  const report = (field: string, message: string) =>
    details.push({ pointer: `${pointer}/${field}`, message });
  const storedOrDefault = <Name extends 'priceCents' | 'steps' | 'freeFromCents' | 'minDays' | 'maxDays'>(
    name: Name,
  ) => (sent[name] === undefined ? (known?.[name] ?? null) : (sent[name] as ShippingRate[Name]));
  const kind = sent.kind ?? known?.kind;
  if (!sent.name && !known) report('name', 'is required');
  if (!kind) report('kind', 'is required');
  const isStepped = kind === 'weight' || kind === 'subtotal';
  const [priceCents, steps, minDays, maxDays] = [
    storedOrDefault('priceCents'),
    storedOrDefault('steps'),
    storedOrDefault('minDays'),
    storedOrDefault('maxDays'),
  ];
  if (kind && isStepped && !steps) report('steps', 'is required');
  if (kind && !isStepped && priceCents === null) report('priceCents', 'is required');
  const falling = isStepped
    ? (steps ?? []).findIndex((step, k) => k > 0 && step.from <= steps![k - 1]!.from)
    : -1;
  if (falling > 0) report(`steps/${falling}/from`, 'must be above the step before');
  if (minDays !== null && maxDays !== null && maxDays < minDays)
    report('maxDays', 'must not be below minDays');
  return {
    id: known?.id ?? newId('shippingRate'),
    name: sent.name ?? known?.name ?? '',
    kind: kind ?? 'flat',
    priceCents: isStepped ? null : priceCents,
    steps: isStepped ? steps : null,
    freeFromCents: storedOrDefault('freeFromCents'),
    minDays,
    maxDays,
    isEnabled: sent.isEnabled ?? known?.isEnabled ?? true,
  };
}
