import type { Role } from '@waybill/contracts';
import { byTime, changedAt, type PageQuery, parsePage, prepare, readList } from '@waybill/kernel';
import { type Insertable, type Kysely, type Selectable, sql } from 'kysely';
import { listClaimedSlugs } from '../former-addresses/queries.ts';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;

export type StoreRow = Selectable<Tables['store']>;
export type StoreFields = Omit<StoreRow, 'id' | 'created_at' | 'updated_at' | 'closed_at' | 'org_id'>;

/** Inserts a store. Returns undefined if the slug is taken, even by a transaction that has just committed. */
export function insertStore(db: Db, store: Insertable<Tables['store']>): Promise<StoreRow | undefined> {
  return db
    .insertInto('store')
    .values(store)
    .onConflict((conflict) => conflict.constraint('store_slug_key').doNothing())
    .returningAll()
    .executeTakeFirst();
}

/** Deletes a store that this transaction has just created. */
export async function deleteFreshStore(db: Db, storeId: string): Promise<void> {
  await db.deleteFrom('store').where('id', '=', storeId).execute();
}

/**
 * All columns of a store. A prepared statement names them: with `*`, it would fail on every open connection once a
 * migration adds one.
 */
const columns = Object.keys({
  id: true,
  name: true,
  slug: true,
  currency: true,
  created_at: true,
  updated_at: true,
  max_quantity: true,
  expire_unpaid_after_minutes: true,
  locales: true,
  closed_at: true,
  org_id: true,
  favicon_media_id: true,
  expire_manual_after_days: true,
  refund_limit_cents: true,
  return_days: true,
} satisfies Record<keyof StoreRow, true>).join(', ');

const selectStore = prepare<StoreRow, { storeId: string }>(
  'store-find',
  ($) => `select ${columns} from store where id = ${$.storeId}`,
);

const selectOpenStores = prepare<StoreRow, { storeIds: readonly string[] }>(
  'stores-open',
  ($) => `select ${columns} from store where id = any(${$.storeIds}::text[]) and closed_at is null`,
);

/** Finds a store, also a closed one. */
export async function findStore(db: Db, storeId: string): Promise<StoreRow | undefined> {
  const { rows } = await db.executeQuery(selectStore({ storeId }));
  return rows[0];
}

/** Lists the open ones of the given stores. */
export async function listOpenStores(db: Db, storeIds: readonly string[]): Promise<StoreRow[]> {
  return (await db.executeQuery(selectOpenStores({ storeIds }))).rows;
}

/** Finds a store by its slug, which is unique across all stores. */
export function findStoreBySlug(db: Db, slug: string): Promise<StoreRow | undefined> {
  return db.selectFrom('store').selectAll().where('slug', '=', slug).executeTakeFirst();
}

/** Finds a store and locks it, so that changes of the store and its members run one after the other. */
export function findStoreForUpdate(db: Db, storeId: string): Promise<StoreRow | undefined> {
  return db.selectFrom('store').selectAll().where('id', '=', storeId).forNoKeyUpdate().executeTakeFirst();
}

export function updateStore(db: Db, storeId: string, fields: StoreFields): Promise<StoreRow> {
  return db
    .updateTable('store')
    .set({ ...fields, updated_at: changedAt(new Date()) })
    .where('id', '=', storeId)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Marks a store as closed, under another slug. */
export function markStoreClosed(db: Db, storeId: string, slug: string): Promise<StoreRow> {
  const now = changedAt(new Date());
  return db
    .updateTable('store')
    .set({ slug, closed_at: now, updated_at: now })
    .where('id', '=', storeId)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Frees the hostnames of a store that closes. */
export async function deleteDomains(db: Db, storeId: string): Promise<void> {
  await db.deleteFrom('domain').where('store_id', '=', storeId).execute();
}

/** Returns which of the given slugs are in use or reserved by any store. */
export async function listTakenSlugs(db: Db, slugs: string[]): Promise<ReadonlySet<string>> {
  const rows = await db.selectFrom('store').select('slug').where('slug', 'in', slugs).execute();
  return new Set([...rows.map(({ slug }) => slug), ...(await listClaimedSlugs(db, slugs))]);
}

/**
 * Lists the stores of one user, across all stores by design.
 * @throws invalid_cursor
 */
export function listStoresOfUser(db: Db, userId: string, query: PageQuery) {
  const ofUser = db
    .selectFrom('member')
    .innerJoin('store', 'store.id', 'member.store_id')
    .where('member.user_id', '=', userId);
  const page = parsePage('stores', [userId], query, byTime('asc', 'store'));
  return readList(ofUser.selectAll('store').select('member.role'), ofUser, page);
}

/**
 * Whether a user owns the given number of stores, across all stores by design. Lets the user create no other store
 * until the transaction ends.
 */
export async function hasReachedStoreLimit(db: Db, userId: string, stores: number): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${userId}, 0))`.execute(db);
  const last = await db
    .selectFrom('member')
    .select('store_id')
    .where('user_id', '=', userId)
    .where('role', '=', 'owner')
    .offset(stores - 1)
    .limit(1)
    .executeTakeFirst();
  return last !== undefined;
}

/** Lists a user's oldest stores with the user's role, across all stores by design. */
export function listSomeStores(
  db: Db,
  userId: string,
  limit: number,
): Promise<(Pick<StoreRow, 'id' | 'name' | 'slug' | 'org_id'> & { role: Role })[]> {
  const memberships = db
    .selectFrom('member')
    .select(['store_id', 'role'])
    .where('user_id', '=', userId)
    .orderBy('store_id')
    .limit(limit);
  return db
    .selectFrom(memberships.as('some'))
    .innerJoin('store', 'store.id', 'some.store_id')
    .select(['store.id', 'store.name', 'store.slug', 'store.org_id', 'some.role'])
    .orderBy('store.id')
    .execute();
}

/** Makes a user a member of a store. Returns false if the user already is one. */
export async function insertMember(
  db: Db,
  storeId: string,
  member: { user_id: string; role: Role },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('member')
    .values({ store_id: storeId, ...member })
    .onConflict((conflict) => conflict.columns(['store_id', 'user_id']).doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}
