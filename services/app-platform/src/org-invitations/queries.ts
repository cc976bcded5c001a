import { byTime, deleteBatch, type PageQuery, parsePage, readList } from '@waybill/kernel';
import { type Kysely, type Selectable, sql } from 'kysely';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;

export type OrgInvitationRow = Selectable<Tables['org_invitation']>;

/** Selects valid invitations, accepted ones included: neither expired, nor sent by a user who is no longer an owner. */
function validInvitations(db: Db, orgId: string) {
  return db
    .selectFrom('org_invitation')
    .innerJoin('org_member', (join) =>
      join
        .onRef('org_member.org_id', '=', 'org_invitation.org_id')
        .onRef('org_member.user_id', '=', 'org_invitation.invited_by'),
    )
    .where('org_invitation.org_id', '=', orgId)
    .where('org_invitation.expires_at', '>', new Date())
    .where('org_member.role', '=', 'owner');
}

const openInvitations = (db: Db, orgId: string) =>
  validInvitations(db, orgId).where('org_invitation.accepted_by', 'is', null);

/**
 * Returns a page of the open invitations, oldest first.
 * @throws invalid_cursor
 */
export function listOrgInvitations(db: Db, orgId: string, query: PageQuery) {
  const ofOrg = openInvitations(db, orgId);
  const page = parsePage('org-invitations', [orgId], query, byTime('asc', 'org_invitation'));
  return readList(ofOrg.selectAll('org_invitation'), ofOrg, page);
}

/** Returns an open invitation. */
export function findOpenOrgInvitation(
  db: Db,
  orgId: string,
  id: string,
): Promise<OrgInvitationRow | undefined> {
  return openInvitations(db, orgId)
    .selectAll('org_invitation')
    .where('org_invitation.id', '=', id)
    .executeTakeFirst();
}

/** Returns a valid invitation, accepted or not. */
export function findOrgInvitation(db: Db, orgId: string, id: string): Promise<OrgInvitationRow | undefined> {
  return validInvitations(db, orgId)
    .selectAll('org_invitation')
    .where('org_invitation.id', '=', id)
    .executeTakeFirst();
}

/** Returns the number of open invitations, except the one to this address. */
export async function countOtherOrgInvitations(db: Db, orgId: string, email: string): Promise<number> {
  const { total } = await openInvitations(db, orgId)
    .where('org_invitation.email', '<>', email)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

/** Creates an invitation. An open one to the same address is renewed, and an accepted one is replaced. */
export function putOrgInvitation(
  db: Db,
  orgId: string,
  invitation: Pick<OrgInvitationRow, 'id' | 'email' | 'role' | 'invited_by' | 'expires_at'>,
): Promise<OrgInvitationRow> {
  const { id, ...rest } = invitation;
  return db
    .insertInto('org_invitation')
    .values({ org_id: orgId, id, ...rest })
    .onConflict((conflict) =>
      conflict.columns(['org_id', 'email']).doUpdateSet({
        ...rest,
        accepted_by: null,
        id: sql`case when org_invitation.accepted_by is null then org_invitation.id else excluded.id end`,
        created_at: sql`case when org_invitation.accepted_by is null then org_invitation.created_at else excluded.created_at end`,
      }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function markInvitationAccepted(
  db: Db,
  orgId: string,
  id: string,
  userId: string,
): Promise<void> {
  await db
    .updateTable('org_invitation')
    .set({ accepted_by: userId })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .execute();
}

/** Deletes an open invitation. Returns false when there is none with that id. */
export async function deleteOpenOrgInvitation(db: Db, orgId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('org_invitation')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('accepted_by', 'is', null)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/** Whether a member of the organisation has that address. */
export async function isOrgMemberAddress(db: Db, orgId: string, email: string): Promise<boolean> {
  const row = await db
    .selectFrom('org_member')
    .select('user_id')
    .where('org_id', '=', orgId)
    .where('email', '=', email)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Deletes up to `limit` expired invitations, across all organisations on purpose. Returns whether there may be more.
 */
export const deleteExpiredOrgInvitations = (db: Db, limit: number): Promise<boolean> =>
  deleteBatch(db, 'org_invitation', sql`expires_at < now()`, limit);
