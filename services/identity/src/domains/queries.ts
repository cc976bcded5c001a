import { byTime, type PageQuery, pageOf, readList } from '@waybill/kernel';
import { type Kysely, type Selectable, sql } from 'kysely';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;

export type DomainRow = Selectable<Tables['domain']>;

const domainsOf = (db: Db, storeId: string) => db.selectFrom('domain').where('store_id', '=', storeId);

/**
 * In the order in which they were added.
 * @throws invalid_cursor
 */
export function listDomains(db: Db, storeId: string, query: PageQuery) {
  const page = pageOf('domains', [storeId], query, byTime('asc', 'domain'));
  return readList(domainsOf(db, storeId).selectAll(), domainsOf(db, storeId), page);
}

export function findDomain(db: Db, storeId: string, id: string): Promise<DomainRow | undefined> {
  return domainsOf(db, storeId).selectAll().where('id', '=', id).executeTakeFirst();
}

export async function countDomains(db: Db, storeId: string): Promise<number> {
  const { count } = await domainsOf(db, storeId)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** The new row; undefined when the store has that hostname already. */
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

/** The directory by hostname, over all stores by nature: the store that is shown there. */
export function findStoreAt(db: Db, hostname: string): Promise<{ id: string; slug: string } | undefined> {
  return db
    .selectFrom('domain')
    .innerJoin('store', 'store.id', 'domain.store_id')
    .select(['store.id', 'store.slug'])
    .where('domain.hostname', '=', hostname)
    .where('domain.state', '=', 'active')
    .executeTakeFirst();
}

/** Leases up to `limit` that are due, of all stores by nature. */
export async function claimDomains(db: Db, limit: number, leaseSeconds: number): Promise<DomainRow[]> {
  const { rows } = await sql<DomainRow>`
    update domain set due_at = now() + make_interval(secs => ${leaseSeconds})
    where (store_id, id) in (
      select store_id, id from domain where due_at <= now() order by due_at limit ${limit} for update skip locked
    )
    returning *`.execute(db);
  return rows;
}

/** What came of a look; undefined: it is gone meanwhile. Fails on `domain_active` where another store has the name. */
export function settleDomain(
  db: Db,
  { store_id, id }: Pick<DomainRow, 'store_id' | 'id'>,
  { state, misses, dueInSeconds }: Pick<DomainRow, 'state' | 'misses'> & { dueInSeconds: number },
): Promise<DomainRow | undefined> {
  return db
    .updateTable('domain')
    .set({
      state,
      misses,
      // Names that wait are asked for as often as twenty would be, however many a store adds.
      due_at: sql<Date>`now() + make_interval(secs => ${dueInSeconds}::float8 * greatest(1, (
        select count(*) from domain waiting where waiting.store_id = ${store_id} and waiting.state = 'pending'
      ) / 20.0))`,
    })
    .where('store_id', '=', store_id)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}
