import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  type AssetFacts,
  type CheckoutSettings,
  canonicalLocale,
  currencyExponent,
  findFreeSlug,
  isCurrency,
  newId,
  ownerLimits,
  type Problem,
  type Role,
  StoreChanged,
  StoreClosed,
  type StoreFacts,
} from '@waybill/contracts';
import { sqlState, violatedConstraint } from '@waybill/kernel';
import { deriveSlug } from '@waybill/slugs';
import type { Insertable, Transaction } from 'kysely';
import type { Context, Write } from '../config.ts';
import { errors } from '../errors.ts';
import { moveSlug, reserveSlugsOfClosedStore } from '../former-addresses/former-addresses.ts';
import { claimSlug } from '../former-addresses/queries.ts';
import type { Tables } from '../tables.ts';
import {
  deleteDomains,
  deleteFreshStore,
  findStoreForUpdate,
  hasReachedStoreLimit,
  insertMember,
  insertStore,
  listTakenSlugs,
  markStoreClosed,
  type StoreFields,
  type StoreRow,
  updateStore,
} from './queries.ts';
import type { StoreChange, StoreInput } from './routes.ts';

const defaultCurrency = 'EUR';

/**
 * Creates a store with its creator as owner. Throws `duplicate_slug` for a given slug that is taken, `invalid_body` for
 * an unknown currency, `too_many_own_stores`. `decisions.md 1.10, 8.2`.
 */
export function createStore(write: Write, userId: string, input: StoreInput): Promise<StoreRow> {
  return requireKnownUser(async () => {
    if (await hasReachedStoreLimit(write.trx, userId, ownerLimits.stores)) throw errors.too_many_own_stores();
    return createStoreInTransaction(write, userId, input);
  });
}

/** Creates a store within a transaction, optionally as an organisation's development store: `decisions.md 14.3`. */
export async function createStoreInTransaction(
  write: Write,
  userId: string,
  { name, slug, currency = defaultCurrency }: StoreInput,
  orgId: string | null = null,
): Promise<StoreRow> {
  const { trx, audit } = write;
  checkCurrency(currency);
  const fields = { id: newId('store'), name, currency, org_id: orgId };
  const store = slug ? await insertStore(trx, { ...fields, slug }) : await insertWithDerivedSlug(trx, fields);
  if (!store || (slug && !(await claimSlug(trx, store.id, slug)))) throw errors.duplicate_slug();
  await insertMember(trx, store.id, { user_id: userId, role: 'owner' });
  await audit(store.id, 'store.created', store);
  await emitChanged(write, store);
  return store;
}

/** Throws `user_token_required` if a valid token names a missing user, because it was issued for another database. */
export async function requireKnownUser<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (sqlState(error) === '23503') throw errors.user_token_required();
    throw error;
  }
}

async function insertWithDerivedSlug(
  trx: Transaction<Tables>,
  store: Omit<Insertable<Tables['store']>, 'slug'>,
): Promise<StoreRow> {
  const base = deriveSlug(store.name, store.id.slice('str_'.length));
  for (;;) {
    const slug = await findFreeSlug(base, (candidates) => listTakenSlugs(trx, candidates));
    const inserted = await insertStore(trx, { ...store, slug });
    // Another store has taken the slug since it was free. Each turn of this loop means that another store was created,
    // so it ends.
    if (!inserted) continue;
    if (await claimSlug(trx, store.id, slug)) return inserted;
    await deleteFreshStore(trx, store.id);
  }
}

/**
 * Checks the parts of a change that need no transaction, because the media service may be slow. Throws `invalid_body`,
 * or `resource_unavailable` if the media service is unreachable.
 */
export async function checkChange(
  { peers }: Pick<Context, 'peers'>,
  storeId: string,
  { currency, locales, faviconMediaId }: StoreChange,
): Promise<void> {
  if (currency) checkCurrency(currency);
  if (locales) canonicalLocales(locales);
  if (faviconMediaId != null) await checkPicture(peers, storeId, faviconMediaId);
}

/**
 * Applies the given fields that differ, after `checkChange`. Throws `not_found`, `duplicate_slug`, `too_many_slugs`.
 */
export async function changeStore(
  write: Write,
  storeId: string,
  { name, slug, currency, locales, faviconMediaId, checkout }: StoreChange,
): Promise<StoreRow> {
  const { trx, audit } = write;
  const givenLocales = locales && canonicalLocales(locales);
  try {
    const store = await findStoreForUpdate(trx, storeId);
    if (!store) throw errors.not_found();
    const requested: StoreFields = {
      name: name ?? store.name,
      slug: slug ?? store.slug,
      currency: currency ?? store.currency,
      locales: givenLocales === undefined ? store.locales : givenLocales,
      favicon_media_id: faviconMediaId === undefined ? store.favicon_media_id : faviconMediaId,
      max_quantity: checkout?.maxQuantity ?? store.max_quantity,
      expire_unpaid_after_minutes: checkout?.expireUnpaidAfterMinutes ?? store.expire_unpaid_after_minutes,
      expire_manual_after_days: checkout?.expireManualAfterDays ?? store.expire_manual_after_days,
      refund_limit_cents:
        checkout?.refundLimitCents === undefined ? store.refund_limit_cents : checkout.refundLimitCents,
      return_days: checkout?.returnDays ?? store.return_days,
    };
    if (isDeepStrictEqual({ ...store, ...requested }, { ...store })) return store;
    const updated = await updateStore(trx, storeId, requested);
    if (updated.slug !== store.slug) await moveSlug(trx, storeId, { from: store.slug, to: updated.slug });
    await audit(storeId, 'store.updated', updated, { changed: changedFields(store, requested) });
    await emitChanged(write, updated);
    return updated;
  } catch (error) {
    if (violatedConstraint(error) === 'store_slug_key') throw errors.duplicate_slug();
    throw error;
  }
}

/** Returns the names in the API of the columns that differ. */
function changedFields(store: StoreRow, requested: StoreFields): string[] {
  const columns = Object.keys(requested) as (keyof StoreFields)[];
  return columns
    .filter((column) => !isDeepStrictEqual(store[column], requested[column]))
    .map((column) => column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()));
}

/**
 * Closes a store without members. Its slug becomes unguessable, so its address leads nowhere, and its domains are
 * freed; its former slugs stay reserved for two years. It accepts no orders, and its apps are uninstalled. Its data
 * stays. `decisions.md 14.3, 15.7`.
 */
export async function closeStore(write: Write, storeId: string): Promise<void> {
  const { trx, emit } = write;
  const { slug } = (await findStoreForUpdate(trx, storeId))!;
  await emitChanged(write, await markStoreClosed(trx, storeId, `closed-${randomBytes(20).toString('hex')}`));
  await reserveSlugsOfClosedStore(trx, storeId, slug);
  await deleteDomains(trx, storeId);
  await emit(StoreClosed, storeId, {});
}

/** Returns the checkout settings of a store. */
export function getCheckoutSettings(store: StoreRow): CheckoutSettings {
  return {
    maxQuantity: store.max_quantity,
    expireUnpaidAfterMinutes: store.expire_unpaid_after_minutes,
    expireManualAfterDays: store.expire_manual_after_days,
    refundLimitCents: store.refund_limit_cents,
    returnDays: store.return_days,
  };
}

/** Converts a store to the shape that members see, with the requesting member's role. `decisions.md 8.2, 14.3`. */
export function toStore<HeldRole extends Role | null>(
  { sites }: Context['config'],
  row: StoreRow,
  role: HeldRole,
) {
  const url = sites.getAddress(row.slug);
  const [createdAt, updatedAt] = [row.created_at.toISOString(), row.updated_at.toISOString()];
  return { ...toOwnFacts(row), url, checkout: getCheckoutSettings(row), role, createdAt, updatedAt };
}

/** Adds the currency's exponent for clients, which count in minor units: `decisions.md 19.1`. */
export const toOwnFacts = (store: StoreRow) => ({
  ...toFacts(store),
  currencyExponent: currencyExponent(store.currency),
});

/** Returns the facts that other services need: slug and locales for addresses, the currency for prices. */
export function toFacts(store: StoreRow) {
  const { id, name, slug, currency, locales, org_id, favicon_media_id: faviconMediaId } = store;
  return {
    id,
    name,
    slug,
    currency,
    locales,
    isDevelopment: org_id !== null,
    faviconMediaId,
  } satisfies StoreFacts;
}

/** Emits a store's facts and checkout settings. Other services keep copies of them. */
function emitChanged({ emit }: Write, store: StoreRow): Promise<void> {
  const updatedAt = store.updated_at.toISOString();
  const data = { store: { ...toFacts(store), updatedAt }, checkout: getCheckoutSettings(store) };
  return emit(StoreChanged, store.id, data);
}

function checkCurrency(currency: string): void {
  if (isCurrency(currency)) return;
  throw errors.invalid_body({ details: [{ pointer: '/currency', message: 'is not an ISO 4217 currency' }] });
}

/**
 * Checks that the store has a picture with this id. @throws invalid_body if it has none, resource_unavailable if the
 * media service is unreachable
 */
async function checkPicture(peers: Context['peers'], storeId: string, id: string): Promise<void> {
  const found = await peers.call<{ assets: AssetFacts[] }>('media', 'POST', '/internal/assets/lookup', {
    storeId,
    ids: [id],
  });
  if (found?.assets[0]?.kind === 'image') return;
  const message = 'is no picture of the store’s media library';
  throw errors.invalid_body({ details: [{ pointer: '/faviconMediaId', message }] });
}

/**
 * Returns locales in canonical form: `decisions.md 17.6`. @throws invalid_body with a pointer to each tag that is
 * invalid or a repetition
 */
function canonicalLocales(tags: readonly string[]): string[] {
  const locales = tags.map(canonicalLocale);
  const details = locales.flatMap((locale, i): Problem[] => {
    const pointer = `/locales/${i}`;
    if (!locale) return [{ pointer, message: 'is not a BCP 47 tag' }];
    return locales.indexOf(locale) < i ? [{ pointer, message: 'appears twice' }] : [];
  });
  if (details.length > 0) throw errors.invalid_body({ details });
  return locales as string[];
}
