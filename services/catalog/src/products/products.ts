import { findFreeSlug, newId, ProductCreated, ProductDeleted, ProductUpdated } from '@waybill/contracts';
import { applyChange, noChange, requireValues, type WithFields } from '@waybill/custom-fields';
import { sanitiseHtml } from '@waybill/html';
import {
  type Answer,
  createEmission,
  currentTrace,
  type IdempotentWrite,
  rawJson,
  type ServiceContext,
  violatedConstraint,
} from '@waybill/kernel';
import { deriveSlug } from '@waybill/slugs';
import type { Transaction } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Write } from '../config.ts';
import { errors } from '../errors.ts';
import type { Tables } from '../tables.ts';
import { recordDeletedVariants } from './deleted-variant-queries.ts';
import {
  completeProduct,
  isSameProduct,
  isSameVariant,
  measureProductBytes,
  measureTexts,
  type ProductState,
  pickLaterFields,
  type VariantState,
} from './fields.ts';
import { insertProducts, type NewProduct } from './insert-queries.ts';
import { recordPrices } from './prices.ts';
import {
  countProduct,
  deleteProductRow,
  findExistingSlugs,
  findProductEnvelope,
  lockNumbers,
  lockProduct,
  replaceVariants,
  updateProduct,
} from './queries.ts';
import { maxBodyBytes, type ProductInput, type ProductPatch, type VariantPatch } from './routes.ts';
import { patchVariant, patchVariants, replaceVariantStates, withCheckedOptions } from './variants.ts';

/** The unique index of slugs: `store-api.md 2.2`. */
const slugConstraint = 'product_slug_key';

type Context = ServiceContext<object, Tables>;
type Trx = Transaction<Tables>;

/** A product to create. Its slug is undefined if the service derives one. */
interface CreateRequest extends Omit<ProductState, 'slug'> {
  slug: string | undefined;
  /** Trace of the request that creates the product. */
  trace: string | undefined;
  /** Whether no custom fields were read for it: see `NewProduct`. */
  isUnchecked: boolean;
}

/**
 * Returns a function that creates a product, emits `product.created`, and answers with the `{ product }` envelope.
 * Concurrent creates of a store share a transaction. If `input.fields` is undefined, nobody has read the store's custom
 * fields: such input is refused if the store requires any.
 * @throws duplicate_slug, duplicate_sku; CustomFieldsRequired
 */
export function prepareProductCreation({ groupCommit }: Context) {
  const createWithOthers = groupCommit({
    write: (trx, storeId, all: readonly CreateRequest[]) =>
      insertWithSlugs(trx, storeId, all, { hasTakenSlugs: storesWithTakenSlugs.has(storeId) }),
    measureBytes: measureProductBytes,
  });
  // The retry after another create took the derived slug. It locks the store's numbers first, so the store's other
  // creates wait.
  const createBeforeOthers = groupCommit({
    async write(trx, storeId, all: readonly CreateRequest[]) {
      await lockNumbers(trx, storeId);
      return insertWithSlugs(trx, storeId, all, { hasTakenSlugs: true });
    },
    measureBytes: measureProductBytes,
  });
  return (
    storeId: string,
    input: WithFields<ProductInput>,
    { commitInGroup }: IdempotentWrite,
    toAnswer: (envelope: string) => Answer = rawJson,
  ): Promise<Answer> => {
    const variantSet = replaceVariantStates([], input.variants);
    variantSet.found.collect(() => requireValues(input.fields ?? noChange), undefined);
    const { slug: _, ...state } = composeProduct(
      newId('product'),
      '',
      sanitiseDescription(input),
      variantSet,
    );
    const isUnchecked = input.fields === undefined;
    const requested = { slug: input.slug, trace: currentTrace(), isUnchecked, ...state };
    return withSlugRetry(input.slug === undefined, (isRetry) => {
      const create = isRetry ? createBeforeOthers : createWithOthers;
      return commitInGroup((scope) => create(storeId, requested, scope), toAnswer);
    });
  };
}

/**
 * Stores whose creates lately met a slug that was taken. Only these look for taken slugs before they insert. In the
 * others the unique index refuses the rare product of the same name, which saves each create a round trip.
 */
const storesWithTakenSlugs = new LRUCache<string, true>({ max: 10_000, ttl: 60_000 });

/**
 * Inserts products. With `hasTakenSlugs`, looks up the derived slugs that other products have, and appends a number to
 * them. Without it, such a slug violates the unique index.
 */
async function insertWithSlugs(
  trx: Trx,
  storeId: string,
  all: readonly CreateRequest[],
  { hasTakenSlugs }: { hasTakenSlugs: boolean },
): Promise<string[]> {
  const requestedSlugs = new Set(all.map(({ slug }) => slug));
  const bases = all.map(({ slug, id, name }) => slug ?? deriveSlug(name, id.slice(id.indexOf('_') + 1)));
  const derived = bases.filter((_, i) => all[i]!.slug === undefined);
  const existing =
    hasTakenSlugs && derived.length > 0 ? await findExistingSlugs(trx, storeId, derived) : new Map();
  const products: NewProduct[] = [];
  for (const [i, { trace, slug, isUnchecked, ...state }] of all.entries()) {
    const base = bases[i]!;
    // Most names are new. Each of the others costs a query for a free slug.
    const isNumbered = slug === undefined && (existing.has(base) || requestedSlugs.has(base));
    const free = isNumbered ? await deriveFreeSlug(trx, storeId, base, requestedSlugs) : base;
    const product = { ...state, slug: free };
    requestedSlugs.add(product.slug);
    products.push({ product, event: createEmission(trx, ProductCreated, trace), isUnchecked });
  }
  return insertProducts(trx, storeId, products, new Date()).catch((error) => {
    if (violatedConstraint(error) === slugConstraint) storesWithTakenSlugs.set(storeId, true);
    throw error;
  });
}

/**
 * Replaces a product. Omitted fields fall back to their defaults, except the slug and the fields that older clients do
 * not know. A replacement that changes nothing emits nothing. Returns the `{ product }` envelope as JSON.
 * `decisions.md 2, 20.1`.
 * @throws not_found, duplicate_slug, duplicate_sku
 */
export function replaceProduct(
  write: Write,
  storeId: string,
  id: string,
  input: WithFields<ProductInput>,
): Promise<string> {
  const requested = sanitiseDescription(input);
  return storeChange(write, storeId, id, (current) =>
    composeProduct(
      id,
      current.slug,
      { ...pickLaterFields(current), ...requested, seo: { ...current.seo, ...requested.seo } },
      replaceVariantStates(current.variants, input.variants),
      current.customFields,
    ),
  );
}

/**
 * Changes the fields of a product that the patch contains. Variants that the patch names, by id or else by SKU, are
 * patched in the same way; other variants of the patch are added. A patch that changes nothing emits nothing. Returns
 * the `{ product }` envelope as JSON.
 * @throws not_found, duplicate_slug, duplicate_sku; invalid_body for a new variant without a price, or too many
 */
export function changeProduct(
  write: Write,
  storeId: string,
  id: string,
  patch: WithFields<ProductPatch>,
): Promise<string> {
  const requested = sanitiseDescription(patch);
  return storeChange(write, storeId, id, (current) =>
    composeProduct(
      id,
      current.slug,
      { ...current, ...requested, seo: { ...current.seo, ...requested.seo } },
      patchVariants(current.variants, patch.variants),
      current.customFields,
    ),
  );
}

/**
 * Changes the fields of one variant that the patch contains. Emits `product.updated` if anything changed. Returns the
 * `{ product }` envelope as JSON.
 * @throws not_found, duplicate_sku
 */
export function changeVariant(
  write: Write,
  storeId: string,
  id: string,
  variantId: string,
  patch: WithFields<VariantPatch>,
): Promise<string> {
  return storeChange(write, storeId, id, (current) =>
    composeProduct(
      id,
      current.slug,
      current,
      patchVariant(current.variants, variantId, patch),
      current.customFields,
    ),
  );
}

/** Locks a product, stores the changed state and emits `product.updated` if the state differs. */
function storeChange(
  { trx, emit }: Write,
  storeId: string,
  id: string,
  change: (current: ProductState) => ProductState,
): Promise<string> {
  return withSlugRetry(false, async () => {
    const current = await lockProduct(trx, storeId, id);
    if (!current) throw errors.not_found();
    const requested = change(current);
    const changes = compareVariants(current.variants, requested.variants);
    if (isSameProduct(current, requested) && changes === null)
      return (await findProductEnvelope(trx, storeId, id))!;
    const now = new Date();
    const next = await recordPrices(trx, storeId, current, requested, now);
    await updateProduct(trx, storeId, next, now);
    if (changes) {
      const written = next.variants.flatMap((variant, i) =>
        changes.written.has(variant.id) ? { position: i + 1, variant } : [],
      );
      await recordDeletedVariants(trx, storeId, id, changes.deleted);
      await replaceVariants(trx, storeId, id, changes.removed, written);
    }
    if (next.status !== current.status) {
      await countProduct(trx, storeId, current.status, -1);
      await countProduct(trx, storeId, next.status, 1);
    }
    const json = (await findProductEnvelope(trx, storeId, id))!;
    // Several bodies together may add up to very many custom fields, whose names stand in the JSON only.
    if (Buffer.byteLength(json) > maxProductBytes) throw tooLarge();
    await emit(ProductUpdated, storeId, { json });
    return json;
  });
}

/**
 * Deletes a product and emits `product.deleted`.
 * @throws not_found
 */
export async function deleteProduct({ trx, emit }: Write, storeId: string, id: string): Promise<void> {
  await recordDeletedVariants(trx, storeId, id, null);
  const deleted = await deleteProductRow(trx, storeId, id);
  if (!deleted) throw errors.not_found();
  const { status, number, slug } = deleted;
  await countProduct(trx, storeId, status, -1);
  await emit(ProductDeleted, storeId, { product: { id, number, slug } });
}

/** Derives a slug that neither the store's products nor the products of this batch use. */
function deriveFreeSlug(
  trx: Trx,
  storeId: string,
  base: string,
  requestedSlugs: ReadonlySet<string | undefined>,
): Promise<string> {
  return findFreeSlug(base, async (candidates) => {
    const existing = await findExistingSlugs(trx, storeId, candidates);
    return new Set([...existing.keys(), ...candidates.filter((candidate) => requestedSlugs.has(candidate))]);
  });
}

/** Returns the input with its description sanitised for storing. */
function sanitiseDescription<Input extends ProductPatch>(input: Input): Input {
  return input.description === undefined ? input : { ...input, description: sanitiseHtml(input.description) };
}

/**
 * Builds a product from the input fields and checks its variants against it: `decisions.md 20.1, 20.2`.
 * @throws invalid_body
 */
function composeProduct(
  id: string,
  formerSlug: string,
  input: WithFields<Omit<ProductPatch, 'variants' | 'seo' | 'customFields'>> & {
    seo?: Partial<ProductState['seo']>;
    activeSince?: Date | null;
  },
  variantSet: Parameters<typeof withCheckedOptions>[1],
  customFields: ProductState['customFields'] = {},
): ProductState {
  const { title = '', description = '', imageMediaId = null } = input.seo ?? {};
  const product = completeProduct({
    ...input,
    slug: input.slug ?? formerSlug,
    options: input.options?.map(({ name, values }) => ({ name, values })),
    seo: { title, description, imageMediaId },
    customFields: variantSet.found.collect(
      () => applyChange(customFields, input.fields ?? noChange),
      customFields,
    ),
  });
  const variants = withCheckedOptions(product.options, variantSet);
  const state = { id, ...product, activeSince: input.activeSince ?? null, variants };
  // Events carry the whole product to every subscriber, so its size is limited. What one body holds always fits.
  if (measureTexts(state) > maxBodyBytes) throw tooLarge();
  return state;
}

/** Maximum number of bytes of a product's JSON, which has members that no body needs to name. */
const maxProductBytes = 2 * maxBodyBytes;

function tooLarge() {
  const message = `makes a product of more than ${maxBodyBytes / 1024 / 1024} MiB`;
  return errors.invalid_body({ details: [{ pointer: '/variants', message }] });
}

/**
 * Lists the variants to remove, those of them that are gone for good, and those to write. Returns null if nothing
 * changed.
 */
function compareVariants(present: readonly VariantState[], next: readonly VariantState[]) {
  const former = new Map(present.map((variant, i) => [variant.id, { variant, position: i }]));
  const isWritten = (variant: VariantState, i: number) => {
    const known = former.get(variant.id);
    return !known || known.position !== i || !isSameVariant(known.variant, variant);
  };
  const written = new Set(next.filter(isWritten).map(({ id }) => id));
  const remaining = new Set(next.map(({ id }) => id));
  const removed = [...former.keys()].filter((id) => written.has(id) || !remaining.has(id));
  const deleted = removed.filter((id) => !remaining.has(id));
  return written.size + removed.length > 0 ? { written, removed, deleted } : null;
}

/**
 * Turns a violated unique index into the matching API error. If another product took a derived slug first, runs the
 * work once more, with the store's other creates waiting.
 */
async function withSlugRetry<Result>(
  isSlugDerived: boolean,
  work: (isRetry: boolean) => Promise<Result>,
): Promise<Result> {
  for (const isRetry of [false, true]) {
    try {
      return await work(isRetry);
    } catch (error) {
      const constraint = violatedConstraint(error);
      if (constraint === 'variant_sku_key') throw errors.duplicate_sku();
      if (constraint !== slugConstraint) throw error;
      if (!isSlugDerived) break;
    }
  }
  throw errors.duplicate_slug();
}
