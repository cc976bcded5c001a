import { isWaybillError, type Model, WaybillError } from '@waybill/sdk';
import { api } from '../../api/client.ts';
import { findChanges } from '../../shell/custom-fields/queries.ts';
import { type Product, type ProductInput, toVariantInput } from './queries.ts';

/** A product with the ETag of the version that was read. */
export interface Read {
  product: Product;
  etag: string | null;
}

const maxAttempts = 3;

/**
 * Saves the edited product. Stock that the user did not change is not written, so that units sold meanwhile stay sold.
 * If only such stock has changed on the server, there is no conflict. `isForced` overwrites another user's changes.
 * @throws precondition_failed
 */
export async function saveProduct(
  storeId: string,
  base: Read,
  value: ProductInput,
  isForced: boolean,
): Promise<Read> {
  const path = { storeId, id: base.product.id };
  let present = isForced ? await readProduct(storeId, path.id) : base;
  for (let attempt = 1; ; attempt++) {
    const headers = present.etag ? { 'if-match': present.etag } : {};
    try {
      const { slug, customFields, variants: typed = [], ...rest } = value;
      const body = {
        ...rest,
        ...(slug && { slug }),
        customFields: findChanges(base.product.customFields, customFields),
      };
      if (isReplacement(typed, present.product)) {
        // A PUT must name every stock.
        const variants = typed.map((variant) => ({
          ...changed(variant, base),
          stock: computeStock(variant, base, present),
        }));
        return await write('PUT', path, headers, { ...body, variants });
      }
      // A patch names only changed variants, since few of thousands are edited. A forced save names all, to overwrite
      // another user's changes completely.
      const isSent = isForced ? () => true : areSent(typed, base);
      const sent = typed.flatMap((variant, at) => (isSent(variant) ? [{ at, variant }] : []));
      const variants = sent.map(({ variant: { stock, ...variant } }) => ({
        ...changed(variant, base),
        ...(isTyped({ ...variant, stock }, base) && { stock: stock ?? 0 }),
      }));
      const patch: Model<'ProductPatch'> = { ...body, ...(variants.length > 0 && { variants }) };
      try {
        return await write('PATCH', path, headers, patch);
      } catch (error) {
        throw isWaybillError(error) ? atRows(error, sent) : error;
      }
    } catch (error) {
      if (!isWaybillError(error, 'precondition_failed') || attempt === maxAttempts) throw error;
      const next = await readProduct(storeId, path.id);
      if (!isForced && !onlyUntypedStockChanged(base.product, next.product, value)) throw error;
      present = next;
    }
  }
}

async function write(
  method: 'PUT' | 'PATCH',
  { storeId, id }: { storeId: string; id: string },
  condition: { 'if-match'?: string },
  body: object,
): Promise<Read> {
  const headers = { 'content-type': 'application/json', ...condition };
  const init = { method, headers, body: JSON.stringify(body) };
  return readResponse(await api.fetch(`/api/stores/${storeId}/products/${id}`, init));
}

type Typed = NonNullable<ProductInput['variants']>[number];

/** The variants of a product by id, to avoid searching among thousands. */
const variantsById = new WeakMap<Product, ReadonlyMap<unknown, Product['variants'][number]>>();

function findStored({ id }: { id?: unknown }, { product }: Read) {
  let byId = variantsById.get(product);
  if (!byId) {
    byId = new Map(product.variants.map((variant) => [variant.id, variant]));
    variantsById.set(product, byId);
  }
  return byId.get(id);
}

/** Returns a variant for the request, with only its changed custom fields. */
const changed = <Sent extends Omit<Typed, 'stock'>>(variant: Sent, base: Read) => ({
  ...variant,
  customFields: findChanges(findStored(variant, base)?.customFields, variant.customFields),
});

/** Whether a variant is new or was edited. */
function isChanged(variant: Typed, base: Read): boolean {
  const stored = findStored(variant, base);
  return !stored || JSON.stringify(toVariantInput(stored)) !== JSON.stringify(variant);
}

/**
 * Returns whether a patch must name a variant: it was edited, or shares an edited variant's SKU, so that a refusal can
 * point to its row.
 */
function areSent(typed: readonly Typed[], base: Read): (variant: Typed) => boolean {
  const changed = new Set(typed.filter((variant) => isChanged(variant, base)));
  const skus = new Set(Array.from(changed, ({ sku }) => sku));
  return (variant) => changed.has(variant) || (!!variant.sku && skus.has(variant.sku));
}

/** Whether the save must replace all variants. A patch can only change variants and append new ones. */
function isReplacement(typed: readonly Typed[], { variants }: Product): boolean {
  return variants.some(({ id }, at) => typed[at]?.id !== id);
}

/** Maps an error's pointers from the variants that were sent to the rows of the form. */
function atRows(error: WaybillError, sent: readonly { at: number }[]): WaybillError {
  const details = error.problems.map((problem) => ({
    ...problem,
    pointer: problem.pointer.replace(/^\/variants\/(\d{1,6})/, (whole, index: string) =>
      sent[Number(index)] ? `/variants/${sent[Number(index)]!.at}` : whole,
    ),
  }));
  if (details.length === 0) return error;
  const { code, message, status, body, cause } = error;
  return new WaybillError(code, message, { status, body: { ...body, details }, cause });
}

/** Whether the user has set the stock. The stock of a new variant always counts as set. */
export const isTyped = (variant: Typed, base: Read): boolean =>
  findStored(variant, base)?.stock !== (variant.stock ?? 0);

function computeStock(variant: Typed, base: Read, present: Read): number {
  const typed = variant.stock ?? 0;
  return isTyped(variant, base) ? typed : (findStored(variant, present)?.stock ?? typed);
}

/** Whether only stock differs between two versions, and none that the user has set. */
function onlyUntypedStockChanged(before: Product, after: Product, value: ProductInput): boolean {
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
      findStored(variant, base)?.stock === findStored(variant, { product: after, etag: null })?.stock,
  );
}

async function readProduct(storeId: string, id: string): Promise<Read> {
  return readResponse(await api.fetch(`/api/stores/${storeId}/products/${id}`));
}

async function readResponse(response: Response): Promise<Read> {
  const { product, ...said } = (await response.json()) as { product: Product };
  return { ...said, product, etag: response.headers.get('etag') };
}
