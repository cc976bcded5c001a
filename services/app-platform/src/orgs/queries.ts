import { byTime, type PageQuery, pageOf, readList } from '@waybill/kernel';
import { type ExpressionBuilder, type Kysely, type Selectable, sql } from 'kysely';
import type { Tables } from '../tables.ts';
import type { OrgRole } from './routes.ts';

type Db = Kysely<Tables>;

export type OrgRow = Selectable<Tables['organisation']>;
export type OrgMemberRow = Selectable<Tables['org_member']>;

export function insertOrg(db: Db, org: { id: string; name: string }): Promise<OrgRow> {
  return db.insertInto('organisation').values(org).returningAll().executeTakeFirstOrThrow();
}

/** The organisation with the user's role in it; undefined also where the user is no member. */
export function findOrgOfMember(db: Db, orgId: string, userId: string) {
  return ofMember(db, userId).where('organisation.id', '=', orgId).executeTakeFirst();
}

/**
 * In the order in which they were made.
 * @throws invalid_cursor
 */
export function listOrgsOfMember(db: Db, userId: string, query: PageQuery) {
  const memberships = db.selectFrom('org_member').where('user_id', '=', userId);
  const page = pageOf('orgs', [userId], query, byTime('asc', 'organisation'));
  return readList(ofMember(db, userId), memberships, page);
}

/** Organisations of a user with the role there, those that were made first; over all of them by nature. */
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

function ofMember(db: Db, userId: string) {
  return db
    .selectFrom('org_member')
    .innerJoin('organisation', 'organisation.id', 'org_member.org_id')
    .selectAll('organisation')
    .select('org_member.role')
    .where('org_member.user_id', '=', userId);
}

/** Whether a user owns so many organisations or more; one who makes several at once makes them one after the other. */
export async function ownsOrgsLocked(trx: Db, userId: string, orgs: number): Promise<boolean> {
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
 * Locks the organisation: changes of its members, what it comes to have and its end go one after the other. False: there
 * is no such organisation any more.
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

/** Those who are to know what becomes of an app: the owners, and the given user while a member; 100 at most. */
export async function listConcernedMembers(db: Db, orgId: string, userId: string | null): Promise<string[]> {
  const rows = await db
    .selectFrom('org_member')
    .select('user_id')
    .where('org_id', '=', orgId)
    .where((eb) => eb.or([eb('role', '=', 'owner'), eb('user_id', '=', userId ?? '')]))
    // The one who asked before the many who own.
    .orderBy((eb) => eb('user_id', '=', userId ?? ''), 'desc')
    .orderBy('created_at')
    .limit(100)
    .execute();
  return rows.map(({ user_id }) => user_id);
}

/** The name of an organisation. */
export async function findOrgName(db: Db, orgId: string): Promise<string> {
  const { name } = await db
    .selectFrom('organisation')
    .select('name')
    .where('id', '=', orgId)
    .executeTakeFirstOrThrow();
  return name;
}

/** The user's role; undefined: not a member. */
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
 * In the order in which they joined.
 * @throws invalid_cursor
 */
export function listOrgMembers(db: Db, orgId: string, query: PageQuery) {
  const ofOrg = db.selectFrom('org_member').where('org_id', '=', orgId);
  const page = pageOf('org-members', [orgId], query, byTime('asc', 'org_member', 'user_id'));
  return readList(ofOrg.selectAll(), ofOrg, page);
}

/** The new row; undefined: the user is a member already. */
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

/** Whether the organisation has an owner beside this user. */
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

/** The organisations with other members, of which the user is the only owner; 100 at most. */
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

/** Takes a user out of all organisations; gives their ids. Over all of them by nature. */
export async function deleteMembershipsOf(db: Db, userId: string): Promise<string[]> {
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
