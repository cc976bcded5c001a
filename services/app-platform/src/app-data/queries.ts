import type { AppDataFact, AppDataName } from '@waybill/contracts';
import {
  addInterval,
  type Columns,
  deleteBatch,
  isDistributed,
  type Order,
  parsePage,
  prepare,
  readList,
} from '@waybill/kernel';
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import { isAvailable } from '../apps/queries.ts';
import type { Tables } from '../tables.ts';
import type { ListQuery, Owner } from './routes.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

export type AppDataRow = Selectable<Tables['app_data']>;

/** The fields that identify a value within a store. */
export interface AppDataKey {
  appId: string;
  key: string;
  owner: Owner;
  /** Empty for values of the site. */
  ownerId: string;
}

const named = 'store_id = $1 and app_id = $2 and key = $3 and owner = $4 and owner_id = $5';
const values = (storeId: string, { appId, key, owner, ownerId }: AppDataKey) => [
  storeId,
  appId,
  key,
  owner,
  ownerId,
];

const find = prepare<AppDataRow>('app-data-find', `select * from app_data where ${named}`);

export async function findAppData(
  db: Db,
  storeId: string,
  name: AppDataKey,
): Promise<AppDataRow | undefined> {
  return (await db.executeQuery(find(values(storeId, name)))).rows[0];
}

/** The same rule as `changedAt`, in SQL. */
const changed = `greatest($7, ${addInterval('app_data.updated_at', '1 millisecond')})`;
const update = prepare<AppDataRow>(
  'app-data-update',
  `update app_data set value = $6, updated_at = ${changed} where ${named} and value <> $6 returning *`,
);

/** Updates a value and returns the row; undefined when there is none, or it has that value already. */
export async function updateAppData(
  trx: Trx,
  storeId: string,
  name: AppDataKey,
  value: string,
): Promise<AppDataRow | undefined> {
  return (await trx.executeQuery(update([...values(storeId, name), value, new Date()]))).rows[0];
}

const insert = prepare<AppDataRow>(
  'app-data-insert',
  `insert into app_data (store_id, app_id, key, owner, owner_id, value) values ($1, $2, $3, $4, $5, $6)
   on conflict (store_id, app_id, key, owner, owner_id) do update set value = $6, updated_at = ${changed} returning *`,
);

export async function insertAppData(
  trx: Trx,
  storeId: string,
  name: AppDataKey,
  value: string,
): Promise<AppDataRow> {
  return (await trx.executeQuery(insert([...values(storeId, name), value, new Date()]))).rows[0]!;
}

/** Deletes a value. Returns whether it existed. */
export async function deleteRow(
  trx: Trx,
  storeId: string,
  { appId, key, owner, ownerId }: AppDataKey,
): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('app_data')
    .where('store_id', '=', storeId)
    .where('app_id', '=', appId)
    .where('key', '=', key)
    .where('owner', '=', owner)
    .where('owner_id', '=', ownerId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Returns the number of values that an app keeps in the store. */
export async function countAppData(db: Db, storeId: string, appId: string): Promise<number> {
  const { total } = await db
    .selectFrom('app_data')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('store_id', '=', storeId)
    .where('app_id', '=', appId)
    .executeTakeFirstOrThrow();
  return total;
}

const byName: Order = [
  { column: 'key', type: 'text', dir: 'asc' },
  { column: 'owner', type: 'text', dir: 'desc' },
  { column: 'owner_id', type: 'text', dir: 'asc' },
];

/**
 * Returns a page of an app's values in the store, by key and owner, and their total number. An empty filter is ignored.
 * @throws invalid_cursor
 */
export function listAppData(db: Db, storeId: string, appId: string, query: ListQuery) {
  const { key, owner, ownerId } = query;
  const all = db
    .selectFrom('app_data')
    .where('store_id', '=', storeId)
    .where('app_id', '=', appId)
    .$if(!!key, (rows) => rows.where('key', '=', key!))
    .$if(owner !== undefined, (rows) => rows.where('owner', '=', owner!))
    .$if(!!ownerId, (rows) => rows.where('owner_id', '=', ownerId!));
  return readList(all.selectAll(), all, parsePage('app-data', [storeId, appId], query, byName));
}

/** Returns the values of these names, if they exist and their app is available in the store. */
export async function lookUpAppData(
  db: Db,
  storeId: string,
  names: readonly AppDataName[],
): Promise<AppDataFact[]> {
  const column = <Key extends keyof AppDataName>(key: Key) => names.map((name) => name[key] ?? '');
  const { rows } = await sql<
    AppDataFact & Columns<AppDataRow, { appId: 'app_id'; key: 'key'; owner: 'owner'; value: 'value' }>
  >`
    select data.app_id as "appId", data.key, data.owner, nullif(data.owner_id, '') as "ownerId", data.value
    from (select distinct * from unnest(${column('appId')}::text[], ${column('key')}::text[],
      ${column('owner')}::text[], ${column('ownerId')}::text[]) as name (app_id, key, owner, owner_id)) name
    join install on install.store_id = ${storeId} and install.app_id = name.app_id
    join app on app.id = install.app_id and ${sql.raw(isAvailable)}
    join app_data data on data.store_id = install.store_id and data.app_id = name.app_id and data.key = name.key
      and data.owner = name.owner and data.owner_id = name.owner_id`.execute(db);
  return rows;
}

/** Locks every install of these stores, which delays new values, and returns the stores that have any. */
export async function lockInstallsOfStores(trx: Trx, storeIds: string[]): Promise<ReadonlySet<string>> {
  const lock = (among: readonly string[]) =>
    trx
      .selectFrom('install')
      .select('store_id')
      .where('store_id', 'in', among)
      .orderBy('store_id')
      .orderBy('id')
      .forNoKeyUpdate()
      .execute();
  // Stores on different servers are locked one by one, in the order that every other lock uses.
  const groups = isDistributed(trx) ? storeIds.toSorted().map((storeId) => [storeId]) : [storeIds];
  const locked = new Set<string>();
  for (const group of groups) for (const { store_id } of await lock(group)) locked.add(store_id);
  return locked;
}

interface StoreProduct {
  storeId: string;
  productId: string;
}

export async function insertDeletedProducts(trx: Trx, products: readonly StoreProduct[]): Promise<void> {
  await trx
    .insertInto('deleted_product')
    .values(products.map(({ storeId, productId }) => ({ store_id: storeId, product_id: productId })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function isDeletedProduct(db: Db, storeId: string, productId: string): Promise<boolean> {
  const row = await db
    .selectFrom('deleted_product')
    .select('product_id')
    .where('store_id', '=', storeId)
    .where('product_id', '=', productId)
    .executeTakeFirst();
  return row !== undefined;
}

/** Deletes the values of these products and returns the rows without the values themselves. */
export function deleteRowsOfProducts(trx: Trx, products: readonly StoreProduct[]) {
  return trx
    .deleteFrom('app_data')
    .where('owner', '=', 'product')
    .where((eb) =>
      eb(
        eb.refTuple('store_id', 'owner_id'),
        'in',
        products.map(({ storeId, productId }) => eb.tuple(storeId, productId)),
      ),
    )
    .returning(['store_id', 'app_id', 'key', 'owner', 'owner_id'])
    .execute();
}

/** Deletes records of deletions that no write can still have missed. Returns true when there may be more. */
export const deleteOldDeletedProducts = (db: Db): Promise<boolean> =>
  deleteBatch(db, 'deleted_product', sql`deleted_at < now() - interval '1 hour'`, 5_000);
