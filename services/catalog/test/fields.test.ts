import { eventually } from '@waybill/testing';
import { productFields, variantFields } from '../src/products/fields.ts';
import { newStore, useCatalog } from './stores.ts';

useCatalog();

/** A value of each field, other than the one that `newProduct` has. A field that is added needs a line here. */
const products: Partial<Record<keyof typeof productFields, unknown>> = {
  name: 'Coffee',
  slug: 'coffee',
  status: 'active',
  description: '<p>Roasted.</p>',
  tags: ['roasted'],
  vendor: 'Ada',
  taxCategory: 'food',
  seo: { title: 'Coffee', description: 'Roasted.', imageMediaId: null },
};
const variants: Partial<Record<keyof typeof variantFields, unknown>> = {
  sku: 'C-1',
  name: 'Small',
  priceCents: 910,
  stock: 9,
  compareAtCents: 1200,
  barcode: '4006381333931',
  weightGrams: 250,
  requiresShipping: false,
  unit: { amount: 100, measure: 'g', perAmount: 1000 },
};

/** Fields that need an asset, a definition or options, or follow from others: other suites change each of them. */
const elsewhere = {
  products: ['mediaIds', 'options', 'customFields'],
  variants: ['options', 'mediaId', 'customFields', 'unitPriceCents', 'lowestPriceCents30Days'],
};

const newProduct = { name: 'Tea', variants: [{ priceCents: 900, stock: 3 }] };

test('a field that is added to a list is tested here', () => {
  const listTested = (here: object, other: readonly string[]) => [...Object.keys(here), ...other].sort();
  expect(listTested(products, elsewhere.products)).toEqual(Object.keys(productFields).sort());
  expect(listTested(variants, elsewhere.variants)).toEqual(Object.keys(variantFields).sort());
});

type Product = Record<string, unknown> & { id: string; variants: Record<string, unknown>[] };

test.each(Object.entries(products))('a change of only the product’s %s is kept', (name, value) =>
  expectChange(
    () => ({ [name]: value }),
    (product) => expect(product[name]).toEqual(value),
  ),
);

test.each(Object.entries(variants))('a change of only the variant’s %s is kept', (name, value) =>
  expectChange(
    (product) => ({ variants: [{ id: product.variants[0]!.id, [name]: value }] }),
    (product) => expect(product.variants[0]![name]).toEqual(value),
  ),
);

/** Creates a product, changes it, and looks for the change in the answer, in a later read and in the event. */
async function expectChange(
  change: (created: Product) => object,
  expectChanged: (product: Product) => void,
): Promise<void> {
  const store = newStore();
  const created: Product = await store.create(newProduct);
  const { status, body } = await store.patch(created.id, change(created));
  expect([status, body]).toEqual([200, { product: expect.anything() }]);
  expectChanged(body.product);
  expect((await store.get(`/${created.id}`)).body).toEqual(body);
  await eventually(() => store.events().length >= 2);
  expectChanged((store.events()[1]!.data as { product: Product }).product);
}
