import type { ProductFacts } from '../src/index.ts';
import { materialiseDocument, render, resolve, toFacts } from '../src/index.ts';

const parts = { sections: {}, apps: {} };
const variant = (id: string, options: Record<string, string>, stock = 1, change: object = {}) => ({
  id,
  name: '',
  priceCents: 1_000,
  stock,
  options,
  ...change,
});
const shirt: ProductFacts = {
  id: 'prd_1',
  name: 'Shirt',
  priceCents: 1_000,
  options: [
    { name: 'Colour', values: ['Red', 'Blue'], text: 'Farbe', texts: ['Rot', null] },
    { name: 'Size', values: ['S', 'M', 'L'] },
  ],
  variants: [
    variant('var_1', { Colour: 'Red', Size: 'S' }, 0),
    variant('var_2', { Colour: 'Red', Size: 'M' }, 2, { compareAtCents: 1_500 }),
    variant('var_3', { Colour: 'Blue', Size: 'L' }, 1, {
      priceCents: 2_000,
      lowestPriceCents30Days: 2_500,
      unit: { measure: 'g', perAmount: 100 },
      unitPriceCents: 500,
    }),
  ],
};

function show(type: string, place: object, more: object = {}): string {
  const document = { rootId: 'r', nodes: [{ id: 'r', type }] };
  const facts = toFacts({
    ...parts,
    currency: 'EUR',
    products: { prd_1: shirt },
    media: {},
    pages: {},
    appValues: [],
    place: { home: './', blog: './', cart: './cart', search: './search', ...place },
    ...more,
  });
  return render(resolve(materialiseDocument(document, parts)!, facts)).html;
}

const listLinks = (html: string) =>
  [...html.matchAll(/<a class="([^"]*)" href="([^"]*)"[^>]*?( aria-current="true")?>([^<]*)/g)].map(
    ([, name, href, current, text]) => [text, href, name!.includes('off'), current !== undefined],
  );

describe('the options of a product on its page', () => {
  test('are links to the nearest variants, and say what cannot be had', () => {
    const first = show('variantPicker', { productId: 'prd_1' });
    // The first variant in stock is chosen.
    expect(listLinks(first)).toEqual([
      ['Rot', '?variant=var_2', false, true],
      ['Blue', '?variant=var_3', true, false],
      ['S', '?variant=var_1', true, false],
      ['M', '?variant=var_2', false, true],
      ['L', '?variant=var_3', true, false],
    ]);
    expect(first).toContain('<strong>Farbe</strong> Rot');
    expect(first).toContain('S<span class="wb-hidden"> (Sold out)</span>');
    expect(first).toContain('L<span class="wb-hidden"> (not in this combination)</span>');
    const third = show('variantPicker', { productId: 'prd_1', variantId: 'var_3' });
    expect(listLinks(third).filter(([, , , isChosen]) => isChosen)).toEqual([
      ['Blue', '?variant=var_3', false, true],
      ['L', '?variant=var_3', false, true],
    ]);
    expect(show('variantPicker', { productId: 'prd_1', variantId: 'var_none' })).toBe(first);
  });

  test('decide the price, what it is compared with, and what is bought', () => {
    const at = (variantId: string) => ({ productId: 'prd_1', variantId });
    expect(show('price', at('var_2'))).toBe(
      '<p class="wb-price">€10.00 <del><span class="wb-hidden">Before: </span>€15.00</del></p>',
    );
    expect(show('price', at('var_3'))).toBe(
      '<p class="wb-price">€20.00 <small class="wb-unit-price">€5.00 / 100 g</small></p>',
    );
    expect(show('price', at('var_3'), { comparesLowest: true })).toContain('€25.00</del>');
    expect(show('price', at('var_2'), { comparesLowest: true })).not.toContain('<del>');
    expect(show('addToCart', at('var_3'))).toContain('value="prd_1.var_3"');
    expect(show('addToCart', at('var_1'))).toContain('disabled=""');
  });
});

describe('filters', () => {
  const browse = {
    query: [
      ['filter[option.Size]', 'M & L'],
      ['sort', 'price'],
    ],
    total: 2,
    isSearch: false,
    facets: [
      { key: 'option.Size', name: 'Size', values: [{ value: 'S', count: 3 }] },
      { key: 'vendor', name: 'Vendor', values: [{ value: 'Only one', count: 2 }] },
      { key: 'price', name: 'Price', min: 150, max: 9_900 },
    ],
  };

  test('are a form that needs no script, with what is chosen to be taken back', () => {
    const html = show('productFilters', { browse });
    expect(html).toMatch(/^<form class="wb-filters" method="get" aria-label="Filters">/);
    expect(html).toContain('name="filter[option.Size]" value="S"');
    expect(html).toContain('name="filter[option.Size]" value="M &amp; L" checked=""');
    expect(html).toContain('<a href="?sort=price"><span class="wb-hidden">Remove: </span>M &amp; L</a>');
    expect(html).toContain('value="price" selected=""');
    expect(html).toContain('role="status">2 products</p>');
    // A single value is not a choice.
    expect(html).not.toContain('filter[vendor]');
    expect([...html.matchAll(/value="(\d*\.\.\d*)"/g)].map(([, range]) => range)).toEqual([
      '..5000',
      '5000..',
    ]);
  });

  test('are nothing where a page lists no products of its own', () => {
    expect(show('productFilters', {})).toBe('');
  });

  test('stay in the addresses of the list’s further pages', () => {
    const source = { kind: 'category' };
    const specials = { source, paged: true };
    const document = {
      rootId: 'r',
      nodes: [
        { id: 'r', type: 'productList', props: { specials }, children: ['c'] },
        { id: 'c', type: 'product' },
      ],
    };
    const list = { ids: ['prd_1'], page: 1, pages: 2 };
    const facts = toFacts({
      ...parts,
      currency: 'EUR',
      products: { prd_1: shirt },
      media: {},
      pages: {},
      appValues: [],
      place: { home: './', blog: './', cart: './cart', search: './search', browse: browse as never },
    });
    const lists = { get: () => list } as never;
    const html = render(resolve(materialiseDocument(document, parts)!, { ...facts, lists })).html;
    expect(html).toContain('href="?filter%5Boption.Size%5D=M%20%26%20L&amp;sort=price&amp;page=2"');
  });
});
