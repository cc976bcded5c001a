import { productLimits } from '@waybill/contracts/product-limits';
import type { ProductInput } from './queries.ts';

export type Option = NonNullable<ProductInput['options']>[number];
export type Variant = NonNullable<ProductInput['variants']>[number];

/** A variant before anything is typed. */
export const blankVariant: Variant = { name: '', sku: null, priceCents: 0, stock: 0 };
type Chosen = Readonly<Record<string, string>>;

/** An option being edited, with its previous name and values; `was` is undefined for new ones. */
export interface EditedOption {
  was?: string | undefined;
  name: string;
  values: readonly { was?: string | undefined; now: string }[];
}

const getChosen = ({ options }: Variant): Chosen => (options ?? {}) as Chosen;

/** Returns a key of the chosen values, the same for the same choice. */
const createKey = (options: readonly Option[], chosen: Chosen): string =>
  JSON.stringify(options.map(({ name }) => chosen[name] ?? null));

/** Returns the display name of a variant: its option values, or its own name. */
export const getVariantTitle = (options: readonly Option[], variant: Variant): string =>
  options.length === 0
    ? (variant.name ?? '')
    : options.map(({ name }) => getChosen(variant)[name] ?? '?').join(' / ');

/** Returns the number of possible combinations of values. */
export const countCombinations = (options: readonly Option[]): number =>
  options.length === 0 ? 0 : options.reduce((count, { values }) => count * values.length, 1);

/** Returns the combinations without a variant, in option order, up to the maximum number of variants. */
export function missingCombinations(options: readonly Option[], variants: readonly Variant[]): Chosen[] {
  const room = productLimits.variants - variants.length;
  const present = new Set(variants.map((variant) => createKey(options, getChosen(variant))));
  const missing: Chosen[] = [];
  const add = (at: number, chosen: Chosen): void => {
    if (missing.length >= room) return;
    const option = options[at];
    if (option) for (const value of option.values) add(at + 1, { ...chosen, [option.name]: value });
    else if (!present.has(createKey(options, chosen))) missing.push(chosen);
  };
  if (options.length > 0) add(0, {});
  return missing;
}

/** Adds variants for the missing combinations, with the price and measures of the first variant. */
export function withMissing(options: readonly Option[], variants: readonly Variant[]): Variant[] {
  const [{ priceCents = 0, weightGrams, requiresShipping, unit } = {} as Partial<Variant>] = variants;
  const like = {
    priceCents,
    ...(weightGrams !== undefined && { weightGrams }),
    ...(requiresShipping !== undefined && { requiresShipping }),
    ...(unit !== undefined && { unit }),
  };
  const added = missingCombinations(options, variants).map((chosen) => ({
    name: '',
    sku: null,
    stock: 0,
    ...like,
    options: chosen,
  }));
  return inOrder(options, [...variants, ...added]);
}

/** Sorts variants by the order of their option values. */
function inOrder(options: readonly Option[], variants: readonly Variant[]): Variant[] {
  const rankers = options.map(({ name, values }) => {
    const ranks = new Map(values.map((value, rank) => [value, rank]));
    return (variant: Variant) => ranks.get(getChosen(variant)[name] ?? '') ?? -1;
  });
  return variants.toSorted((one, other) => {
    for (const rank of rankers) {
      const difference = rank(one) - rank(other);
      if (difference !== 0) return difference;
    }
    return 0;
  });
}

/**
 * Applies edited options to a product. Renamed options and values are renamed in all variants, which keep their ids. A
 * new option gives all variants its first value. Variants of a removed value are dropped, and of variants that have
 * become equal, only the first is kept.
 */
export function withOptions(
  before: readonly Option[],
  variants: readonly Variant[],
  edited: readonly EditedOption[],
): { options: Option[]; variants: Variant[] } {
  const options = edited.map(({ name, values }) => ({ name, values: values.map(({ now }) => now) }));
  if (options.length === 0) {
    const [first] = variants;
    const plain = (variant: Variant) => ({ ...variant, options: {} });
    // Without options, variants are distinguished by their names.
    if (before.length === 0) return { options, variants: [...variants] };
    return { options, variants: first ? [plain(first)] : [] };
  }
  const renamed = edited.map(({ was, name, values }) => ({
    was,
    name,
    first: values[0]!.now,
    values: new Map(values.flatMap((value) => (value.was === undefined ? [] : [[value.was, value.now]]))),
  }));
  const seen = new Set<string>();
  const next = variants.flatMap((variant): Variant[] => {
    const chosen: Record<string, string> = {};
    for (const { was, name, first, values } of renamed) {
      const had = was === undefined ? undefined : getChosen(variant)[was];
      const value = had === undefined ? first : values.get(had);
      if (value === undefined) return [];
      chosen[name] = value;
    }
    const key = createKey(options, chosen);
    if (seen.has(key)) return [];
    seen.add(key);
    return [{ ...variant, options: chosen }];
  });
  return { options, variants: inOrder(options, next) };
}

export const toEditedOption = ({ name, values }: Option): EditedOption => ({
  was: name,
  name,
  values: values.map((value) => ({ was: value, now: value })),
});

const dashed = (text: string): string => text.trim().replaceAll(/\s+/g, '-');

/**
 * Builds the SKU of a variant from a pattern such as `{product}-{Size}`, with the product's name, option values, and
 * `{n}`, the variant's position.
 */
export function skuByPattern(
  pattern: string,
  { product, variant, place }: { product: string; variant: Variant; place: number },
): string {
  const chosen = getChosen(variant);
  return pattern
    .replaceAll(/\{([^{}]+)\}/g, (whole, name: string) => {
      if (name === 'product') return dashed(product);
      if (name === 'n') return String(place);
      return Object.hasOwn(chosen, name) ? dashed(chosen[name]!) : whole;
    })
    .slice(0, 100);
}

/** A change to many variants; missing fields stay unchanged. */
export interface BulkChange {
  price?: { by: 'set' | 'add' | 'percent'; value: number };
  compareAtCents?: number | null;
  stock?: { by: 'set' | 'add'; value: number };
  skuPattern?: string;
  weightGrams?: number | null;
  requiresShipping?: boolean;
}

/** Applies a bulk change to the variants at the chosen positions. */
export function withBulk(
  variants: readonly Variant[],
  chosen: ReadonlySet<number>,
  change: BulkChange,
  product: string,
): Variant[] {
  const { price, stock, skuPattern, compareAtCents, weightGrams, requiresShipping } = change;
  return variants.map((variant, at): Variant => {
    if (!chosen.has(at)) return variant;
    const next = { ...variant };
    if (price) {
      const now = variant.priceCents;
      const { by, value } = price;
      const wanted = by === 'set' ? value : by === 'add' ? now + value : now + (now * value) / 100;
      next.priceCents = Math.max(0, Math.round(wanted));
    }
    if (compareAtCents !== undefined) next.compareAtCents = compareAtCents;
    // A compare-at price must be above the price; otherwise it is removed.
    if (next.compareAtCents != null && next.compareAtCents <= next.priceCents) next.compareAtCents = null;
    if (stock)
      next.stock = Math.max(0, stock.by === 'set' ? stock.value : (variant.stock ?? 0) + stock.value);
    if (skuPattern !== undefined)
      next.sku = skuByPattern(skuPattern, { product, variant, place: at + 1 }) || null;
    if (weightGrams !== undefined) next.weightGrams = weightGrams;
    if (requiresShipping !== undefined) next.requiresShipping = requiresShipping;
    return next;
  });
}
