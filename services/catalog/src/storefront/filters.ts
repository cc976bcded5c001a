/** Inclusive bounds of a price in minor units; null means open. */
export interface PriceRange {
  min: number | null;
  max: number | null;
}

/** The values of an option, or of a custom field, that a shopper has chosen. */
export interface OptionFilter {
  name: string;
  values: readonly string[];
}

/** The filters that a shopper has chosen. A product needs only one of the values of a filter. `decisions.md 20.5` */
export interface ProductFilters {
  /** Names each option at most once. */
  options: readonly OptionFilter[];
  vendors: readonly string[];
  tags: readonly string[];
  isAvailable: boolean;
  prices: readonly PriceRange[];
  /** Names each custom field at most once, by its key. */
  fields: readonly OptionFilter[];
}

/** Limits that no shopper reaches. Shop pages ignore values beyond them; the API refuses them. */
export const filterLimits = { values: 250, options: 10, fields: 10, prices: 20, categories: 10 } as const;
const namePattern = /^filter\[(.+)\]$/s;

/** Called with the name of a parameter that exceeds a limit, and a message that names the limit. */
type OnExcess = (name: string, message: string) => void;
const ignore: OnExcess = () => {};

/** Reads filters from the names and values of a query, and ignores malformed ones. */
export function readFilters(
  query: Iterable<readonly [string, string]>,
  onExcess: OnExcess = ignore,
): ProductFilters {
  const options = new Map<string, string[]>();
  const fields = new Map<string, string[]>();
  const vendors: string[] = [];
  const tags: string[] = [];
  const prices: PriceRange[] = [];
  let isAvailable = false;
  const addTo = <Value>(values: Value[], added: readonly Value[], limit: number, key: string) => {
    for (const value of added) {
      if (values.includes(value)) continue;
      if (values.length < limit) values.push(value);
      else onExcess(key, `stands more than ${limit} times`);
    }
  };
  const addChoice = (
    filters: Map<string, string[]>,
    name: string,
    value: string,
    limit: number,
    key: string,
  ) => {
    if (name === '') return;
    const values = filters.get(name) ?? [];
    if (values.length === 0 && filters.size === limit) {
      onExcess(key, `is one of more than ${limit} filters of this kind`);
      return;
    }
    addTo(values, [value], filterLimits.values, key);
    filters.set(name, values);
  };
  for (const [key, value] of query) {
    const name = namePattern.exec(key)?.[1];
    if (name === undefined || value === '') continue;
    if (name === 'vendor') addTo(vendors, [value], filterLimits.values, key);
    else if (name === 'tag') addTo(tags, [value], filterLimits.values, key);
    else if (name === 'available') isAvailable ||= value === 'true';
    else if (name === 'price') addTo(prices, readRange(value), filterLimits.prices, key);
    else if (name.startsWith('option.'))
      addChoice(options, name.slice('option.'.length), value, filterLimits.options, key);
    else if (name.startsWith('field.'))
      addChoice(fields, name.slice('field.'.length), value, filterLimits.fields, key);
  }
  return {
    options: Array.from(options, ([name, values]) => ({ name, values })),
    fields: Array.from(fields, ([name, values]) => ({ name, values })),
    vendors,
    tags,
    isAvailable,
    prices,
  };
}

const bound = /^(\d{0,15})\.\.(\d{0,15})$/;

function readRange(text: string): PriceRange[] {
  const [, min, max] = bound.exec(text) ?? [];
  if (!min && !max) return [];
  return [{ min: min ? Number(min) : null, max: max ? Number(max) : null }];
}

/** Returns the filters in a canonical spelling for cursors. */
export const filtersKey = ({ options, vendors, tags, isAvailable, prices, fields }: ProductFilters): string =>
  JSON.stringify([
    options.map(({ name, values }) => [name, values.toSorted()]).toSorted(),
    vendors.toSorted(),
    tags.toSorted(),
    isAvailable,
    prices,
    // Cursors from before filters by custom fields stay valid, because the entry is added only if there are any.
    ...(fields.length > 0 ? [fields.map(({ name, values }) => [name, values.toSorted()]).toSorted()] : []),
  ]);

/**
 * Reads the categories of a query, by id or slug. A product needs to be in only one of them. Ignores empty values,
 * which forms send for "all categories".
 */
export function readCategories(input: readonly string[], onExcess: OnExcess = ignore): string[] {
  const categories = [...new Set(input)].filter((each) => each !== '');
  const limit = filterLimits.categories;
  if (categories.length > limit) onExcess('category', `stands more than ${limit} times`);
  return categories.slice(0, limit);
}

/** Whether a search is narrowed by anything. */
export const hasFilters = ({
  options,
  vendors,
  tags,
  isAvailable,
  prices,
  fields,
}: ProductFilters): boolean =>
  options.length + fields.length + vendors.length + tags.length + prices.length > 0 || isAvailable;
