import fc from 'fast-check';
import type { ProductFilters } from '../src/storefront/filters.ts';
import { readCategories, readFilters } from '../src/storefront/filters.ts';
import { type Facet, type IndexedProduct, ProductIndex } from '../src/storefront/product-index.ts';
import { isWithinMistakes, maxMistakes, searchWords, splitWords } from '../src/storefront/words.ts';

const product = (id: string, change: Partial<IndexedProduct> = {}): IndexedProduct => ({
  id,
  updatedAt: 1,
  number: 1,
  nameKey: '',
  name: '',
  description: '',
  vendor: '',
  tags: [],
  priceCents: null,
  createdAt: 1,
  variants: [],
  values: {},
  variantValues: [],
  ...change,
});
const fields = [{ key: 'material', name: 'Material', ids: ['cfd_1', 'cfd_2'] }];
const variant = (change: Partial<IndexedProduct['variants'][number]> = {}) => ({
  sku: null,
  barcode: null,
  priceCents: 100,
  isAvailable: true,
  options: {},
  ...change,
});
const none = readFilters(new URLSearchParams());
const filters = (query: string) => readFilters(new URLSearchParams(query));

function createIndex(...products: IndexedProduct[]): ProductIndex {
  const index = new ProductIndex(fields);
  for (const each of products) index.put(each);
  return index;
}
const search = (index: ProductIndex, q: string, chosen: ProductFilters = none) =>
  index
    .find({ words: splitWords(q), filters: chosen, withFacets: false })
    .found.sort((one, other) => one.rank - other.rank || (one.id < other.id ? -1 : 1))
    .map(({ id }) => id);

describe('words', () => {
  test.each([
    ['Earl-Grey, 100g', ['earl', 'grey', '100g']],
    ["O’Brien's ‘tea’", ["o'brien's", 'tea']],
    ['Straße/Süd (new)', ['strasse', 'sud', 'new']],
    [' … ', []],
  ])('of %j are %j', (text, words) => expect(splitWords(text)).toEqual(words));

  test.each<[string, string, number, boolean]>([
    ['breze', 'breeze', 1, true],
    ['breeez', 'breeze', 1, true],
    ['brezee', 'breeze', 1, true],
    ['berze', 'breeze', 1, false],
    ['berze', 'breeze', 2, true],
    ['tea', 'ate', 1, false],
  ])('%s and %s differ by at most %i mistakes: %s', (one, other, most, isNear) => {
    expect(isWithinMistakes(one, other, most)).toBe(isNear);
    expect(isWithinMistakes(other, one, most)).toBe(isNear);
  });

  test('words with one mistake are found', () => {
    const letters = fc.constantFrom('a', 'b', 'ß', '😀');
    fc.assert(
      fc.property(
        fc.array(letters, { minLength: 2, maxLength: 9 }),
        fc.nat(8),
        letters,
        fc.nat(3),
        (word, at, letter, kind) => {
          const changed = [...word];
          const i = at % word.length;
          if (kind === 0) changed[i] = letter;
          else if (kind === 1) changed.splice(i, 1);
          else if (kind === 2) changed.splice(i, 0, letter);
          else if (i > 0) [changed[i - 1], changed[i]] = [changed[i]!, changed[i - 1]!];
          expect(isWithinMistakes(word.join(''), changed.join(''), 1)).toBe(true);
        },
      ),
    );
    expect(['abc', 'abcd', 'abcdefg', 'abcdefgh'].map(maxMistakes)).toEqual([0, 1, 1, 2]);
  });
});

describe('filters', () => {
  test('beyond a limit are reported, by the name of their parameter; repeated values count once', () => {
    const excess = (query: URLSearchParams) => {
      const names: string[] = [];
      readFilters(query, (name) => names.push(name));
      return names;
    };
    const many = (count: number, name: (i: number) => string, value = (i: number) => `${i}`) =>
      new URLSearchParams(Array.from({ length: count }, (_, i): [string, string] => [name(i), value(i)]));
    expect(excess(many(10, (i) => `filter[option.O${i}]`))).toEqual([]);
    expect(excess(many(11, (i) => `filter[option.O${i}]`))).toEqual(['filter[option.O10]']);
    expect(excess(many(11, (i) => `filter[field.f${i}]`))).toEqual(['filter[field.f10]']);
    const price = (i: number) => `${i}..`;
    expect(excess(many(21, () => 'filter[price]', price))).toEqual(['filter[price]']);
    for (const name of ['filter[vendor]', 'filter[tag]', 'filter[option.Size]'])
      expect(excess(many(251, () => name))).toEqual([name]);
    expect(
      excess(
        many(
          300,
          () => 'filter[vendor]',
          () => 'same',
        ),
      ),
    ).toEqual([]);
    const categories: string[] = [];
    readCategories(
      Array.from({ length: 11 }, (_, i) => `c${i}`),
      (name) => categories.push(name),
    );
    expect(categories).toEqual(['category']);
  });

  test('are counted for the 500 most frequent values, and a facet with more says so', () => {
    const measureFacet = (count: number) => {
      const index = createIndex(
        ...Array.from({ length: count }, (_, i) => product(`p${i}`, { tags: [`t${i}`] })),
      );
      const { facets } = index.find({ words: [], filters: none, withFacets: true });
      const facet = facets.find(({ key }) => key === 'tag') as Extract<Facet, { values: object[] }>;
      return [facet.values.length, facet.truncated];
    };
    expect([measureFacet(500), measureFacet(501)]).toEqual([
      [500, undefined],
      [500, true],
    ]);
  });
});

describe('a search', () => {
  test('ranks exact words before prefixes before mistakes, and the name before other fields', () => {
    const index = createIndex(
      product('mistake', { name: 'Breese' }),
      product('beginning', { name: 'Breezes' }),
      product('description', { description: '<p>a <b>breeze</b></p>' }),
      product('tag', { tags: ['Breeze'] }),
      product('vendor', { vendor: 'Breeze Ltd' }),
      product('sku', { variants: [variant({ sku: 'X-BREEZE' })] }),
      product('name', { name: 'Sea breeze' }),
      product('not', { description: 'breese' }),
    );
    expect(search(index, 'breeze')).toEqual([
      'name',
      'sku',
      'vendor',
      'tag',
      'description',
      'beginning',
      'mistake',
    ]);
    expect(search(index, 'sea bre')).toEqual(['name']);
    expect(search(index, 'breeze nowhere')).toEqual([]);
  });

  test('finds barcodes by their beginning, not with a mistake', () => {
    const index = createIndex(product('p', { variants: [variant({ barcode: '4006381333931' })] }));
    expect([search(index, '400638133'), search(index, '4006381333932')]).toEqual([['p'], []]);
  });

  test('follows added, replaced and removed products, with many words', () => {
    const index = new ProductIndex();
    for (let i = 0; i < 5_000; i++) index.put(product(`p${i}`, { name: `Word${i} shared` }));
    expect(search(index, 'word4999')[0]).toBe('p4999');
    index.put(product('p4999', { name: 'Other' }));
    expect([search(index, 'word4999').includes('p4999'), search(index, 'other')]).toEqual([false, ['p4999']]);
    index.remove('p4999');
    expect([search(index, 'other'), index.size, index.updatedAt('p4999')]).toEqual([[], 4_999, undefined]);
    expect(search(index, 'shared')).toHaveLength(4_999);
  });
});

describe('an index', () => {
  const words = (count: number, of: string) => Array.from({ length: count }, (_, i) => `${of}${i}`).join(' ');

  test('weighs the words of its products, and wears out as they are replaced', () => {
    const short = createIndex(product('p', { name: 'One' }));
    const long = createIndex(product('p', { description: words(1_000, 'w') }));
    expect(long.weight - short.weight).toBeGreaterThan(100_000);
    const before = long.weight;
    for (let i = 0; i < 200; i++) long.put(product('p', { description: words(1_000, 'w') }));
    expect(long.weight).toBeGreaterThan(before + 200 * 1_000 * 8);
    expect([short.isWorn, long.isWorn]).toEqual([false, true]);
  });
});

test('a search uses the first ten different words', () => {
  const words = Array.from({ length: 12 }, (_, i) => `w${i}`);
  expect(searchWords(`${'w0 '.repeat(20)}${words.join(' ')}`)).toEqual(words.slice(0, 10));
});

describe('filters', () => {
  test('are read; malformed ones are ignored', () => {
    const read = filters(
      'filter[option.Size]=M&filter[option.Size]=L&filter[vendor]=A%20%26%20B&filter[tag]=x&filter[available]=yes' +
        '&filter[price]=..5&filter[price]=7..&filter[price]=a..b&filter[price]=..&filter[price]=-1..2&filter[x]=1&filter=2&filter[field.material]=Linen&filter[field.]=1',
    );
    expect(read).toEqual({
      options: [{ name: 'Size', values: ['M', 'L'] }],
      fields: [{ name: 'material', values: ['Linen'] }],
      vendors: ['A & B'],
      tags: ['x'],
      isAvailable: false,
      prices: [
        { min: null, max: 5 },
        { min: 7, max: null },
      ],
    });
  });

  test('of prices are 20 at most, and the values of one filter 250', () => {
    const query = new URLSearchParams();
    for (let i = 0; i < 300; i++) {
      query.append('filter[price]', `${i}..`);
      query.append('filter[tag]', `${i}`);
      query.append('filter[option.Size]', `${i}`);
    }
    const { prices, tags, options } = readFilters(query);
    expect([prices.length, tags.length, options[0]!.values.length]).toEqual([20, 250, 250]);
  });

  test('must all be met by one variant', () => {
    const index = createIndex(
      product('p', {
        variants: [
          variant({ options: { Size: 'M' }, priceCents: 100, isAvailable: false }),
          variant({ options: { Size: 'L' }, priceCents: 200 }),
        ],
      }),
    );
    expect(search(index, '', filters('filter[option.Size]=M&filter[available]=true'))).toEqual([]);
    expect(search(index, '', filters('filter[option.Size]=L&filter[price]=200..200'))).toEqual(['p']);
    expect(search(index, '', filters('filter[option.Size]=L&filter[price]=..199'))).toEqual([]);
    expect(search(index, '', filters('filter[option.Nope]=L'))).toEqual([]);
  });

  test('find and count the same products as an exhaustive search', () => {
    const values = fc.constantFrom('S', 'M', 'L');
    const variants = fc.array(
      fc.record({
        sku: fc.constant(null),
        barcode: fc.constant(null),
        priceCents: fc.integer({ min: 0, max: 3 }),
        isAvailable: fc.boolean(),
        options: fc.record({ Size: values, Fit: values }),
      }),
      { maxLength: 3 },
    );
    const products = fc.array(
      fc.record({
        vendor: fc.constantFrom('', 'A', 'B'),
        tags: fc.subarray(['x', 'y']),
        variants,
        values: fc.record({ cfd_1: values, cfd_0: values }, { requiredKeys: [] }),
        variantValues: fc.array(fc.record({ cfd_2: fc.subarray(['S', 'M']) }), { maxLength: 2 }),
      }),
      { maxLength: 8 },
    );
    const chosen = fc.record({
      options: fc
        .record(
          { Size: fc.uniqueArray(values, { minLength: 1 }), Fit: fc.uniqueArray(values, { minLength: 1 }) },
          { requiredKeys: [] },
        )
        .map((each) => Object.entries(each).map(([name, values]) => ({ name, values }))),
      fields: fc
        .option(fc.uniqueArray(values, { minLength: 1 }))
        .map((chosen) => (chosen ? [{ name: 'material', values: chosen }] : [])),
      vendors: fc.subarray(['A', 'B', 'C']),
      tags: fc.subarray(['x', 'z']),
      isAvailable: fc.boolean(),
      prices: fc.array(fc.record({ min: fc.option(fc.nat(3)), max: fc.option(fc.nat(3)) }), { maxLength: 2 }),
    });
    fc.assert(
      fc.property(products, chosen, (created, filters) => {
        const all = created.map((each, i) => product(`p${i}`, each));
        const { found, facets } = createIndex(...all).find({ words: [], filters, withFacets: true });
        expect(found.map(({ id }) => id)).toEqual(
          all.filter((each) => meets(each, filters)).map(({ id }) => id),
        );
        expect(sorted(facets)).toEqual(sorted(countFacets(all, filters)));
      }),
      { numRuns: 500 },
    );
  });
});

const sorted = (facets: readonly Facet[]) =>
  facets
    .map((facet) =>
      'values' in facet
        ? { ...facet, values: facet.values.toSorted((a, b) => (a.value < b.value ? -1 : 1)) }
        : facet,
    )
    .toSorted((a, b) => (a.key < b.key ? -1 : 1));

type Variant = IndexedProduct['variants'][number];
const meetsVariant = ({ options, isAvailable, priceCents }: Variant, filters: ProductFilters): boolean =>
  filters.options.every(({ name, values }) => values.includes(options[name]!)) &&
  (!filters.isAvailable || isAvailable) &&
  (filters.prices.length === 0 ||
    filters.prices.some(({ min, max }) => priceCents >= (min ?? 0) && priceCents <= (max ?? 1e9)));

const listMaterials = ({ values, variantValues }: IndexedProduct) =>
  [values.cfd_1, ...variantValues.map(({ cfd_2 }) => cfd_2)].flat();

function meets(product: IndexedProduct, filters: ProductFilters): boolean {
  const { vendor, tags, variants } = product;
  const isOfVariants = filters.options.length > 0 || filters.isAvailable || filters.prices.length > 0;
  return (
    (filters.vendors.length === 0 || filters.vendors.includes(vendor)) &&
    filters.fields.every(({ values }) =>
      listMaterials(product).some((each) => values.includes(String(each))),
    ) &&
    (filters.tags.length === 0 || tags.some((tag) => filters.tags.includes(tag))) &&
    (!isOfVariants || variants.some((each) => meetsVariant(each, filters)))
  );
}

/** Counts facets without the index, by applying each value on its own. */
function countFacets(products: readonly IndexedProduct[], filters: ProductFilters): Facet[] {
  const count = (changed: Partial<ProductFilters>) =>
    products.filter((each) => meets(each, { ...filters, ...changed })).length;
  const facet = (
    key: string,
    name: string,
    values: string[],
    of: (value: string) => Partial<ProductFilters>,
  ): Facet[] => {
    const counted = values
      .map((value) => ({ value, count: count(of(value)) }))
      .filter((each) => each.count > 0);
    return counted.length > 0 ? [{ key, name, values: counted }] : [];
  };
  const prices = products.flatMap((each) =>
    meets({ ...each, variants: [] }, { ...filters, options: [], isAvailable: false, prices: [] })
      ? each.variants
          .filter((one) => meetsVariant(one, { ...filters, prices: [] }))
          .map(({ priceCents }) => priceCents)
      : [],
  );
  return [
    ...['Size', 'Fit'].flatMap((name) =>
      facet(`option.${name}`, name, ['S', 'M', 'L'], (value) => ({
        options: [...filters.options.filter((each) => each.name !== name), { name, values: [value] }],
      })),
    ),
    ...facet('field.material', 'Material', ['S', 'M', 'L'], (value) => ({
      fields: [{ name: 'material', values: [value] }],
    })),
    ...facet('vendor', 'Vendor', ['A', 'B'], (value) => ({ vendors: [value] })),
    ...facet('tag', 'Tag', ['x', 'y'], (value) => ({ tags: [value] })),
    ...facet('available', 'Available', ['true'], () => ({ isAvailable: true })),
    ...(prices.length > 0
      ? [{ key: 'price' as const, name: 'Price', min: Math.min(...prices), max: Math.max(...prices) }]
      : []),
  ];
}
