import {
  getVariantTitle,
  missingCombinations,
  type Option,
  skuByPattern,
  toEditedOption,
  type Variant,
  withBulk,
  withMissing,
  withOptions,
} from '../src/features/products/options.ts';

const sizes: Option = { name: 'Size', values: ['S', 'M'] };
const colours: Option = { name: 'Colour', values: ['Red', 'Blue'] };
const variant = (id: string, options: Record<string, string>, more: Partial<Variant> = {}): Variant => ({
  id,
  priceCents: 1_000,
  stock: 1,
  options,
  ...more,
});
const titles = (options: readonly Option[], variants: readonly Variant[]) =>
  variants.map((each) => `${each.id ?? 'new'} ${getVariantTitle(options, each)}`);

test('variants are made for those combinations alone that have none', () => {
  const options = [sizes, colours];
  const present = [variant('a', { Size: 'M', Colour: 'Red' }, { priceCents: 500, weightGrams: 80 })];
  expect(missingCombinations(options, present)).toHaveLength(3);
  const all = withMissing(options, present);
  expect(titles(options, all)).toEqual(['new S / Red', 'new S / Blue', 'a M / Red', 'new M / Blue']);
  expect(all[0]).toMatchObject({ priceCents: 500, weightGrams: 80, stock: 0, sku: null });
  expect(withMissing(options, all)).toHaveLength(4);
});

test('no more variants are made than a product may have', () => {
  const many = (name: string) => ({ name, values: Array.from({ length: 60 }, (_, i) => `${i}`) });
  expect(withMissing([many('A'), many('B')], [])).toHaveLength(2_048);
});

test('a variant stays the one that it is when its option or value is renamed', () => {
  const present = [variant('a', { Size: 'S', Colour: 'Red' }), variant('b', { Size: 'M', Colour: 'Red' })];
  const edited = [
    {
      ...toEditedOption(sizes),
      name: 'Fit',
      values: [
        { was: 'S', now: 'Slim' },
        { was: 'M', now: 'M' },
      ],
    },
    toEditedOption(colours),
  ];
  const next = withOptions([sizes, colours], present, edited);
  expect(titles(next.options, next.variants)).toEqual(['a Slim / Red', 'b M / Red']);
  expect(next.variants[0]!.options).toEqual({ Fit: 'Slim', Colour: 'Red' });
});

test('values may swap their names', () => {
  const present = [variant('a', { Size: 'S' }), variant('b', { Size: 'M' })];
  const swapped = {
    ...toEditedOption(sizes),
    values: [
      { was: 'S', now: 'M' },
      { was: 'M', now: 'S' },
    ],
  };
  const next = withOptions([sizes], present, [swapped]);
  expect(titles(next.options, next.variants)).toEqual(['a M', 'b S']);
});

test('a new option gives every variant its first value; one that is removed leaves one of those that were alike', () => {
  const present = [variant('a', { Size: 'S' }), variant('b', { Size: 'M' })];
  const both = withOptions([sizes], present, [
    toEditedOption(sizes),
    { name: 'Colour', values: [{ now: 'Red' }, { now: 'Blue' }] },
  ]);
  expect(titles(both.options, both.variants)).toEqual(['a S / Red', 'b M / Red']);
  const one = withOptions(both.options, withMissing(both.options, both.variants), [
    toEditedOption(both.options[1]!),
  ]);
  expect(titles(one.options, one.variants)).toEqual(['a Red', 'new Blue']);
  const none = withOptions(one.options, one.variants, []);
  expect(none.variants).toMatchObject([{ id: 'a', options: {} }]);
});

test('the variants of a value that is removed go', () => {
  const present = [variant('a', { Size: 'S' }), variant('b', { Size: 'M' })];
  const next = withOptions([sizes], present, [
    { was: 'Size', name: 'Size', values: [{ was: 'M', now: 'M' }] },
  ]);
  expect(titles(next.options, next.variants)).toEqual(['b M']);
});

test.each([
  ['{product}-{Size}-{Colour}', 'Linen-shirt-M-Sky-blue'],
  ['LS/{n}', 'LS/3'],
  ['{Unknown}-{Size}', '{Unknown}-M'],
  ['{constructor}', '{constructor}'],
])('a SKU by the pattern %s is %s', (pattern, sku) => {
  const chosen = variant('a', { Size: 'M', Colour: 'Sky blue' });
  expect(skuByPattern(pattern, { product: 'Linen shirt', variant: chosen, place: 3 })).toBe(sku);
});

test('many variants are changed at once, and the others not', () => {
  const present = ['a', 'b', 'c'].map((id) => variant(id, {}, { compareAtCents: 1_200 }));
  const change = {
    price: { by: 'percent', value: 50 },
    stock: { by: 'add', value: -5 },
    weightGrams: 70,
  } as const;
  const [a, b, c] = withBulk(present, new Set([0, 2]), change, 'Tea');
  expect(a).toMatchObject({ priceCents: 1_500, stock: 0, weightGrams: 70, compareAtCents: null });
  expect(b).toBe(present[1]);
  expect(c).toMatchObject({ priceCents: 1_500 });
});
