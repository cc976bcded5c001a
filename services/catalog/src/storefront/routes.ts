import { Product, type productStatuses, Variant } from '@waybill/contracts';
import { after, defineRoutes, pagesOf } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../errors.ts';

const available = Type.Boolean({
  description: 'Whether any is left; how many, nobody learns.',
  examples: [true],
});

const ShownVariant = Type.Object({
  id: Variant.properties.id,
  sku: Variant.properties.sku,
  name: Variant.properties.name,
  priceCents: Variant.properties.priceCents,
  available,
});

const { id, name, slug, tags, media, priceCents, description } = Product.properties;

/** A product as a list of a shop front shows it: `decisions.md 3.6`. */
const ListedProduct = Type.Object(
  { id, name, slug, tags, media, priceCents, available, variants: Type.Array(ShownVariant) },
  { $id: 'StorefrontListedProduct' },
);

const ShownProduct = Type.Object({ ...ListedProduct.properties, description }, { $id: 'StorefrontProduct' });

const currency = Type.String({ description: 'The store’s, by ISO 4217.', examples: ['EUR'] });

const ShopQuery = Type.Object({
  limit: Type.Integer({
    minimum: 1,
    maximum: 100,
    default: 50,
    description: 'A larger value counts as 100.',
  }),
  ...after,
  sort: Type.Enum(['number', 'name', 'price', 'created'], { default: 'number' }),
  dir: Type.Enum(['asc', 'desc'], { default: 'asc' }),
});
export type ShopQuery = Static<typeof ShopQuery>;

/** The one state that a shop front shows products in. */
export const shownStatus: (typeof productStatuses)[number] = 'active';

const ifNoneMatch = {
  'If-None-Match': { description: 'The ETag that the client knows: 304 while it is the present one.' },
};

/** `decisions.md 3.6`. */
export const routes = defineRoutes({
  listStorefrontProducts: {
    method: 'GET',
    path: '/storefront/{storeId}/products',
    access: 'public',
    summary: 'List the products of a shop front',
    description:
      'The active ones, from any origin. `available` says whether any is left; stock itself is the merchant’s. Kept for ' +
      '60 seconds by whoever stands between, so a change may take as long to be seen.',
    ids: { storeId: 'store' },
    headers: ifNoneMatch,
    query: ShopQuery,
    answer: [200, Type.Object({ ...pagesOf('products', ListedProduct).properties, currency })],
    errors: [errors.not_found, errors.resource_unavailable],
  },
  getStorefrontProduct: {
    method: 'GET',
    path: '/storefront/{storeId}/products/{slug}',
    access: 'public',
    summary: 'Read a product of a shop front',
    description: 'One that is active, by its slug, with its description. Kept for 60 seconds as the list is.',
    ids: { storeId: 'store' },
    headers: ifNoneMatch,
    answer: [200, Type.Object({ product: ShownProduct, currency })],
    errors: [errors.not_found, errors.resource_unavailable],
  },
});
