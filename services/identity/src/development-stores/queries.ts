import { byTime, type PageQuery, parsePage, readList } from '@waybill/kernel';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Tables } from '../tables.ts';

// An organisation's stores are searched across all stores by design.
type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

const selectStores = (db: Db, orgId: string) =>
  db.selectFrom('store').where('store.org_id', '=', orgId).where('store.closed_at', 'is', null);

/**
 * Lists an organisation's stores in the order of creation, each with the role that a user has in it.
 * @throws invalid_cursor
 */
export function listStoresOfOrg(db: Db, orgId: string, userId: string, query: PageQuery) {
  const withRole = selectStores(db, orgId)
    .leftJoin('member', (join) =>
      join.onRef('member.store_id', '=', 'store.id').on('member.user_id', '=', userId),
    )
    .selectAll('store')
    .select('member.role');
  const page = parsePage('org-stores', [orgId], query, byTime('asc', 'store'));
  return readList(withRole, selectStores(db, orgId), page);
}

/** Counts an organisation's stores, and lets nobody create another until the transaction ends. */
export async function countStoresLocked(trx: Trx, orgId: string): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${orgId}, 0))`.execute(trx);
  return countStores(trx, orgId);
}

/** Counts an organisation's stores without a lock. */
export async function countStores(db: Db, orgId: string): Promise<number> {
  const { count } = await selectStores(db, orgId)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** Removes all members of a store. Returns their ids. */
export async function deleteMembers(trx: Trx, storeId: string): Promise<string[]> {
  const rows = await trx.deleteFrom('member').where('store_id', '=', storeId).returning('user_id').execute();
  return rows.map(({ user_id }) => user_id);
}
