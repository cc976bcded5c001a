import type { Role } from '@waybill/contracts';
import { byTime, changedAt, type PageQuery, pageOf, readList } from '@waybill/kernel';
import { type Insertable, type Kysely, type Selectable, sql } from 'kysely';
import { listClaimedSlugs } from '../former-addresses/queries.ts';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;

export type StoreRow = Selectable<Tables['store']>;
export type StoreFields = Omit<StoreRow, 'id' | 'created_at' | 'updated_at' | 'closed_at' | 'org_id'>;

/** The new row; undefined when the slug is taken, also by a transaction that has committed in the meantime. */
export function insertStore(db: Db, store: Insertable<Tables['store']>): Promise<StoreRow | undefined> {
  return db
    .insertInto('store')
    .values(store)
    .onConflict((conflict) => conflict.constraint('store_slug_key').doNothing())
    .returningAll()
    .executeTakeFirst();
}

/** Takes back a store that this transaction has just made. */
export async function deleteFreshStore(db: Db, storeId: string): Promise<void> {
  await db.deleteFrom('store').where('id', '=', storeId).execute();
}

export function findStore(db: Db, storeId: string): Promise<StoreRow | undefined> {
  return db.selectFrom('store').selectAll().where('id', '=', storeId).executeTakeFirst();
}

/** Those of these stores that are open. */
export function listOpenStores(db: Db, storeIds: readonly string[]): Promise<StoreRow[]> {
  return db
    .selectFrom('store')
    .selectAll()
    .where('id', '=', sql<string>`any(${storeIds}::text[])`)
    .where('closed_at', 'is', null)
    .execute();
}

/** The directory's other way round: a slug names one store of all. */
export function findStoreBySlug(db: Db, slug: string): Promise<StoreRow | undefined> {
  return db.selectFrom('store').selectAll().where('slug', '=', slug).executeTakeFirst();
}

/** Locks the store: changes of one store, and of who is in it, go one after the other. */
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

/** Takes a store out of service, under another slug. */
export function updateAsClosed(db: Db, storeId: string, slug: string): Promise<StoreRow> {
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

/** Which of these slugs are taken, or kept, by any store. */
export async function listTakenSlugs(db: Db, slugs: string[]): Promise<ReadonlySet<string>> {
  const rows = await db.selectFrom('store').select('slug').where('slug', 'in', slugs).execute();
  return new Set([...rows.map(({ slug }) => slug), ...(await listClaimedSlugs(db, slugs))]);
}

/**
 * The stores of one user, over all stores by nature.
 * @throws invalid_cursor
 */
export function listStoresOfUser(db: Db, userId: string, query: PageQuery) {
  const ofUser = db
    .selectFrom('member')
    .innerJoin('store', 'store.id', 'member.store_id')
    .where('member.user_id', '=', userId);
  const page = pageOf('stores', [userId], query, byTime('asc', 'store'));
  return readList(ofUser.selectAll('store').select('member.role'), ofUser, page);
}

/** Whether a user owns so many stores, over all by nature; nobody makes another for it until the transaction ends. */
export async function ownsLocked(db: Db, userId: string, stores: number): Promise<boolean> {
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

/** Stores of a user with the role there, those that were made first; over all of them by nature. */
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

/** Makes a user a member of a store; false: it is one already. */
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
