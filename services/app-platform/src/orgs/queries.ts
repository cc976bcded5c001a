import { byTime, type PageQuery, parsePage, readList } from '@waybill/kernel';
import { type ExpressionBuilder, type Kysely, type Selectable, sql } from 'kysely';
import type { Tables } from '../tables.ts';
import type { OrgRole } from './routes.ts';

type Db = Kysely<Tables>;

export type OrgRow = Selectable<Tables['organisation']>;
export type OrgMemberRow = Selectable<Tables['org_member']>;

export function insertOrg(db: Db, org: { id: string; name: string }): Promise<OrgRow> {
  return db.insertInto('organisation').values(org).returningAll().executeTakeFirstOrThrow();
}

/** Returns the organisation with the user's role in it; undefined also when the user is not a member. */
export function findOrgOfMember(db: Db, orgId: string, userId: string) {
  return selectOrgsOfMember(db, userId).where('organisation.id', '=', orgId).executeTakeFirst();
}

/**
 * Returns a page of a user's organisations, oldest first.
 * @throws invalid_cursor
 */
export function listOrgsOfMember(db: Db, userId: string, query: PageQuery) {
  const memberships = db.selectFrom('org_member').where('user_id', '=', userId);
  const page = parsePage('orgs', [userId], query, byTime('asc', 'organisation'));
  return readList(selectOrgsOfMember(db, userId), memberships, page);
}

/**
 * Returns organisations of a user with the user's role in each, oldest first. Reads across all organisations on
 * purpose.
 */
export function listSomeOrgs(
  db: Db,
  userId: string,
  limit: number,
): Promise<{ id: string; name: string; role: OrgRole }[]> {
  const memberships = db
    .selectFrom('org_member')
    .select(['org_id', 'role'])
    .where('user_id', '=', userId)
    .orderBy('org_id')
    .limit(limit);
  return db
    .selectFrom(memberships.as('some'))
    .innerJoin('organisation', 'organisation.id', 'some.org_id')
    .select(['organisation.id', 'organisation.name', 'some.role'])
    .orderBy('organisation.id')
    .execute();
}

function selectOrgsOfMember(db: Db, userId: string) {
  return db
    .selectFrom('org_member')
    .innerJoin('organisation', 'organisation.id', 'org_member.org_id')
    .selectAll('organisation')
    .select('org_member.role')
    .where('org_member.user_id', '=', userId);
}

/** Whether a user owns at least `orgs` organisations. Concurrent creations by one user happen one after the other. */
export async function hasReachedOrgLimit(trx: Db, userId: string, orgs: number): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${userId}, 0))`.execute(trx);
  const last = await trx
    .selectFrom('org_member')
    .select('org_id')
    .where('user_id', '=', userId)
    .where('role', '=', 'owner')
    .offset(orgs - 1)
    .limit(1)
    .executeTakeFirst();
  return last !== undefined;
}

/**
 * Locks the organisation, so that changes of its members, additions to it and its deletion happen one after the other.
 * Returns false when it no longer exists.
 */
export async function lockOrg(db: Db, orgId: string): Promise<boolean> {
  const rows = await db
    .selectFrom('organisation')
    .select('id')
    .where('id', '=', orgId)
    .forNoKeyUpdate()
    .execute();
  return rows.length > 0;
}

/** Returns the members to inform about an app: the owners, and the given user while still a member; 100 at most. */
export async function listMembersToNotify(db: Db, orgId: string, userId: string | null): Promise<string[]> {
  const rows = await db
    .selectFrom('org_member')
    .select('user_id')
    .where('org_id', '=', orgId)
    .where((eb) => eb.or([eb('role', '=', 'owner'), eb('user_id', '=', userId ?? '')]))
    // The user who submitted comes before the owners, who may be many.
    .orderBy((eb) => eb('user_id', '=', userId ?? ''), 'desc')
    .orderBy('created_at')
    .limit(100)
    .execute();
  return rows.map(({ user_id }) => user_id);
}

/** Returns the name of an organisation. */
export async function findOrgName(db: Db, orgId: string): Promise<string> {
  const { name } = await db
    .selectFrom('organisation')
    .select('name')
    .where('id', '=', orgId)
    .executeTakeFirstOrThrow();
  return name;
}

/** Returns the user's role; undefined for a non-member. */
export async function findOrgRole(db: Db, orgId: string, userId: string): Promise<OrgRole | undefined> {
  return (await findOrgMember(db, orgId, userId))?.role;
}

export function findOrgMember(db: Db, orgId: string, userId: string): Promise<OrgMemberRow | undefined> {
  return db
    .selectFrom('org_member')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
}

/**
 * Returns a page of an organisation's members, in the order in which they joined.
 * @throws invalid_cursor
 */
export function listOrgMembers(db: Db, orgId: string, query: PageQuery) {
  const ofOrg = db.selectFrom('org_member').where('org_id', '=', orgId);
  const page = parsePage('org-members', [orgId], query, byTime('asc', 'org_member', 'user_id'));
  return readList(ofOrg.selectAll(), ofOrg, page);
}

/** Adds a member and returns the row; undefined when the user is a member already. */
export function insertOrgMember(
  db: Db,
  orgId: string,
  member: { user_id: string; email: string; role: OrgRole },
): Promise<OrgMemberRow | undefined> {
  return db
    .insertInto('org_member')
    .values({ org_id: orgId, ...member })
    .onConflict((conflict) => conflict.columns(['org_id', 'user_id']).doNothing())
    .returningAll()
    .executeTakeFirst();
}

/** Whether the organisation has an owner besides this user. */
export async function hasOtherOwner(db: Db, orgId: string, userId: string): Promise<boolean> {
  const other = await db
    .selectFrom('org_member')
    .select('user_id')
    .where('org_id', '=', orgId)
    .where('role', '=', 'owner')
    .where('user_id', '<>', userId)
    .limit(1)
    .executeTakeFirst();
  return other !== undefined;
}

/** Returns the organisations with other members of which the user is the only owner; 100 at most. */
export async function listSoleOwnerships(db: Db, userId: string): Promise<string[]> {
  const others = (eb: ExpressionBuilder<Tables & { own: Tables['org_member'] }, 'own'>) =>
    eb
      .selectFrom('org_member as other')
      .select('other.user_id')
      .whereRef('other.org_id', '=', 'own.org_id')
      .whereRef('other.user_id', '<>', 'own.user_id');
  const rows = await db
    .selectFrom('org_member as own')
    .select('own.org_id')
    .where('own.user_id', '=', userId)
    .where('own.role', '=', 'owner')
    .where((eb) => eb.exists(others(eb)))
    .where((eb) => eb.not(eb.exists(others(eb).where('other.role', '=', 'owner'))))
    .orderBy('own.org_id')
    .limit(100)
    .execute();
  return rows.map(({ org_id }) => org_id);
}

/** Removes a user from all organisations, and returns their ids. Writes across all organisations on purpose. */
export async function deleteUserMemberships(db: Db, userId: string): Promise<string[]> {
  const rows = await db.deleteFrom('org_member').where('user_id', '=', userId).returning('org_id').execute();
  return rows.map(({ org_id }) => org_id);
}

export function updateOrgRole(db: Db, orgId: string, userId: string, role: OrgRole): Promise<OrgMemberRow> {
  return db
    .updateTable('org_member')
    .set({ role })
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function deleteOrgMember(db: Db, orgId: string, userId: string): Promise<void> {
  await db.deleteFrom('org_member').where('org_id', '=', orgId).where('user_id', '=', userId).execute();
}

export async function countOrgMembers(db: Db, orgId: string): Promise<number> {
  const { total } = await db
    .selectFrom('org_member')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('org_id', '=', orgId)
    .executeTakeFirstOrThrow();
  return total;
}
