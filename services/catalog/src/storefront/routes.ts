import { CustomFieldValues, Product, type productStatuses, ShopFacet, Variant } from '@waybill/contracts';
import { after, defineRoutes, pageSchema } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../errors.ts';
import { filterLimits } from './filters.ts';
import { maxFacetValues } from './product-index.ts';
import { maxWords } from './words.ts';

const available = Type.Boolean({
  description: 'Whether any is left; the exact stock is not public.',
  examples: [true],
});

const ShownVariant = Type.Object({
  id: Variant.properties.id,
  sku: Variant.properties.sku,
  name: Variant.properties.name,
  priceCents: Variant.properties.priceCents,
  available,
  options: Variant.properties.options,
  compareAtCents: Variant.properties.compareAtCents,
  barcode: Variant.properties.barcode,
  unit: Variant.properties.unit,
  unitPriceCents: Variant.properties.unitPriceCents,
  mediaUrl: Type.Union([Type.String(), Type.Null()], {
    description: 'The variant’s own picture.',
    examples: [null],
  }),
  customFields: CustomFieldValues,
});

const { options, vendor, categoryIds } = Product.properties;
const { id, name, slug, tags, media, priceCents, description } = Product.properties;

/** A product in a list of a shop front: `decisions.md 3.6`. */
const ListedProduct = Type.Object(
  {
    id,
    name,
    slug,
    tags,
    media,
    priceCents,
    available,
    options,
    vendor,
    categoryIds,
    compareAtCents: Type.Union([Type.Integer(), Type.Null()], {
      description: 'The price of the cheapest variant.',
      examples: [null],
    }),
    customFields: CustomFieldValues,
    variants: Type.Array(ShownVariant),
  },
  { $id: 'StorefrontListedProduct' },
);

const ShownProduct = Type.Object({ ...ListedProduct.properties, description }, { $id: 'StorefrontProduct' });

const currency = Type.String({ description: 'The store’s currency, ISO 4217.', examples: ['EUR'] });

const filter = (description: string) =>
  Type.Optional(
    Type.String({
      description: `${description} Can be repeated, at most ${filterLimits.values} times; any of the values matches.`,
    }),
  );

const ShopQuery = Type.Object({
  limit: Type.Integer({
    minimum: 1,
    maximum: 100,
    default: 50,
    description: 'Values above 100 count as 100.',
  }),
  ...after,
  q: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        'Every word must occur in the name, an SKU or a barcode, the vendor, a tag or the description: exactly, ' +
        `as a prefix, or, from four letters on, with one mistake, or two from eight on. Words after the first ${maxWords} different ` +
        'ones are ignored.',
    }),
  ),
  category: Type.Optional(
    Type.String({
      description:
        `Only products in this category, by ID or slug. Can be repeated, at most ${filterLimits.categories} ` +
        'times; any of the categories matches.',
    }),
  ),
  facets: Type.Optional(
    Type.Boolean({
      description:
        `Whether to count the products for each value of other filters. A facet lists the ${maxFacetValues} ` +
        'values with the most products; `truncated` marks facets with more.',
    }),
  ),
  'filter[vendor]': filter('Only products of this vendor.'),
  'filter[tag]': filter('Only products with this tag.'),
  'filter[available]': filter('`true`: only available products.'),
  'filter[price]': Type.Optional(
    Type.String({
      description:
        '`<min>..<max>` in minor units, inclusive; either can be empty. Can be repeated, at most ' +
        `${filterLimits.prices} times; any of the ranges matches.`,
    }),
  ),
  sort: Type.Optional(
    Type.Enum(['relevance', 'number', 'name', 'price', 'created'], {
      description: 'By default `relevance` with `q`, else the category’s own order, else `number`.',
    }),
  ),
  dir: Type.Optional(Type.Enum(['asc', 'desc'])),
});
export type ShopQuery = Static<typeof ShopQuery>;

/** The only status of products that shop fronts show. */
export const shownStatus: (typeof productStatuses)[number] = 'active';

const ifNoneMatch = {
  'If-None-Match': { description: 'The ETag that the client has: answers 304 while it is current.' },
};

/** Routes of shop fronts: `decisions.md 3.6`. */
export const routes = defineRoutes({
  listStorefrontProducts: {
    method: 'GET',
    path: '/storefront/{storeId}/products',
    access: 'public',
    summary: 'List the products of a shop front',
    description:
      'The active products, available to any origin, with search, filters and facets. Filter by an option with ' +
      '`filter[option.<name>]`, and by a public, filterable custom field with `filter[field.<key>]`; at most ' +
      `${filterLimits.options} options and ${filterLimits.fields} fields. Exceeding a limit is \`invalid_body\`; ` +
      'malformed filters are ignored. A product matches if one of its variants meets all filters. `available` ' +
      'tells whether any is left; only the merchant sees exact stock. Caches may keep the answer for 60 ' +
      'seconds, so changes can take that long to appear.',
    ids: { storeId: 'store' },
    headers: ifNoneMatch,
    query: ShopQuery,
    answer: [
      200,
      Type.Object({
        ...pageSchema('products', ListedProduct).properties,
        currency,
        facets: Type.Optional(Type.Array(ShopFacet)),
      }),
    ],
    errors: [errors.invalid_body, errors.not_found, errors.resource_unavailable],
  },
  getStorefrontProduct: {
    method: 'GET',
    path: '/storefront/{storeId}/products/{slug}',
    access: 'public',
    summary: 'Read a product of a storefront',
    description:
      'An active product, by its slug, with its description. Caches may keep the answer for 60 seconds, as ' +
      'with the list.',
    ids: { storeId: 'store' },
    headers: ifNoneMatch,
    answer: [200, Type.Object({ product: ShownProduct, currency })],
    errors: [errors.not_found, errors.resource_unavailable],
  },
});
