import {
  freeSlug,
  newId,
  type Problem,
  ProductCreated,
  ProductDeleted,
  ProductUpdated,
} from '@waybill/contracts';
import { sanitiseHtml } from '@waybill/html';
import {
  type Answer,
  currentTrace,
  emissionOf,
  emit,
  type Once,
  rawJson,
  type ServiceContext,
  violatedConstraint,
} from '@waybill/kernel';
import { deriveSlug } from '@waybill/slugs';
import type { Transaction } from 'kysely';
import { errors } from '../errors.ts';
import type { Tables } from '../tables.ts';
import { insertProducts, type NewProduct } from './insert-queries.ts';
import {
  countProduct,
  deleteProductRow,
  findProductEnvelope,
  lockNumbers,
  lockProduct,
  type ProductState,
  replaceVariants,
  takenSlugs,
  updateProduct,
  type VariantState,
} from './queries.ts';
import { maxVariants, type ProductInput, type ProductPatch } from './routes.ts';

type Context = ServiceContext<object, Tables>;
type RunTransaction = Context['transaction'];
type Trx = Transaction<Tables>;

/** A product to be created: without a slug where that is to be derived. */
interface Wanted extends Omit<ProductState, 'slug'> {
  slug: string | undefined;
  /** Of the request that asks for it. */
  trace: string | undefined;
}

/**
 * Gives the function that creates a product and emits `product.created`, together with those that are created in the store
 * meanwhile. It gives the `{ product }` envelope.
 * @throws duplicate_slug, duplicate_sku
 */
export function productCreation({ groupCommit }: Context) {
  // Names, tags and the like are at most some kilobytes; descriptions may be long, and variants many.
  const bytesOf = ({ description, variants }: Wanted) => description.length + 512 * (variants.length + 4);
  const createWithOthers = groupCommit({ write: insertWanted, bytesOf });
  // One that lost a derived slug once: the numbers, which the store's other creates take too, keep those waiting.
  const createBeforeOthers = groupCommit({
    async write(trx, storeId, all: readonly Wanted[]) {
      await lockNumbers(trx, storeId);
      return insertWanted(trx, storeId, all);
    },
    bytesOf,
  });
  return (
    storeId: string,
    input: ProductInput,
    { commitWithOthers }: Once,
    answerOf: (envelope: string) => Answer = rawJson,
  ): Promise<Answer> => {
    const state = stateOf(sanitised(input), replacing([], input.variants));
    const wanted = { id: newId('product'), slug: input.slug, trace: currentTrace(), ...state };
    return storing(input.slug === undefined, (isRetry) => {
      const create = isRetry ? createBeforeOthers : createWithOthers;
      return commitWithOthers((keyed) => create(storeId, wanted, keyed), answerOf);
    });
  };
}

async function insertWanted(trx: Trx, storeId: string, all: readonly Wanted[]): Promise<string[]> {
  const given = new Set(all.map(({ slug }) => slug));
  const products: NewProduct[] = [];
  for (const { trace, slug, ...state } of all) {
    const product = { ...state, slug: slug ?? (await deriveFreeSlug(trx, storeId, state, given)) };
    given.add(product.slug);
    products.push({ product, event: emissionOf(trx, ProductCreated, trace) });
  }
  return insertProducts(trx, storeId, products, new Date());
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
  const wanted = sanitised(input);
  return storeChange(transaction, storeId, id, ({ slug, variants }) => ({
    id,
    slug: input.slug ?? slug,
    ...stateOf(wanted, replacing(variants, input.variants)),
  }));
}

/**
 * Changes the fields of a product that the patch has, and leaves the others as they are. Of its variants those that
 * the patch names, by id or else by SKU, are changed alike; the rest of the patch's are added. A change of nothing
 * emits nothing. Gives the `{ product }` envelope as JSON.
 * @throws not_found, duplicate_slug, duplicate_sku; invalid_body for a new variant without a price, or too many
 */
export function changeProduct(
  transaction: RunTransaction,
  storeId: string,
  id: string,
  patch: ProductPatch,
): Promise<string> {
  const wanted = sanitised(patch);
  return storeChange(transaction, storeId, id, (current) => ({
    id,
    slug: patch.slug ?? current.slug,
    ...stateOf({ ...current, ...wanted }, changing(current.variants, patch.variants)),
  }));
}

/** Writes what a change makes of a product as it is, under its lock, and emits `product.updated` if it differs. */
function storeChange(
  transaction: RunTransaction,
  storeId: string,
  id: string,
  change: (current: ProductState) => ProductState,
): Promise<string> {
  return storing(false, () =>
    transaction(async (trx) => {
      const current = await lockProduct(trx, storeId, id);
      if (!current) throw errors.not_found();
      const next = change(current);
      if (sameState(current, next)) return (await findProductEnvelope(trx, storeId, id))!;
      await updateProduct(trx, storeId, next, new Date());
      if (!sameVariants(current.variants, next.variants))
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

/** A slug that neither the store's products have nor those that are made with this one. */
function deriveFreeSlug(
  trx: Trx,
  storeId: string,
  { id, name }: Pick<ProductState, 'id' | 'name'>,
  given: ReadonlySet<string | undefined>,
): Promise<string> {
  const base = deriveSlug(name, id.slice(id.indexOf('_') + 1));
  return freeSlug(base, async (candidates) => {
    const taken = await takenSlugs(trx, storeId, candidates);
    return new Set([...taken, ...candidates.filter((candidate) => given.has(candidate))]);
  });
}

/** The input with its description as it is stored. */
function sanitised<Input extends ProductPatch>(input: Input): Input {
  return input.description === undefined ? input : { ...input, description: sanitiseHtml(input.description) };
}

function stateOf(
  { name, status = 'draft', description = '', tags = [], mediaIds = [] }: Omit<ProductInput, 'variants'>,
  variants: VariantState[],
): Omit<ProductState, 'id' | 'slug'> {
  return { name, status, description, tags, mediaIds, variants };
}

/** The variants that inputs ask for in place of the present ones. */
function replacing(present: readonly VariantState[], inputs: ProductInput['variants'] = []): VariantState[] {
  refuseRepeatedSkus(inputs);
  const meant = match(present, inputs);
  return inputs.map((input, i) => toVariant(input, meant[i]?.id ?? newId('variant')));
}

/** The present variants with what the inputs change of them and add to them. */
function changing(present: readonly VariantState[], inputs: ProductPatch['variants'] = []): VariantState[] {
  refuseRepeatedSkus(inputs);
  const meant = match(present, inputs);
  const details: Problem[] = [];
  const changed = new Map<string, VariantState>();
  const added: VariantState[] = [];
  for (const [i, input] of inputs.entries()) {
    const found = meant[i];
    const priceCents = input.priceCents ?? found?.priceCents;
    if (priceCents === undefined)
      details.push({ pointer: `/variants/${i}/priceCents`, message: 'is required for a new variant' });
    else if (found) changed.set(found.id, toVariant({ ...found, ...input, priceCents }, found.id));
    else added.push(toVariant({ ...input, priceCents }, newId('variant')));
  }
  if (present.length + added.length > maxVariants)
    details.push({ pointer: '/variants', message: `makes more than ${maxVariants} variants` });
  if (details.length > 0) throw errors.invalid_body({ details });
  return [...present.map((variant) => changed.get(variant.id) ?? variant), ...added];
}

type VariantInput = NonNullable<ProductInput['variants']>[number];

function toVariant({ sku = null, name = '', priceCents, stock = 0 }: VariantInput, id: string): VariantState {
  return { id, sku, name, priceCents, stock };
}

/** Which of the present variants each input means: by id, or else by SKU. */
function match(
  present: readonly VariantState[],
  inputs: NonNullable<ProductPatch['variants']>,
): (VariantState | undefined)[] {
  const unmatched = new Set(present);
  const take = (isMeant: (variant: VariantState) => boolean) => {
    const found = [...unmatched].find(isMeant);
    if (found) unmatched.delete(found);
    return found;
  };
  const byId = inputs.map(({ id }) => take((variant) => variant.id === id));
  return inputs.map(({ sku }, i) => byId[i] ?? (sku ? take((variant) => variant.sku === sku) : undefined));
}

function refuseRepeatedSkus(variants: NonNullable<ProductPatch['variants']>): void {
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
  const comparable = ({ id, slug, name, status, description, tags, mediaIds }: ProductState) =>
    JSON.stringify([id, slug, name, status, description, tags, mediaIds]);
  return comparable(a) === comparable(b) && sameVariants(a.variants, b.variants);
}

function sameVariants(a: readonly VariantState[], b: readonly VariantState[]): boolean {
  const comparable = (variants: readonly VariantState[]) =>
    JSON.stringify(
      variants.map(({ id, sku, name, priceCents, stock }) => [id, sku, name, priceCents, stock]),
    );
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
