import Type, { type Static } from 'typebox';
import { idPattern } from './ids.ts';

/** RFC 3339, UTC, milliseconds: `decisions.md 1.2`. */
export const Timestamp = Type.String({
  format: 'date-time',
  examples: ['2026-11-20T10:00:00.000Z'],
});

export const productStatuses = ['draft', 'active', 'archived'] as const;

export const Variant = Type.Object({
  id: Type.String({ pattern: idPattern('variant') }),
  sku: Type.Union([Type.String(), Type.Null()]),
  name: Type.String(),
  priceCents: Type.Integer({ minimum: 0, description: 'In minor currency units.' }),
  stock: Type.Integer({ minimum: 0 }),
});

/** A product as the public API and events show it: `store-api.md 2.2`, `decisions.md 2`. */
export const Product = Type.Object(
  {
    id: Type.String({ pattern: idPattern('product') }),
    number: Type.Integer({ minimum: 1, description: 'Sequential in the store.' }),
    name: Type.String(),
    slug: Type.String(),
    status: Type.Enum([...productStatuses]),
    description: Type.String({ description: 'HTML, sanitised when written.' }),
    tags: Type.Array(Type.String()),
    mediaIds: Type.Array(Type.String()),
    media: Type.Array(Type.Object({ id: Type.String(), url: Type.String() }), {
      description: 'The files of `mediaIds`, in their order.',
    }),
    variants: Type.Array(Variant),
    priceCents: Type.Union([Type.Integer(), Type.Null()], {
      description: 'The lowest price of a variant; null without variants.',
    }),
    totalStock: Type.Integer({ description: 'The stock of all variants.' }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'Product' },
);
export type Product = Static<typeof Product>;

/**
 * catalog: `POST /internal/products/lookup { storeId, ids }` → `{ products: ProductFacts[] }`, without those that the
 * store does not have: what others show of a product. No description: those of 500 may be half a gigabyte.
 */
export const ProductFacts = Type.Pick(Product, ['id', 'name', 'priceCents', 'variants', 'mediaIds'], {
  $id: 'ProductFacts',
});
export type ProductFacts = Static<typeof ProductFacts>;
