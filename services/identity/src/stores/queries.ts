import type { Role } from '@waybill/contracts';
import { type Kysely, type Selectable, sql } from 'kysely';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;

export type StoreRow = Selectable<Tables['store']>;
type StoreFields = Pick<StoreRow, 'id' | 'name' | 'slug' | 'currency'> & Partial<Pick<StoreRow, 'locales'>>;

/** The new row; undefined when the slug is taken, also by a transaction that has committed in the meantime. */
export function insertStore(db: Db, store: StoreFields): Promise<StoreRow | undefined> {
  return db
    .insertInto('store')
    .values(store)
    .onConflict((conflict) => conflict.constraint('store_slug_key').doNothing())
    .returningAll()
    .executeTakeFirst();
}

export function findStore(db: Db, storeId: string): Promise<StoreRow | undefined> {
  return db.selectFrom('store').selectAll().where('id', '=', storeId).executeTakeFirst();
}

/** The directory's other way round: a slug names one store of all. */
export function findStoreBySlug(db: Db, slug: string): Promise<StoreRow | undefined> {
  return db.selectFrom('store').selectAll().where('slug', '=', slug).executeTakeFirst();
}

/** Locks the store: changes of one store, and of who is in it, go one after the other. */
export function findStoreForUpdate(db: Db, storeId: string): Promise<StoreRow | undefined> {
  return db.selectFrom('store').selectAll().where('id', '=', storeId).forNoKeyUpdate().executeTakeFirst();
}

export function updateStore(
  db: Db,
  storeId: string,
  change: Partial<Omit<StoreFields, 'id'>>,
): Promise<StoreRow> {
  return db
    .updateTable('store')
    .set({ ...change, updated_at: sql<Date>`now()` })
    .where('id', '=', storeId)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Which of these slugs are taken, by any store. */
export async function listTakenSlugs(db: Db, slugs: string[]): Promise<ReadonlySet<string>> {
  const rows = await db.selectFrom('store').select('slug').where('slug', 'in', slugs).execute();
  return new Set(rows.map(({ slug }) => slug));
}

/** The stores of one user, over all stores by nature. */
export async function listStoresOfUser(
  db: Db,
  userId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: (StoreRow & { role: Role })[]; total: number }> {
  const ofUser = db
    .selectFrom('member')
    .innerJoin('store', 'store.id', 'member.store_id')
    .where('member.user_id', '=', userId);
  const [rows, { total }] = await Promise.all([
    ofUser
      .selectAll('store')
      .select('member.role')
      .orderBy('store.created_at')
      .orderBy('store.id')
      .limit(limit)
      .offset(offset)
      .execute(),
    ofUser.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ]);
  return { rows, total };
}
