import { CustomFieldValues, Product, type productStatuses, ShopFacet, Variant } from '@waybill/contracts';
import { after, defineRoutes, pagesOf } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../errors.ts';
import { filterLimits } from './filters.ts';
import { maxFacetValues } from './product-index.ts';
import { maxWords } from './words.ts';

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
  options: Variant.properties.options,
  compareAtCents: Variant.properties.compareAtCents,
  barcode: Variant.properties.barcode,
  unit: Variant.properties.unit,
  unitPriceCents: Variant.properties.unitPriceCents,
  mediaUrl: Type.Union([Type.String(), Type.Null()], {
    description: 'Of its own picture.',
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
      description: 'Of the cheapest variant.',
      examples: [null],
    }),
    customFields: CustomFieldValues,
    variants: Type.Array(ShownVariant),
  },
  { $id: 'StorefrontListedProduct' },
);

const ShownProduct = Type.Object({ ...ListedProduct.properties, description }, { $id: 'StorefrontProduct' });

const currency = Type.String({ description: 'The store’s, by ISO 4217.', examples: ['EUR'] });

const filter = (description: string) =>
  Type.Optional(
    Type.String({
      description: `${description} Several times: any of them, at most ${filterLimits.values}.`,
    }),
  );

const ShopQuery = Type.Object({
  limit: Type.Integer({
    minimum: 1,
    maximum: 100,
    default: 50,
    description: 'A larger value counts as 100.',
  }),
  ...after,
  q: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        'Every word must be found: in the name, an SKU or a barcode, the vendor, a tag or the description, as it is, as a ' +
        `beginning, or, from four letters on, with a mistake. Words after the first ${maxWords} different ones are ignored.`,
    }),
  ),
  category: Type.Optional(
    Type.String({
      description: `Only what this category contains, by id or slug. Several times: any of them, at most ${filterLimits.categories}.`,
    }),
  ),
  facets: Type.Optional(
    Type.Boolean({
      description:
        'Whether to count how many products there would be by other filters. A facet has the ' +
        `${maxFacetValues} values with the most products; \`truncated\` says that it has more.`,
    }),
  ),
  'filter[vendor]': filter('By this vendor.'),
  'filter[tag]': filter('With this tag.'),
  'filter[available]': filter('`true`: of which some are left.'),
  'filter[price]': Type.Optional(
    Type.String({
      description:
        '`<min>..<max>` in minor units, inclusive; either may be empty. Several times: any of them, at most ' +
        `${filterLimits.prices}.`,
    }),
  ),
  sort: Type.Optional(
    Type.Enum(['relevance', 'number', 'name', 'price', 'created'], {
      description: '`relevance` with `q`, else the category’s own, else `number`, unless said otherwise.',
    }),
  ),
  dir: Type.Optional(Type.Enum(['asc', 'desc'])),
});
export type ShopQuery = Static<typeof ShopQuery>;

/** The only status of products that shop fronts show. */
export const shownStatus: (typeof productStatuses)[number] = 'active';

const ifNoneMatch = {
  'If-None-Match': { description: 'The ETag that the client knows: 304 while it is the present one.' },
};

/** Routes of shop fronts: `decisions.md 3.6`. */
export const routes = defineRoutes({
  listStorefrontProducts: {
    method: 'GET',
    path: '/storefront/{storeId}/products',
    access: 'public',
    summary: 'List the products of a shop front',
    description:
      'The active ones, from any origin; searched, filtered and counted where that is asked for. A filter of an option is ' +
      '`filter[option.<name>]`, one of a public and filterable custom field `filter[field.<key>]`; at most ' +
      `${filterLimits.options} options and ${filterLimits.fields} fields. More of anything is \`invalid_body\`, and what is malformed is ignored. ` +
      'A product is found if one of its variants meets all filters at once. `available` says whether any is left; stock itself is the merchant’s. Kept for ' +
      '60 seconds by whoever stands between, so a change may take as long to be seen.',
    ids: { storeId: 'store' },
    headers: ifNoneMatch,
    query: ShopQuery,
    answer: [
      200,
      Type.Object({
        ...pagesOf('products', ListedProduct).properties,
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
    description: 'One that is active, by its slug, with its description. Kept for 60 seconds as the list is.',
    ids: { storeId: 'store' },
    headers: ifNoneMatch,
    answer: [200, Type.Object({ product: ShownProduct, currency })],
    errors: [errors.not_found, errors.resource_unavailable],
  },
});
