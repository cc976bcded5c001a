import { AppDataChanged, type EventMessage, type ProductFacts } from '@waybill/contracts';
import { claimNewEvents } from '@waybill/kernel';
import type { Transaction } from 'kysely';
import type { Context, Write } from '../config.ts';
import { errors } from '../errors.ts';
import { lockInstall } from '../installs/queries.ts';
import type { Tables } from '../tables.ts';
import {
  type AppDataKey,
  type AppDataRow,
  countAppData,
  deleteRow,
  deleteRowsOfProducts,
  findAppData,
  insertAppData,
  insertDeletedProducts,
  isDeletedProduct,
  lockInstallsOfStores,
  updateAppData,
} from './queries.ts';
import { type AppDataInput, keyPattern } from './routes.ts';

type Trx = Transaction<Tables>;

const maxValueBytes = 8 * 1024;
const maxValues = 500;

/**
 * Checks an input and returns the name of the value that it sets. Asks catalog about a product (`decisions.md 7.1`).
 * @throws invalid_body, invalid_owner, not_found
 */
export async function checkInput(
  { peers }: Pick<Context, 'peers'>,
  storeId: string,
  appId: string,
  { key, value, owner, ownerId }: AppDataInput,
): Promise<AppDataKey> {
  const name: AppDataKey = { appId, key, ...parseOwner(owner, ownerId) };
  if (Buffer.byteLength(value) > maxValueBytes) {
    throw errors.invalid_body({ details: [{ pointer: '/value', message: 'is larger than 8 KiB' }] });
  }
  if (name.owner === 'product') await checkProduct(peers, storeId, name.ownerId);
  return name;
}

/**
 * Sets one of an app's values. Writes nothing when the value is the same (`decisions.md 7.1`).
 * @throws not_found, too_many_keys
 */
export async function setAppData(
  write: Write,
  storeId: string,
  name: AppDataKey,
  value: string,
): Promise<AppDataRow> {
  const { trx } = write;
  const updated = await updateAppData(trx, storeId, name, value);
  const existing = updated ? undefined : await findAppData(trx, storeId, name);
  // Another request may have changed the value since the update found nothing to change.
  if (existing?.value === value) return existing;
  const row = updated ?? (await addAppData(trx, storeId, name, value));
  await emitChange(write, storeId, name);
  return row;
}

/** Adds a value under the install's lock, so that the limit holds for concurrent requests too. */
async function addAppData(trx: Trx, storeId: string, name: AppDataKey, value: string): Promise<AppDataRow> {
  if (!(await lockInstall(trx, storeId, name.appId))) throw errors.not_found();
  // The product existed a moment ago, but its deletion may have been received since.
  if (await isDeletedProduct(trx, storeId, name.ownerId))
    throw errors.not_found({ message: 'The store has no such product.' });
  // Another request may have added the same value while this one waited.
  const existing = await findAppData(trx, storeId, name);
  if (!existing && (await countAppData(trx, storeId, name.appId)) >= maxValues) throw errors.too_many_keys();
  return insertAppData(trx, storeId, name, value);
}

/**
 * Returns the owner of the value. Throws `invalid_owner`, also for an id without an owner, so that a value meant for a
 * product does not change the site's.
 */
function parseOwner(
  owner: string | undefined,
  ownerId: string | null | undefined,
): Pick<AppDataKey, 'owner' | 'ownerId'> {
  if (owner === undefined && ownerId)
    throw errors.invalid_owner({ message: 'An ownerId needs owner: "product" beside it.' });
  if (owner === undefined || owner === 'site') return { owner: 'site', ownerId: '' };
  if (owner !== 'product') throw errors.invalid_owner();
  if (!ownerId?.startsWith('prd_')) {
    throw errors.invalid_owner({ message: 'A value of a product needs the id of the product as ownerId.' });
  }
  return { owner, ownerId };
}

/** Throws `not_found` for a product that the store does not have. */
async function checkProduct(peers: Context['peers'], storeId: string, productId: string): Promise<void> {
  const body = { storeId, ids: [productId] };
  const found = await peers.call<{ products: ProductFacts[] }>(
    'catalog',
    'POST',
    '/internal/products/lookup',
    body,
  );
  if (!found?.products.length) throw errors.not_found({ message: 'The store has no such product.' });
}

/**
 * Returns the name of the value that a path and its query select. Throws `invalid_owner`, and `not_found` for an
 * impossible key.
 */
function parseName(
  appId: string,
  key: string,
  { owner, ownerId }: { owner?: string; ownerId?: string },
): AppDataKey {
  const name: AppDataKey = { appId, key, ...parseOwner(owner, ownerId) };
  if (!new RegExp(keyPattern).test(key)) throw createNotFoundError();
  return name;
}
const createNotFoundError = () => errors.not_found({ message: 'The app has no such value.' });

/**
 * Returns one of an app's values (`decisions.md 11.1`).
 * @throws not_found, invalid_owner
 */
export async function readAppData(
  { db }: Pick<Context, 'db'>,
  storeId: string,
  appId: string,
  key: string,
  owner: { owner?: string; ownerId?: string },
): Promise<AppDataRow> {
  const row = await findAppData(db, storeId, parseName(appId, key, owner));
  if (!row) throw createNotFoundError();
  return row;
}

/**
 * Deletes one of an app's values (`decisions.md 7.1`).
 * @throws not_found, invalid_owner
 */
export async function deleteAppData(
  write: Write,
  storeId: string,
  appId: string,
  key: string,
  owner: { owner?: string; ownerId?: string },
): Promise<void> {
  const name = parseName(appId, key, owner);
  if (!(await deleteRow(write.trx, storeId, name))) throw createNotFoundError();
  await emitChange(write, storeId, name);
}

/**
 * Removes the values of deleted products. A concurrent write that has already looked up its product either holds the
 * install's lock until its commit, or finds the record of the deletion.
 */
export function deleteProductData(context: Context, events: readonly EventMessage[]): Promise<void> {
  return context.write(async (write) => {
    const { trx } = write;
    const newEvents = await claimNewEvents(trx, 'app-platform.products', events);
    if (newEvents.length === 0) return;
    const storesWithApps = await lockInstallsOfStores(trx, [
      ...new Set(newEvents.map(({ storeId }) => storeId)),
    ]);
    const products = newEvents
      .filter(({ storeId }) => storesWithApps.has(storeId))
      .map(({ storeId, data }) => ({ storeId, productId: JSON.parse(data).product.id as string }));
    if (products.length === 0) return;
    await insertDeletedProducts(trx, products);
    for (const { store_id, ...row } of await deleteRowsOfProducts(trx, products)) {
      const { app_id, key, owner, owner_id } = row;
      await emitChange(write, store_id, { appId: app_id, key, owner, ownerId: owner_id });
    }
  });
}

function emitChange(
  { emit }: Write,
  storeId: string,
  { appId, key, owner, ownerId }: AppDataKey,
): Promise<void> {
  return emit(AppDataChanged, storeId, { appId, key, owner, ownerId: ownerId || null });
}
