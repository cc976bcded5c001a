import Type, { type Static } from 'typebox';
import { CustomFieldValues, TypedFields } from './custom-fields.ts';
import { idPattern } from './ids.ts';
import { unitMeasures } from './product-limits.ts';

/** RFC 3339, UTC, milliseconds: `decisions.md 1.2`. */
export const Timestamp = Type.String({
  format: 'date-time',
  examples: ['2026-11-20T10:00:00.000Z'],
});

/** The important point of an image, measured from its left and its top: `decisions.md 16.1`. */
export const FocalPoint = Type.Object({
  x: Type.Number({ minimum: 0, maximum: 1, examples: [0.5] }),
  y: Type.Number({ minimum: 0, maximum: 1, examples: [0.5] }),
});
export type FocalPoint = Static<typeof FocalPoint>;

export const productStatuses = ['draft', 'active', 'archived'] as const;

/** The content of a variant, and the reference amount of its unit price: `decisions.md 20.2`. */
const UnitAmount = (examples: number[]) =>
  Type.Number({
    exclusiveMinimum: 0,
    maximum: 1_000_000_000,
    description: 'At most three decimals.',
    examples,
  });

export const Unit = Type.Object(
  {
    amount: UnitAmount([100]),
    measure: Type.Enum([...unitMeasures], { examples: ['g'] }),
    perAmount: UnitAmount([1000]),
  },
  { $id: 'Unit' },
);
export type Unit = Static<typeof Unit>;

/** One value for each of the product's options, by the option's name. */
export const VariantOptions = Type.Unsafe<Record<string, string>>(
  Type.Object({}, { additionalProperties: Type.String(), examples: [{ Size: '100 g' }] }),
);
export type VariantOptions = Static<typeof VariantOptions>;

export const Variant = Type.Object({
  id: Type.String({ pattern: idPattern('variant') }),
  sku: Type.Union([Type.String(), Type.Null()], { examples: ['EG-1'] }),
  name: Type.String({ examples: ['100 g'] }),
  priceCents: Type.Integer({ minimum: 0, description: 'In minor currency units.', examples: [890] }),
  stock: Type.Integer({ minimum: 0, examples: [12] }),
  options: VariantOptions,
  compareAtCents: Type.Union([Type.Integer(), Type.Null()], {
    description: 'A former or recommended price, above `priceCents`.',
    examples: [990],
  }),
  barcode: Type.Union([Type.String(), Type.Null()], { description: 'A GTIN.', examples: ['4006381333931'] }),
  weightGrams: Type.Union([Type.Integer(), Type.Null()], { examples: [120] }),
  requiresShipping: Type.Boolean({ examples: [true] }),
  unit: Type.Union([Unit, Type.Null()]),
  unitPriceCents: Type.Union([Type.Integer(), Type.Null()], {
    description: 'The price per `unit.perAmount`; null without a unit.',
    examples: [8900],
  }),
  mediaId: Type.Union([Type.String(), Type.Null()], {
    description: 'The variant’s own picture.',
    examples: [null],
  }),
  lowestPriceCents30Days: Type.Union([Type.Integer(), Type.Null()], {
    description:
      'The lowest price in effect while the product was active, in the 30 days before the current price began; ' +
      'null if the price has never changed.',
    examples: [null],
  }),
  customFields: CustomFieldValues,
});

/** An option by which variants of a product are chosen. */
export const ProductOption = Type.Object(
  {
    name: Type.String({ examples: ['Size'] }),
    values: Type.Array(Type.String(), { examples: [['100 g', '250 g']] }),
  },
  { $id: 'ProductOption' },
);
export type ProductOption = Static<typeof ProductOption>;

/** The texts and the picture for search engines and link previews; an empty text means that the item’s own is used. */
export const Seo = Type.Object(
  {
    title: Type.String(),
    description: Type.String(),
    imageMediaId: Type.Union([Type.String(), Type.Null()], { examples: [null] }),
  },
  { $id: 'Seo' },
);
export type Seo = Static<typeof Seo>;

export type Variant = Static<typeof Variant>;

/** A product as the public API and events show it: `store-api.md 2.2`, `decisions.md 2`. */
export const Product = Type.Object(
  {
    id: Type.String({ pattern: idPattern('product') }),
    number: Type.Integer({ minimum: 1, description: 'Sequential within the store.' }),
    name: Type.String({ examples: ['Earl Grey'] }),
    slug: Type.String({ examples: ['earl-grey'] }),
    status: Type.Enum([...productStatuses], { examples: ['active'] }),
    description: Type.String({
      description: 'HTML, sanitised on write.',
      examples: ['<p>Black tea with bergamot.</p>'],
    }),
    tags: Type.Array(Type.String(), { examples: [['tea']] }),
    mediaIds: Type.Array(Type.String(), { examples: [[]] }),
    media: Type.Array(Type.Object({ id: Type.String(), url: Type.String() }), {
      examples: [[]],
      description: 'The files of `mediaIds`, in the same order.',
    }),
    options: Type.Array(ProductOption, { description: 'The options in which its variants differ.' }),
    vendor: Type.String({ examples: ['Ridge & Sons'] }),
    taxCategory: Type.String({ examples: ['standard'] }),
    seo: Seo,
    customFields: CustomFieldValues,
    categoryIds: Type.Array(Type.String(), {
      description: 'The categories that contain the product, manual and by rule.',
      examples: [[]],
    }),
    variants: Type.Array(Variant),
    priceCents: Type.Union([Type.Integer(), Type.Null()], {
      description: 'The lowest price of a variant; null without variants.',
      examples: [890],
    }),
    totalStock: Type.Integer({ description: 'The total stock of all variants.', examples: [12] }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'Product' },
);
export type Product = Static<typeof Product>;

/** An addition to `product.updated` after a variant's stock was changed by a difference. */
export const StockChange = Type.Object({
  variantId: Type.String({ pattern: idPattern('variant') }),
  delta: Type.Integer({ examples: [-2] }),
  reason: Type.Union([Type.String(), Type.Null()], { examples: ['Stocktaking'] }),
});
export type StockChange = Static<typeof StockChange>;

/**
 * catalog: `POST /internal/products/lookup { storeId, ids }` → `{ products: ProductFacts[] }`, without those that the
 * store does not have: the facts that other services show of a product. It has no description: those of 500 products
 * may be half a gigabyte.
 */
export const ProductFacts = Type.Object(
  {
    ...Type.Pick(Product, ['id', 'name', 'slug', 'priceCents', 'options', 'variants', 'mediaIds']).properties,
    /** Missing in answers of a copy of the previous version. */
    fields: Type.Optional(TypedFields),
  },
  { $id: 'ProductFacts' },
);
export type ProductFacts = Static<typeof ProductFacts>;

/**
 * catalog: `POST /internal/shop/products` → `{ products: ProductFacts[], total }`: a page of the active products that a
 * list on a store's pages shows, `decisions.md 17.1`. `ids` keep their own order; `total` stops at 10,000.
 */
export const ShopList = Type.Object(
  {
    storeId: Type.String(),
    source: Type.Union([
      Type.Object({ kind: Type.Literal('all') }),
      Type.Object({ kind: Type.Literal('tag'), tag: Type.String({ maxLength: 60 }) }),
      Type.Object({ kind: Type.Literal('ids'), ids: Type.Array(Type.String(), { maxItems: 48 }) }),
      Type.Object({ kind: Type.Literal('search'), q: Type.String({ maxLength: 200 }) }),
      Type.Object({ kind: Type.Literal('category'), id: Type.String({ maxLength: 60 }) }),
    ]),
    /** `category` is the order of the listed category; for other sources it means by number. */
    sort: Type.Enum(['number', 'name', 'price', 'created', 'category']),
    dir: Type.Enum(['asc', 'desc']),
    limit: Type.Integer({ minimum: 1, maximum: 48 }),
    offset: Type.Integer({ minimum: 0, maximum: 100_000 }),
  },
  { $id: 'ShopList' },
);
export type ShopList = Static<typeof ShopList>;

const CategoryName = Type.Object({ id: Type.String(), name: Type.String(), slug: Type.String() });

/**
 * catalog: `POST /internal/shop/category { storeId, category? }` → `{ category: ShopCategory | null }`: the data for a
 * category's page, by its id or slug; without one, for the first category.
 */
export const ShopCategory = Type.Object(
  {
    ...CategoryName.properties,
    description: Type.String(),
    imageMediaId: Type.Union([Type.String(), Type.Null()]),
    seo: Product.properties.seo,
    trail: Type.Array(CategoryName, { description: 'From the root to the category’s parent.' }),
    children: Type.Array(CategoryName),
    fields: Type.Optional(TypedFields),
  },
  { $id: 'ShopCategory' },
);
export type ShopCategory = Static<typeof ShopCategory>;

/**
 * One filter of a shop's products, and the number of products that each of its values would leave. `decisions.md 20.5`
 */
export const ShopFacet = Type.Union([
  Type.Object({
    key: Type.String({ examples: ['option.Size'] }),
    name: Type.String({ examples: ['Size'] }),
    values: Type.Array(
      Type.Object({ value: Type.String({ examples: ['M'] }), count: Type.Integer({ examples: [12] }) }),
    ),
    truncated: Type.Optional(
      Type.Boolean({
        description: 'True if more values exist, each with fewer products; else absent.',
        examples: [true],
      }),
    ),
  }),
  Type.Object({
    key: Type.Literal('price'),
    name: Type.String({ examples: ['Price'] }),
    min: Type.Integer({ examples: [250] }),
    max: Type.Integer({ examples: [4900] }),
  }),
]);
export type ShopFacet = Static<typeof ShopFacet>;

/**
 * catalog: `POST /internal/shop/browse` → `{ products: ProductFacts[], total, facets }`: a page of the products that a
 * visitor finds in categories or by words; the filters are the names and values of a query.
 */
export const ShopBrowse = Type.Object(
  {
    storeId: Type.String(),
    categoryId: Type.Optional(Type.String({ maxLength: 60 })),
    categories: Type.Optional(
      Type.Array(Type.String({ maxLength: 300 }), {
        maxItems: 10,
        description: 'IDs or slugs; any of them matches.',
      }),
    ),
    q: Type.Optional(Type.String({ maxLength: 200 })),
    filters: Type.Array(
      Type.Object({ name: Type.String({ maxLength: 300 }), value: Type.String({ maxLength: 300 }) }),
      { maxItems: 300 },
    ),
    sort: Type.Optional(Type.Enum(['relevance', 'number', 'name', 'price', 'created'])),
    dir: Type.Optional(Type.Enum(['asc', 'desc'])),
    limit: Type.Integer({ minimum: 1, maximum: 48 }),
    offset: Type.Integer({ minimum: 0, maximum: 100_000 }),
    facets: Type.Boolean(),
  },
  { $id: 'ShopBrowse' },
);
export type ShopBrowse = Static<typeof ShopBrowse>;

/** catalog: one variant of an active product, as a product feed contains it. `decisions.md 20.7` */
export const FeedItem = Type.Object(
  {
    ...Type.Pick(Product, ['name', 'slug', 'vendor', 'mediaIds']).properties,
    description: Type.Union([Type.String(), Type.Null()], {
      description: 'Null: same as the previous variant’s, which is of the same product.',
    }),
    productId: Type.String(),
    ...Type.Pick(Variant, [
      'sku',
      'priceCents',
      'compareAtCents',
      'lowestPriceCents30Days',
      'barcode',
      'weightGrams',
      'unit',
      'options',
      'mediaId',
    ]).properties,
    variantId: Type.String(),
    variantName: Type.String(),
    position: Type.Integer({
      description:
        'The position of the variant within its product; identifies, with the product, the start of the next ' +
        'page.',
    }),
    variants: Type.Integer({ description: 'The number of the product’s variants.' }),
    isAvailable: Type.Boolean(),
    category: Type.String({
      description: 'The category preceded by its ancestors, separated by " > "; empty if none.',
    }),
  },
  { $id: 'FeedItem' },
);
export type FeedItem = Static<typeof FeedItem>;
