import type { Variant } from './options.ts';

/** Identifies a row while others come and go: its id, or the row itself until it is stored. */
export type VariantKey = string | Variant;

const getKey = (variant: Variant): VariantKey => (variant.id === undefined ? variant : String(variant.id));

/** Returns the keys of the rows at some positions. */
export const toVariantKeys = (
  variants: readonly Variant[],
  positions: ReadonlySet<number>,
): ReadonlySet<VariantKey> => new Set(variants.filter((_, at) => positions.has(at)).map(getKey));

/** Returns the positions of the rows with some keys. Rows that are gone have none. */
export const findChosen = (
  variants: readonly Variant[],
  keys: ReadonlySet<VariantKey>,
): ReadonlySet<number> =>
  keys.size === 0
    ? new Set()
    : new Set(variants.flatMap((variant, at) => (keys.has(getKey(variant)) ? [at] : [])));
