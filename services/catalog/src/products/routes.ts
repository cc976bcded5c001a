import {
  CustomFieldValuesInput,
  contentWarnings,
  gtinPattern,
  Name,
  OptionalName,
  Product,
  ProductFacts,
  productLimits,
  productStatuses,
  slugMaxLength,
  slugPattern,
  Unit,
  VariantOptions,
} from '@waybill/contracts';
import { defineRoutes, nullable, pageSchema, paging, searchRoute } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../errors.ts';

/** Maximum number of bytes of a product and of a request body with one: `decisions.md 20.1`. */
export const maxBodyBytes = 4 * 1024 * 1024;
const maxCents = 1_000_000_000_000;
export const maxStock = 1_000_000_000;

/** A partial unit: omitted fields keep their values. */
const UnitInput = Type.Object(
  {
    amount: Type.Optional(Unit.properties.amount),
    measure: Type.Optional(Unit.properties.measure),
    perAmount: Type.Optional(Unit.properties.perAmount),
  },
  { $id: 'UnitInput', description: 'All three are null if the variant has no unit.' },
);

const VariantInput = Type.Object({
  // The server sets the id, so any value is accepted: `store-api.md 2.1`.
  id: Type.Optional(
    Type.Unknown({
      description:
        'PUT, PATCH: the ID of an existing variant; without it, variants match by `sku`. POST: ignored.',
    }),
  ),
  sku: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 100 }))),
  name: Type.Optional(OptionalName()),
  priceCents: Type.Integer({ minimum: 0, maximum: maxCents, errorCode: 'invalid_price' }),
  stock: Type.Optional(Type.Integer({ minimum: 0, maximum: maxStock })),
  options: Type.Optional(VariantOptions),
  compareAtCents: Type.Optional(
    Type.Union([Type.Integer({ minimum: 0, maximum: maxCents }), Type.Null()], {
      description:
        'Must be above `priceCents`. If a write omits it and the stored value is no longer above, it becomes ' +
        'null.',
      errorCode: 'invalid_price',
      examples: [990],
    }),
  ),
  barcode: Type.Optional(
    Type.Union([Type.String({ pattern: gtinPattern }), Type.Null()], {
      description: 'A GTIN of 8, 12, 13 or 14 digits.',
      examples: ['4006381333931'],
      errorCode: 'invalid_barcode',
    }),
  ),
  weightGrams: Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: productLimits.weightGrams }))),
  requiresShipping: Type.Optional(Type.Boolean({ description: 'True by default.' })),
  unit: Type.Optional(nullable(UnitInput)),
  mediaId: Type.Optional(
    nullable(
      Type.String({
        maxLength: 60,
        description: 'The variant’s own picture; an unknown ID becomes null.',
        examples: ['mda_01kakk9zg00000000000000000'],
      }),
    ),
  ),
  customFields: Type.Optional(CustomFieldValuesInput),
});

export const ProductInput = Type.Object(
  {
    name: Name(),
    slug: Type.Optional(
      Type.String({ pattern: slugPattern, maxLength: slugMaxLength, errorCode: 'invalid_slug' }),
    ),
    status: Type.Optional(Type.Enum([...productStatuses], { errorCode: 'invalid_status' })),
    description: Type.Optional(Type.String({ maxLength: 500_000, description: 'HTML; sanitised.' })),
    tags: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 60 }), { maxItems: 50 })),
    mediaIds: Type.Optional(
      Type.Array(Type.String({ maxLength: 60 }), { maxItems: 100, description: 'Unknown IDs are dropped.' }),
    ),
    options: Type.Optional(
      Type.Array(
        Type.Object({
          name: Name({ examples: ['Size'] }),
          values: Type.Array(Name({ examples: ['100 g'] }), {
            minItems: 1,
            maxItems: productLimits.optionValues,
          }),
        }),
        {
          maxItems: productLimits.options,
          description:
            'The options in which the variants differ; each variant has exactly one value of each.',
        },
      ),
    ),
    vendor: Type.Optional(OptionalName({ examples: ['Ridge & Sons'] })),
    taxCategory: Type.Optional(
      Name({ maxLength: 60, description: '`standard` by default.', examples: ['standard'] }),
    ),
    seo: Type.Optional(
      Type.Object({
        title: Type.Optional(OptionalName({ maxLength: 200, examples: ['Earl Grey, loose leaf'] })),
        description: Type.Optional(
          Type.String({ maxLength: 1_000, examples: ['Black tea with oil of bergamot.'] }),
        ),
        imageMediaId: Type.Optional(
          nullable(
            Type.String({
              maxLength: 60,
              description: 'An unknown ID becomes null.',
              examples: ['mda_01kakk9zg00000000000000000'],
            }),
          ),
        ),
      }),
    ),
    customFields: Type.Optional(CustomFieldValuesInput),
    variants: Type.Optional(Type.Array(VariantInput, { maxItems: productLimits.variants })),
  },
  { $id: 'ProductInput' },
);
export type ProductInput = Static<typeof ProductInput>;

const VariantPatch = Type.Object(
  {
    ...VariantInput.properties,
    priceCents: Type.Optional(VariantInput.properties.priceCents),
  },
  { $id: 'VariantPatch' },
);
export type VariantPatch = Static<typeof VariantPatch>;

export const ProductPatch = Type.Object(
  {
    ...ProductInput.properties,
    name: Type.Optional(ProductInput.properties.name),
    variants: Type.Optional(Type.Array(VariantPatch, { maxItems: productLimits.variants })),
  },
  { $id: 'ProductPatch' },
);
export type ProductPatch = Static<typeof ProductPatch>;

export const sorts = ['number', 'name', 'price', 'stock', 'created', 'updated'] as const;

const ListQuery = Type.Object({
  ...paging,
  q: Type.Optional(
    Type.String({ description: 'Every word must occur in the name, the slug, a SKU or a tag.' }),
  ),
  status: Type.Optional(Type.Enum([...productStatuses])),
  categoryId: Type.Optional(Type.String({ description: 'Only products in this category.' })),
  sort: Type.Enum([...sorts], { default: 'number' }),
  dir: Type.Enum(['asc', 'desc'], { default: 'asc' }),
});
export type ListQuery = Static<typeof ListQuery>;

const Item = Type.Object({ product: Product });
const WrittenItem = Type.Object({ product: Product, warnings: contentWarnings });
const ids = { id: 'product' } as const;
const conflicts = [errors.duplicate_slug, errors.duplicate_sku];
const variantErrors = [errors.invalid_price, errors.invalid_barcode, errors.invalid_custom_field];
const valueErrors = [errors.invalid_status, errors.invalid_slug, ...variantErrors];

/** Routes of products: `store-api.md 4.2`. */
export const routes = defineRoutes({
  listProducts: {
    method: 'GET',
    path: '/api/v1/products',
    access: { scope: 'products.read' },
    summary: 'List and search products',
    description: 'By search and status, in any order. `q` finds words in names, slugs, SKUs and tags.',
    query: ListQuery,
    answer: [200, pageSchema('products', Product)],
  },
  createProduct: {
    method: 'POST',
    path: '/api/v1/products',
    access: { scope: 'products.write' },
    summary: 'Create a product',
    description: 'Without a slug, one is derived from the name. Emits `product.created`.',
    body: ProductInput,
    maxBodyBytes,
    // The handler stores the answer itself, because concurrent creates of a store share a transaction.
    idempotency: 'handler',
    answer: [201, WrittenItem],
    errors: [...valueErrors, ...conflicts, errors.too_many_products],
  },
  getProduct: {
    method: 'GET',
    path: '/api/v1/products/{id}',
    access: { scope: 'products.read' },
    summary: 'Read a product',
    description:
      'Includes all variants, prices and stock. Its ETag does not cover `categoryIds`: a `304` says nothing ' +
      'about them.',
    ids,
    computedLists: ['categoryIds'],
    answer: [200, Item],
  },
  replaceProduct: {
    method: 'PUT',
    path: '/api/v1/products/{id}',
    access: { scope: 'products.write' },
    summary: 'Replace a product',
    description:
      'Omitted fields return to their defaults, except the slug, options, vendor, tax category, SEO texts and ' +
      'values of custom fields, and of a variant its options, `compareAtCents`, barcode, weight, ' +
      '`requiresShipping`, unit and picture. Variants match by `id`, then by `sku`; the others are new. Stock ' +
      'is set to the sent value, or 0 if omitted, regardless of sales since the product was read: send ' +
      '`If-Match`, or change stock with PATCH or `…/variants/{variantId}/stock`. Emits `product.updated` if ' +
      'anything changed.',
    ids,
    body: ProductInput,
    maxBodyBytes,
    // The handler calls the media service before it begins a transaction.
    idempotency: 'handler',
    answer: [200, WrittenItem],
    errors: [...valueErrors, ...conflicts],
  },
  changeProduct: {
    method: 'PATCH',
    path: '/api/v1/products/{id}',
    access: { scope: 'products.write' },
    summary: 'Change a product',
    description:
      'Omitted fields keep their values, also in variants: without `stock`, stock is not touched, whatever ' +
      'sells meanwhile. Variants match by `id`, then by `sku`; variants not sent stay, and unmatched ones are ' +
      'added and need a `priceCents`. Emits `product.updated` if anything changed.',
    ids,
    body: ProductPatch,
    maxBodyBytes,
    idempotency: 'handler',
    answer: [200, WrittenItem],
    errors: [...valueErrors, ...conflicts],
  },
  changeVariant: {
    method: 'PATCH',
    path: '/api/v1/products/{id}/variants/{variantId}',
    access: { scope: 'products.write' },
    summary: 'Change a variant',
    description:
      'Changes one variant without sending the others. Omitted fields keep their values. Emits ' +
      '`product.updated` if anything changed.',
    ids: { id: 'product', variantId: 'variant' },
    body: VariantPatch,
    idempotency: 'handler',
    answer: [200, WrittenItem],
    errors: [errors.duplicate_sku, ...variantErrors],
  },
  deleteProduct: {
    method: 'DELETE',
    path: '/api/v1/products/{id}',
    access: { scope: 'products.write' },
    summary: 'Delete a product',
    description: 'Emits `product.deleted`.',
    ids,
    answer: [204, null],
  },
  lookUpProducts: {
    method: 'POST',
    path: '/internal/products/lookup',
    access: 'service',
    summary: 'Look up products of a store by id, for other services',
    body: Type.Object({
      storeId: Type.String(),
      ids: Type.Array(Type.String(), { maxItems: 1000 }),
      status: Type.Optional(
        Type.Enum([...productStatuses], { description: 'Only products in this status.' }),
      ),
    }),
    answer: [200, Type.Object({ products: Type.Array(ProductFacts) })],
  },
  searchProducts: searchRoute('/internal/products/search'),
});
