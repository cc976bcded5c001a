import type { Role } from '@waybill/contracts';
import { byTime, type PageQuery, parsePage, readList } from '@waybill/kernel';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;

function withUsers(db: Db, storeId: string) {
  return db
    .selectFrom('member')
    .innerJoin('user_account', 'user_account.id', 'member.user_id')
    .select(['user_account.id as userId', 'user_account.email', 'user_account.name', 'member.role'])
    .where('member.store_id', '=', storeId);
}

export function findMember(db: Db, storeId: string, userId: string) {
  return withUsers(db, storeId).where('member.user_id', '=', userId).executeTakeFirst();
}

/** Returns the user's role in the store, or undefined if the user is no member. */
export async function findRole(db: Db, storeId: string, userId: string): Promise<Role | undefined> {
  const row = await db
    .selectFrom('member')
    .select('role')
    .where('store_id', '=', storeId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row?.role;
}

/**
 * Lists a store's members in the order in which they joined.
 * @throws invalid_cursor
 */
export async function listMembers(db: Db, storeId: string, query: PageQuery) {
  const ofStore = db.selectFrom('member').where('member.store_id', '=', storeId);
  const page = parsePage('members', [storeId], query, byTime('asc', 'member', 'user_id'));
  const { rows, ...list } = await readList(withUsers(db, storeId), ofStore, page);
  return { members: rows, ...list };
}

/** Returns the user ids of at most two of the store's owners, which is enough to recognise the last one. */
export async function listSomeOwners(db: Db, storeId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('member')
    .select('user_id')
    .where('store_id', '=', storeId)
    .where('role', '=', 'owner')
    .limit(2)
    .execute();
  return rows.map(({ user_id }) => user_id);
}

/** A store as seen by one of its members. */
export interface Membership {
  storeId: string;
  /** Whether the store has no other member. */
  isAlone: boolean;
  /** Whether this member is the store's only owner. */
  isLastOwner: boolean;
}

/**
 * Lists a user's stores, across all stores by design, and locks them, so that the result holds until the transaction
 * ends.
 */
export async function listMembershipsForUpdate(db: Db, userId: string): Promise<Membership[]> {
  await sql`
    select from store where id in (select store_id from member where user_id = ${userId})
    order by id for no key update`.execute(db);
  // A separate statement sees the changes that were committed while the lock waited.
  const { rows } = await sql<Membership>`
    select store_id as "storeId",
      not exists (select from member other where other.store_id = own.store_id and other.user_id <> own.user_id) as "isAlone",
      role = 'owner' and not exists (
        select from member other
        where other.store_id = own.store_id and other.user_id <> own.user_id and other.role = 'owner'
      ) as "isLastOwner"
    from member own where user_id = ${userId} order by store_id`.execute(db);
  return rows;
}

export async function updateRole(db: Db, storeId: string, userId: string, role: Role): Promise<void> {
  await db
    .updateTable('member')
    .set({ role })
    .where('store_id', '=', storeId)
    .where('user_id', '=', userId)
    .execute();
}

export async function deleteMember(db: Db, storeId: string, userId: string): Promise<void> {
  await db.deleteFrom('member').where('store_id', '=', storeId).where('user_id', '=', userId).execute();
}

export async function countMembers(db: Db, storeId: string): Promise<number> {
  const { count } = await db
    .selectFrom('member')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('store_id', '=', storeId)
    .executeTakeFirstOrThrow();
  return count;
}
