import {
  FeedItem,
  maxCartLines,
  Product,
  ProductFacts,
  ProductOption,
  ShopBrowse,
  ShopCategory,
  ShopFacet,
  ShopList,
} from '@waybill/contracts';
import { defineRoutes, nullable } from '@waybill/kernel';
import Type from 'typebox';
import { errors } from '../errors.ts';
import { LineFacts } from '../stock/line-facts.ts';

const titleOptions = Type.Array(ProductOption, {
  description: "The product's options if the variant's name consists of their values; otherwise empty.",
});

const CartVariant = Type.Object({
  variantId: Type.String(),
  productId: Type.String(),
  productName: Type.String(),
  slug: Type.String(),
  variantName: Type.String(),
  titleOptions,
  priceCents: Type.Integer(),
  isAvailable: Type.Boolean(),
  isEnough: Type.Boolean({ description: 'Whether the requested quantity is available.' }),
  ...LineFacts.properties,
  mediaId: nullable(Type.String({ description: "The variant's own picture, or else the product's first." })),
});

const GoneVariant = Type.Object({
  variantId: Type.String(),
  productId: nullable(Type.String({ description: 'Null if the variant was deleted.' })),
  productName: Type.String(),
  variantName: Type.String(),
  titleOptions,
  options: LineFacts.properties.options,
  reason: Type.Enum(['offSale', 'deleted', 'variantDeleted']),
});

/** Routes that provide the active products of a store for its pages: `decisions.md 17.1, 17.2`. */
export const routes = defineRoutes({
  listShopProducts: {
    method: 'POST',
    path: '/internal/shop/products',
    access: 'service',
    summary: "List the active products for a page's product list",
    body: ShopList,
    answer: [200, Type.Object({ products: Type.Array(ProductFacts), total: Type.Integer() })],
  },
  browseShop: {
    method: 'POST',
    path: '/internal/shop/browse',
    access: 'service',
    summary: 'List the products of a category or a search, with filters and facets',
    body: ShopBrowse,
    answer: [
      200,
      Type.Object({
        products: Type.Array(ProductFacts),
        total: Type.Integer(),
        facets: Type.Array(ShopFacet),
      }),
    ],
    errors: [errors.resource_unavailable],
  },
  listFeedItems: {
    method: 'POST',
    path: '/internal/shop/feed',
    access: 'service',
    summary: 'List the variants of active products, for product feeds',
    body: Type.Object({
      storeId: Type.String(),
      productId: Type.String({ description: 'The position to continue from; empty at the start.' }),
      position: Type.Integer(),
      limit: Type.Integer({ minimum: 1, maximum: 500 }),
      textsOnce: Type.Optional(
        Type.Boolean({
          description: 'Whether only the first variant of each product includes the description.',
        }),
      ),
    }),
    answer: [200, Type.Object({ items: Type.Array(FeedItem) })],
  },
  findShopCategory: {
    method: 'POST',
    path: '/internal/shop/category',
    access: 'service',
    summary: 'Read a category for its page; null if there is none',
    body: Type.Object({ storeId: Type.String(), category: Type.Optional(Type.String({ maxLength: 200 })) }),
    answer: [200, Type.Object({ category: nullable(ShopCategory) })],
  },
  findShopProduct: {
    method: 'POST',
    path: '/internal/shop/product',
    access: 'service',
    summary: 'Find the active product with a slug; null if there is none',
    body: Type.Object({ storeId: Type.String(), slug: Type.String() }),
    answer: [200, Type.Object({ product: nullable(Product) })],
  },
  readCart: {
    method: 'POST',
    path: '/internal/shop/cart',
    access: 'service',
    summary: 'Read the variants in a cart',
    body: Type.Object({
      storeId: Type.String(),
      variantIds: Type.Array(Type.String(), { maxItems: maxCartLines }),
      quantities: Type.Optional(
        Type.Array(Type.Integer({ minimum: 0, maximum: 999 }), { maxItems: maxCartLines }),
      ),
    }),
    answer: [200, Type.Object({ variants: Type.Array(CartVariant), gone: Type.Array(GoneVariant) })],
  },
});
