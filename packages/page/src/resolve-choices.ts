import type { BrowseFacts, FacetFacts, OptionFacts, PageFacts, ProductFacts, VariantFacts } from './facts.ts';
import { formatMoney } from './money.ts';
import { noItem, picture } from './resolve-values.ts';
import type { Choice, ChoiceGroup, Item, ResolvedSpecials } from './resolved.ts';
import { shopWordsIn } from './shop-words.ts';
import { cleanText } from './text.ts';

const noChoice: Choice = {
  value: '',
  label: '',
  note: '',
  isChosen: false,
  isOff: false,
  href: undefined,
  src: undefined,
};

/** Encodes pairs as the query of an address. */
function toQueryText(pairs: BrowseFacts['query']): string {
  return pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&');
}

const linkTo = (query: string) => ({ url: `?${query}`, newTab: false });

/** Returns the query of a paged list's addresses that precedes the page number. */
export function createPagerQuery({ place }: PageFacts): string {
  const pairs =
    place?.browse?.query ?? (place?.query === undefined ? [] : [['q', cleanText(place.query)] as const]);
  return pairs.length === 0 ? '' : `${toQueryText(pairs)}&`;
}

/** Maximum number of values of a facet that are shown; chosen ones are always shown. */
const maxValues = 60;
const filterName = (key: string) => `filter[${key}]`;

/** Returns the filters and sorting of a page's products; undefined if the page lists none of its own. */
export function resolveFilters(
  own: ResolvedSpecials,
  { place, language, currency }: PageFacts,
): Partial<ResolvedSpecials> | undefined {
  const browse = place?.browse;
  if (!browse) return undefined;
  const words = shopWordsIn(language);
  const { query, total, facets } = browse;
  const chosen = (name: string) => query.filter(([each]) => each === name).map(([, value]) => value);
  const groups = facets.flatMap((facet) =>
    createChoiceGroup(facet, chosen(filterName(facet.key)), { language, currency }),
  );
  // A chosen value can be removed even if nothing else is left to choose.
  const getLabel = (name: string, value: string) =>
    groups.find((group) => group.name === name)?.choices.find((choice) => choice.value === value)?.label ??
    value;
  const isFilter = (name: string) => name.startsWith('filter[');
  const items = query.flatMap(([name, value], i): Item[] =>
    isFilter(name)
      ? [
          {
            ...noItem,
            text: cleanText(getLabel(name, value)),
            href: linkTo(toQueryText(query.filter((_, at) => at !== i))),
          },
        ]
      : [],
  );
  const [one, many] = words.products;
  return {
    groups,
    items,
    sorting: createSorting(browse, language),
    inputs: query.filter(([name]) => name === 'q' || name === 'category'),
    label: own.label || words.filters,
    text: own.text || words.apply,
    title: `${total} ${total === 1 ? one : many}`,
    caption: words.remove,
    closeText: words.clear,
    href: items.length > 0 ? linkTo(toQueryText(query.filter(([name]) => !isFilter(name)))) : undefined,
  };
}

function createChoiceGroup(
  facet: FacetFacts,
  chosen: readonly string[],
  { language, currency }: Pick<PageFacts, 'language' | 'currency'>,
): ChoiceGroup[] {
  const words = shopWordsIn(language);
  const name = filterName(facet.key);
  const createChoice = (value: string, label: string, note = ''): Choice => ({
    ...noChoice,
    value,
    label: cleanText(label),
    note,
    isChosen: chosen.includes(value),
  });
  if ('min' in facet) {
    const ranges = priceRanges(facet.min, facet.max);
    const values = [...new Set([...ranges, ...chosen])];
    const choices = values.map((value) => createChoice(value, rangeText(value, { language, currency })));
    return choices.length > 1 || chosen.length > 0 ? [{ name, label: words.price, choices }] : [];
  }
  const known = new Set(facet.values.map(({ value }) => value));
  const listed = facet.values.filter(({ value }, i) => i < maxValues || chosen.includes(value));
  const isAvailable = facet.key === 'available';
  const choices = [
    ...listed.map(({ value, count, text }) =>
      createChoice(value, isAvailable ? words.available : (text ?? value), String(count)),
    ),
    ...chosen.filter((value) => !known.has(value)).map((value) => createChoice(value, value, '0')),
  ];
  if (choices.length < 2 && chosen.length === 0 && !isAvailable) return [];
  const labels: Readonly<Record<string, string>> = {
    vendor: words.vendor,
    tag: words.tag,
    available: words.available,
  };
  return [{ name, label: labels[facet.key] ?? cleanText(facet.name), choices }];
}

/** Returns some ranges between two prices, with bounds that are easy to read. */
function priceRanges(min: number, max: number): string[] {
  const quarter = (max - min) / 4;
  if (quarter < 1) return [];
  let power = 1;
  while (power * 10 <= quarter) power *= 10;
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= quarter)!;
  const first = Math.ceil((min + 1) / step) * step;
  const bounds: number[] = [];
  for (let bound = first; bound < max; bound += step) bounds.push(bound);
  if (bounds.length === 0) return [];
  return [
    `..${bounds[0]}`,
    ...bounds.slice(1).map((bound, i) => `${bounds[i]}..${bound}`),
    `${bounds.at(-1)}..`,
  ];
}

function rangeText(range: string, { language, currency }: Pick<PageFacts, 'language' | 'currency'>): string {
  const [, min, max] = /^(\d{0,15})\.\.(\d{0,15})$/.exec(range) ?? [];
  const words = shopWordsIn(language);
  const money = (cents: string) => formatMoney(Number(cents), currency, language);
  if (min && max) return `${money(min)} – ${money(max)}`;
  if (max) return `${words.upTo} ${money(max)}`;
  return min ? `${words.from} ${money(min)}` : range;
}

function createSorting({ query, isSearch }: BrowseFacts, language: string | undefined): ChoiceGroup {
  const { sort, sorts } = shopWordsIn(language);
  const named = (name: string) => query.find(([each]) => each === name)?.[1] ?? '';
  const present = `${named('sort')}${named('dir') === 'desc' ? '-desc' : ''}`;
  const choices = [
    ['', isSearch ? sorts.relevance : sorts.own],
    ['name', sorts.name],
    ['price', sorts.price],
    ['price-desc', sorts.priceDown],
    ['created-desc', sorts.newest],
  ] as const;
  return {
    name: 'sort',
    label: sort,
    choices: choices.map(([value, label]) => ({ ...noChoice, value, label, isChosen: value === present })),
  };
}

/** The name of a product option in the page's locale. */
const optionText = ({ name, text }: OptionFacts) => cleanText(text ?? name);
const valueText = ({ values, texts }: OptionFacts, value: string) =>
  cleanText(texts?.[values.indexOf(value)] ?? value);

/** Returns the title of a variant: its own name, else the values of its options. */
export function variantTitle(
  { options = [] }: Pick<ProductFacts, 'options'>,
  variant: Pick<VariantFacts, 'name' | 'options'>,
): string {
  if (variant.name !== '') return cleanText(variant.name);
  return options
    .flatMap((option) => {
      const value = own(variant.options, option.name);
      return value === undefined ? [] : [valueText(option, value)];
    })
    .join(' / ');
}

const own = (values: Readonly<Record<string, string>> | undefined, name: string): string | undefined =>
  values && Object.hasOwn(values, name) ? values[name] : undefined;

/** Returns the chosen variant on the product's own page: the address's one, else the first in stock. */
export function chosenVariant(
  { id, options = [], variants }: ProductFacts,
  { place }: PageFacts,
): VariantFacts | undefined {
  if (place?.productId !== id || options.length === 0) return undefined;
  return (
    variants.find((variant) => variant.id === place.variantId) ??
    variants.find(({ stock }) => stock > 0) ??
    variants[0]
  );
}

/**
 * Returns the options of a product. Each value links to the variant that differs from the chosen one only in that
 * value.
 */
export function optionGroups(
  { options = [], variants }: ProductFacts,
  chosen: VariantFacts,
  soldOut: string,
  { language }: PageFacts,
): ChoiceGroup[] {
  const { otherChoice } = shopWordsIn(language);
  return options.map((option, at) => {
    const ofValue = Map.groupBy(variants, (variant) => own(variant.options, option.name));
    const pictures = option.values.map((value) => findOnlyPicture(ofValue.get(value)));
    const hasPictures =
      pictures.every((each) => each !== undefined) && new Set(pictures.map((each) => each!.url)).size > 1;
    return {
      name: optionText(option),
      label: valueText(option, own(chosen.options, option.name) ?? ''),
      choices: option.values.flatMap((value, i): Choice[] => {
        const nearest = nearestTo(chosen, ofValue.get(value) ?? [], options, at);
        if (!nearest) return [];
        const { variant, isExact } = nearest;
        const isSoldOut = variant.stock <= 0;
        return [
          {
            ...noChoice,
            value: variant.id,
            label: valueText(option, value),
            note: isExact ? (isSoldOut ? soldOut : '') : otherChoice,
            isChosen: own(chosen.options, option.name) === value,
            isOff: !isExact || isSoldOut,
            href: linkTo(`variant=${variant.id}`),
            src: hasPictures ? picture(pictures[i]!) : undefined,
          },
        ];
      }),
    };
  });
}

/** Returns the picture that all variants share; undefined if they differ. */
function findOnlyPicture(variants: readonly VariantFacts[] = []) {
  const image = variants[0]?.image;
  return image && variants.every((variant) => variant.image?.url === image.url) ? image : undefined;
}

/**
 * Returns the variant that shares most option values with the chosen one, apart from one option; earlier options count
 * more.
 */
function nearestTo(
  chosen: VariantFacts,
  variants: readonly VariantFacts[],
  options: readonly OptionFacts[],
  at: number,
): { variant: VariantFacts; isExact: boolean } | undefined {
  const others = options.filter((_, i) => i !== at);
  const shared = (variant: VariantFacts) =>
    others.reduce(
      (sum, { name }, i) =>
        own(variant.options, name) === own(chosen.options, name) ? sum + 2 ** (others.length - i) : sum,
      0,
    );
  const all = 2 ** (others.length + 1) - 2;
  let best: VariantFacts | undefined;
  let bestScore = -1;
  for (const variant of variants) {
    // Between equally near variants, one that is in stock wins.
    const score = shared(variant) + (variant.stock > 0 ? 0.5 : 0);
    if (score > bestScore) [best, bestScore] = [variant, score];
  }
  return best && { variant: best, isExact: Math.floor(bestScore) === all };
}
