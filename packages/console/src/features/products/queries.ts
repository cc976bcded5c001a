import { queryOptions } from '@tanstack/react-query';
import type { Model } from '@waybill/sdk';
import { api } from '../../api/client.ts';
import type { ListSearch } from '../../api/list.ts';

export type Product = Model<'Product'>;
export type ProductInput = Model<'ProductInput'>;
export type ProductSearch = ListSearch & { status?: string };

export const productsKey = (storeId: string) => ['stores', storeId, 'products'];

/** Reads a page of the store's products. */
export function readProducts(storeId: string, search: ProductSearch, signal: AbortSignal) {
  const query = { limit: 50, ...search } as { limit: number; status?: Product['status']; sort?: 'number' };
  return api.get('/api/stores/{storeId}/products', { params: { path: { storeId }, query }, signal });
}

/** Reads a product with its ETag. */
export const productQuery = (storeId: string, id: string) =>
  queryOptions({
    queryKey: [...productsKey(storeId), id],
    queryFn: async ({ signal }) => {
      const response = await api.fetch(`/api/stores/${storeId}/products/${id}`, { signal });
      const { product } = (await response.json()) as { product: Product };
      return { product, etag: response.headers.get('etag') };
    },
  });

/** Returns the writable fields of a product, without those that the server computes. */
export function toInput({
  id: _id,
  number: _number,
  media: _media,
  categoryIds: _categoryIds,
  priceCents: _priceCents,
  totalStock: _totalStock,
  createdAt: _createdAt,
  updatedAt: _updatedAt,
  variants,
  ...input
}: Product): ProductInput {
  return { ...input, variants: variants.map(toVariantInput) };
}

type Stored = Product['variants'][number];
type VariantInput = NonNullable<ProductInput['variants']>[number];

const variantInputs = new WeakMap<Stored, VariantInput>();

/**
 * Returns the writable fields of a variant. The result is cached per variant, so that unchanged rows are not rendered
 * again.
 */
export function toVariantInput(variant: Stored): VariantInput {
  const known = variantInputs.get(variant);
  if (known) return known;
  const { unitPriceCents: _unitPrice, lowestPriceCents30Days: _lowest, ...input } = variant;
  variantInputs.set(variant, input);
  return input;
}
