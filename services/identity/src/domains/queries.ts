import { byTime, type PageQuery, parsePage, readList } from '@waybill/kernel';
import { type Kysely, type Selectable, sql } from 'kysely';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;

export type DomainRow = Selectable<Tables['domain']>;

const selectDomains = (db: Db, storeId: string) => db.selectFrom('domain').where('store_id', '=', storeId);

/**
 * Lists a store's domains in the order in which they were added.
 * @throws invalid_cursor
 */
export function listDomains(db: Db, storeId: string, query: PageQuery) {
  const page = parsePage('domains', [storeId], query, byTime('asc', 'domain'));
  return readList(selectDomains(db, storeId).selectAll(), selectDomains(db, storeId), page);
}

export function findDomain(db: Db, storeId: string, id: string): Promise<DomainRow | undefined> {
  return selectDomains(db, storeId).selectAll().where('id', '=', id).executeTakeFirst();
}

export async function countDomains(db: Db, storeId: string): Promise<number> {
  const { count } = await selectDomains(db, storeId)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** Inserts a domain. Returns undefined if the store already has that hostname. */
export function insertDomain(
  db: Db,
  storeId: string,
  domain: Pick<DomainRow, 'id' | 'hostname' | 'token'>,
): Promise<DomainRow | undefined> {
  return db
    .insertInto('domain')
    .values({ store_id: storeId, ...domain })
    .onConflict((conflict) => conflict.columns(['store_id', 'hostname']).doNothing())
    .returningAll()
    .executeTakeFirst();
}

export function deleteDomain(db: Db, storeId: string, id: string): Promise<DomainRow | undefined> {
  return db
    .deleteFrom('domain')
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** Finds the store that uses a hostname, across all stores by design. */
export function findStoreAt(db: Db, hostname: string): Promise<{ id: string; slug: string } | undefined> {
  return db
    .selectFrom('domain')
    .innerJoin('store', 'store.id', 'domain.store_id')
    .select(['store.id', 'store.slug'])
    .where('domain.hostname', '=', hostname)
    .where('domain.state', '=', 'active')
    .executeTakeFirst();
}

/** Leases up to `limit` due domains, across all stores by design. */
export async function claimDomains(db: Db, limit: number, leaseSeconds: number): Promise<DomainRow[]> {
  const { rows } = await sql<DomainRow>`
    update domain set due_at = now() + make_interval(secs => ${leaseSeconds})
    where (store_id, id) in (
      select store_id, id from domain where due_at <= now() order by due_at limit ${limit} for update skip locked
    )
    returning *`.execute(db);
  return rows;
}

/**
 * Stores the outcome of a check. Returns undefined if the domain no longer exists. Fails on `domain_active` if another
 * store uses the name.
 */
export function updateCheckedDomain(
  db: Db,
  { store_id, id }: Pick<DomainRow, 'store_id' | 'id'>,
  { state, misses, dueInSeconds }: Pick<DomainRow, 'state' | 'misses'> & { dueInSeconds: number },
): Promise<DomainRow | undefined> {
  return db
    .updateTable('domain')
    .set({
      state,
      misses,
      // A store's pending names cause at most as many DNS queries as twenty names would, however many it adds.
      due_at: sql<Date>`now() + make_interval(secs => ${dueInSeconds}::float8 * greatest(1, (
        select count(*) from domain waiting where waiting.store_id = ${store_id} and waiting.state = 'pending'
      ) / 20.0))`,
    })
    .where('store_id', '=', store_id)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}
