import {
  deriveSlug,
  freeSlug,
  newId,
  type Problem,
  ProductDeleted,
  ProductUpdated,
} from '@waybill/contracts';
import { sanitiseHtml } from '@waybill/html';
import { emit, type ServiceContext, violatedConstraint } from '@waybill/kernel';
import type { Transaction } from 'kysely';
import { errors } from '../errors.ts';
import type { Tables } from '../tables.ts';
import {
  countProduct,
  deleteProductRow,
  findProductEnvelope,
  insertProduct,
  lockNumbers,
  lockProduct,
  type ProductState,
  replaceVariants,
  takenSlugs,
  updateProduct,
  type VariantState,
} from './queries.ts';
import type { ProductInput } from './routes.ts';

type RunTransaction = ServiceContext<object, Tables>['transaction'];
type Trx = Transaction<Tables>;

/**
 * Creates a product and emits `product.created`. Gives the `{ product }` envelope as JSON.
 * @throws duplicate_slug, duplicate_sku
 */
export function createProduct(
  transaction: RunTransaction,
  storeId: string,
  input: ProductInput,
): Promise<string> {
  return storing(input.slug === undefined, (isRetry) =>
    transaction(async (trx) => {
      if (isRetry) await lockNumbers(trx, storeId);
      const id = newId('product');
      const slug = input.slug ?? (await deriveFreeSlug(trx, storeId, id, input.name));
      const product = { id, slug, ...stateOf(input, []) };
      return insertProduct(trx, storeId, product, new Date());
    }),
  );
}

/**
 * Replaces a product: every omitted field but the slug falls back to its default. A replacement that changes
 * nothing emits nothing. Gives the `{ product }` envelope as JSON. `decisions.md 2`.
 * @throws not_found, duplicate_slug, duplicate_sku
 */
export function replaceProduct(
  transaction: RunTransaction,
  storeId: string,
  id: string,
  input: ProductInput,
): Promise<string> {
  return storing(false, () =>
    transaction(async (trx) => {
      const current = await lockProduct(trx, storeId, id);
      if (!current) throw errors.not_found();
      const next = { id, slug: input.slug ?? current.slug, ...stateOf(input, current.variants) };
      if (sameState(current, next)) return (await findProductEnvelope(trx, storeId, id))!;
      await updateProduct(trx, storeId, next, new Date());
      await replaceVariants(trx, storeId, id, next.variants);
      if (next.status !== current.status) {
        await countProduct(trx, storeId, current.status, -1);
        await countProduct(trx, storeId, next.status, 1);
      }
      const json = await findProductEnvelope(trx, storeId, id);
      await emit(trx, ProductUpdated, storeId, { json: json! });
      return json!;
    }),
  );
}

/**
 * Deletes a product and emits `product.deleted`.
 * @throws not_found
 */
export function deleteProduct(transaction: RunTransaction, storeId: string, id: string): Promise<void> {
  return transaction(async (trx) => {
    const deleted = await deleteProductRow(trx, storeId, id);
    if (!deleted) throw errors.not_found();
    const { status, number, slug } = deleted;
    await countProduct(trx, storeId, status, -1);
    await emit(trx, ProductDeleted, storeId, { product: { id, number, slug } });
  });
}

function deriveFreeSlug(trx: Trx, storeId: string, id: string, name: string): Promise<string> {
  const base = deriveSlug(name, id.slice(id.indexOf('_') + 1));
  return freeSlug(base, (candidates) => takenSlugs(trx, storeId, candidates));
}

/** The state that an input asks for, its variants matched to the present ones by id, then by SKU. */
function stateOf(input: ProductInput, present: readonly VariantState[]): Omit<ProductState, 'id' | 'slug'> {
  const inputs = input.variants ?? [];
  refuseRepeatedSkus(inputs);
  const unmatched = new Map(present.map((variant) => [variant.id, variant.sku]));
  const matched = inputs.map(({ id }) => (typeof id === 'string' && unmatched.delete(id) ? id : null));
  const variants = inputs.map((variant, i): VariantState => {
    const bySku = variant.sku && [...unmatched].find(([, sku]) => sku === variant.sku)?.[0];
    if (!matched[i] && bySku) unmatched.delete(bySku);
    return {
      id: matched[i] ?? (bySku || newId('variant')),
      sku: variant.sku ?? null,
      name: variant.name ?? '',
      priceCents: variant.priceCents,
      stock: variant.stock ?? 0,
    };
  });
  return {
    name: input.name,
    status: input.status ?? 'draft',
    description: sanitiseHtml(input.description ?? ''),
    tags: input.tags ?? [],
    mediaIds: input.mediaIds ?? [],
    variants,
  };
}

function refuseRepeatedSkus(variants: NonNullable<ProductInput['variants']>): void {
  const seen = new Set<string>();
  const details: Problem[] = [];
  for (const [i, { sku }] of variants.entries()) {
    if (sku && seen.has(sku))
      details.push({ pointer: `/variants/${i}/sku`, message: 'stands in this body twice' });
    if (sku) seen.add(sku);
  }
  if (details.length > 0) throw errors.duplicate_sku({ details });
}

function sameState(a: ProductState, b: ProductState): boolean {
  const comparable = ({ id, slug, name, status, description, tags, mediaIds, variants }: ProductState) =>
    JSON.stringify([
      id,
      slug,
      name,
      status,
      description,
      tags,
      mediaIds,
      variants.map(({ id, sku, name, priceCents, stock }) => [id, sku, name, priceCents, stock]),
    ]);
  return comparable(a) === comparable(b);
}

/**
 * Turns a violated unique index into its error. A derived slug that somebody else was quicker with is derived
 * again, the second time with the store's other creates held back.
 */
async function storing<Result>(
  slugIsDerived: boolean,
  work: (isRetry: boolean) => Promise<Result>,
): Promise<Result> {
  for (const isRetry of [false, true]) {
    try {
      return await work(isRetry);
    } catch (error) {
      const constraint = violatedConstraint(error);
      if (constraint === 'variant_sku_key') throw errors.duplicate_sku();
      if (constraint !== 'product_slug_key') throw error;
      if (!slugIsDerived) break;
    }
  }
  throw errors.duplicate_slug();
}
