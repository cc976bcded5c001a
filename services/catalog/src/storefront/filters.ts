/** Inclusive bounds of a price in minor units; null: open. */
export interface PriceRange {
  min: number | null;
  max: number | null;
}

/** The values of an option, or of a custom field, that a shopper has chosen. */
export interface OptionFilter {
  name: string;
  values: readonly string[];
}

/** What a shopper has chosen; of the values of one filter any will do. `decisions.md 20.5` */
export interface ProductFilters {
  /** Each option once. */
  options: readonly OptionFilter[];
  vendors: readonly string[];
  tags: readonly string[];
  isAvailable: boolean;
  prices: readonly PriceRange[];
  /** By the keys of custom fields, each once. */
  fields: readonly OptionFilter[];
}

/** As many as anybody chooses; the rest counts as malformed. */
const maxValues = 250;
const maxOptions = 10;
const maxFields = 10;
const maxPrices = 20;
const namePattern = /^filter\[(.+)\]$/s;

/** Reads the filters of a query, of its names and values; malformed ones are ignored. */
export function readFilters(query: Iterable<readonly [string, string]>): ProductFilters {
  const options = new Map<string, string[]>();
  const vendors: string[] = [];
  const tags: string[] = [];
  const prices: PriceRange[] = [];
  const fields = new Map<string, string[]>();
  let isAvailable = false;
  for (const [key, value] of query) {
    const name = namePattern.exec(key)?.[1];
    if (name === undefined || value === '') continue;
    if (name === 'vendor' && vendors.length < maxValues) vendors.push(value);
    else if (name === 'tag' && tags.length < maxValues) tags.push(value);
    else if (name === 'available') isAvailable ||= value === 'true';
    else if (name === 'price') prices.push(...readRange(value));
    else if (name.startsWith('option.')) choose(options, name.slice('option.'.length), value, maxOptions);
    else if (name.startsWith('field.')) choose(fields, name.slice('field.'.length), value, maxFields);
  }
  return {
    options: Array.from(options, ([name, values]) => ({ name, values })),
    fields: Array.from(fields, ([name, values]) => ({ name, values })),
    vendors,
    tags,
    isAvailable,
    prices: prices.slice(0, maxPrices),
  };
}

/** Adds a value to those of one filter, as far as anybody chooses so many. */
function choose(filters: Map<string, string[]>, name: string, value: string, maxFilters: number): void {
  const values = filters.get(name) ?? [];
  if (name === '' || values.length === maxValues || (values.length === 0 && filters.size === maxFilters))
    return;
  filters.set(name, [...values, value]);
}

const bound = /^(\d{0,15})\.\.(\d{0,15})$/;

function readRange(text: string): PriceRange[] {
  const [, min, max] = bound.exec(text) ?? [];
  if (!min && !max) return [];
  return [{ min: min ? Number(min) : null, max: max ? Number(max) : null }];
}

/** The same filters in one spelling, for cursors. */
export const filtersKey = ({ options, vendors, tags, isAvailable, prices, fields }: ProductFilters): string =>
  JSON.stringify([
    options.map(({ name, values }) => [name, values.toSorted()]).toSorted(),
    vendors.toSorted(),
    tags.toSorted(),
    isAvailable,
    prices,
    // Cursors from before there were any stay right.
    ...(fields.length > 0 ? [fields.map(({ name, values }) => [name, values.toSorted()]).toSorted()] : []),
  ]);

const maxCategories = 10;

/** The categories of a query, of which any will do, by id or slug; an empty one is what a form sends for all. */
export const readCategories = (given: readonly string[]): string[] =>
  [...new Set(given)].filter((each) => each !== '').slice(0, maxCategories);

export const hasFilters = ({
  options,
  vendors,
  tags,
  isAvailable,
  prices,
  fields,
}: ProductFilters): boolean =>
  options.length + fields.length + vendors.length + tags.length + prices.length > 0 || isAvailable;
