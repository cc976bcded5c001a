import { isWaybillError, type Model } from '@waybill/sdk';
import { api } from '../../api/client.ts';
import { changeOf } from '../../shell/custom-fields/queries.ts';
import type { Product, ProductInput } from './queries.ts';

/** What was read of a product, and the tag of that state. */
export interface Read {
  product: Product;
  etag: string | null;
}

const maxAttempts = 3;

/**
 * Writes what was typed about a product. A stock that nobody typed over is not written: what is sold meanwhile stays
 * sold. When stock is all that has changed since it was read, and none that was typed over, that is no conflict.
 * `isForced`: over whatever somebody else has saved.
 * @throws precondition_failed
 */
export async function saveProduct(
  storeId: string,
  base: Read,
  value: ProductInput,
  isForced: boolean,
): Promise<{ product: Product }> {
  const path = { storeId, id: base.product.id };
  let present = isForced ? await readProduct(storeId, path.id) : base;
  for (let attempt = 1; ; attempt++) {
    const headers = present.etag ? { 'if-match': present.etag } : {};
    try {
      const { slug, customFields, variants: typed = [], ...rest } = value;
      const body = {
        ...rest,
        ...(slug && { slug }),
        customFields: changeOf(base.product.customFields, customFields),
      };
      const variants = typed.map((variant) => ({
        ...variant,
        customFields: changeOf(storedOf(variant, base)?.customFields, variant.customFields),
      }));
      const kept = new Set(variants.map(({ id }) => id));
      const isRemoved = present.product.variants.some(({ id }) => !kept.has(id));
      if (isRemoved) {
        // Only a replacement takes variants away, and it names every stock.
        const all = variants.map((variant) => ({ ...variant, stock: stockOf(variant, base, present) }));
        const replaced = { ...body, variants: all };
        return await api.put('/api/stores/{storeId}/products/{id}', {
          params: { path },
          headers,
          body: replaced,
        });
      }
      const changed = variants.map(({ stock, ...variant }) =>
        isTyped({ ...variant, stock }, base) ? { ...variant, stock: stock ?? 0 } : variant,
      );
      const patch: Model<'ProductPatch'> = { ...body, variants: changed };
      return await api.patch('/api/stores/{storeId}/products/{id}', {
        params: { path },
        headers,
        body: patch,
      });
    } catch (error) {
      if (!isWaybillError(error, 'precondition_failed') || attempt === maxAttempts) throw error;
      const next = await readProduct(storeId, path.id);
      if (!isForced && !isSoldAlone(base.product, next.product, value)) throw error;
      present = next;
    }
  }
}

type Typed = NonNullable<ProductInput['variants']>[number];

/** The variants of what was read, by id: of thousands, none is searched for. */
const variantsById = new WeakMap<Product, ReadonlyMap<unknown, Product['variants'][number]>>();

function storedOf({ id }: { id?: unknown }, { product }: Read) {
  let byId = variantsById.get(product);
  if (!byId) {
    byId = new Map(product.variants.map((variant) => [variant.id, variant]));
    variantsById.set(product, byId);
  }
  return byId.get(id);
}

/** Whether a stock is what somebody typed; that of a new variant always is. */
export const isTyped = (variant: Typed, base: Read): boolean =>
  storedOf(variant, base)?.stock !== (variant.stock ?? 0);

function stockOf(variant: Typed, base: Read, present: Read): number {
  const typed = variant.stock ?? 0;
  return isTyped(variant, base) ? typed : (storedOf(variant, present)?.stock ?? typed);
}

/** Whether nothing but stock is another than it was, and none that was typed over. */
function isSoldAlone(before: Product, after: Product, value: ProductInput): boolean {
  const others = ({
    updatedAt: _updatedAt,
    totalStock: _totalStock,
    media: _media,
    categoryIds: _categoryIds,
    variants,
    ...rest
  }: Product) => JSON.stringify([rest, variants.map(({ stock: _stock, ...variant }) => variant)]);
  if (others(before) !== others(after)) return false;
  const base = { product: before, etag: null };
  return (value.variants ?? []).every(
    (variant) =>
      !isTyped(variant, base) ||
      storedOf(variant, base)?.stock === storedOf(variant, { product: after, etag: null })?.stock,
  );
}

async function readProduct(storeId: string, id: string): Promise<Read> {
  const response = await api.fetch(`/api/stores/${storeId}/products/${id}`);
  const { product } = (await response.json()) as { product: Product };
  return { product, etag: response.headers.get('etag') };
}
