import { byTime, deleteBatch, type PageQuery, parsePage, readList } from '@waybill/kernel';
import { type Kysely, type Selectable, sql } from 'kysely';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;

export type InvitationRow = Selectable<Tables['invitation']>;

/** Selects valid invitations: they have not expired, and their inviters still manage the members. */
function openInvitations(db: Db, storeId: string) {
  return db
    .selectFrom('invitation')
    .innerJoin('member', (join) =>
      join
        .onRef('member.store_id', '=', 'invitation.store_id')
        .onRef('member.user_id', '=', 'invitation.invited_by'),
    )
    .where('invitation.store_id', '=', storeId)
    .where('invitation.expires_at', '>', new Date())
    .where('member.role', 'in', ['admin', 'owner']);
}

/**
 * Lists valid invitations in the order of creation.
 * @throws invalid_cursor
 */
export async function listInvitations(db: Db, storeId: string, query: PageQuery) {
  const ofStore = openInvitations(db, storeId);
  const page = parsePage('invitations', [storeId], query, byTime('asc', 'invitation'));
  return readList(ofStore.selectAll('invitation'), ofStore, page);
}

/** Finds a valid invitation. */
export function findOpenInvitation(db: Db, storeId: string, id: string): Promise<InvitationRow | undefined> {
  return openInvitations(db, storeId)
    .selectAll('invitation')
    .where('invitation.id', '=', id)
    .executeTakeFirst();
}

/** Counts valid invitations, without the one to this address. */
export async function countOtherInvitations(db: Db, storeId: string, email: string): Promise<number> {
  const { total } = await openInvitations(db, storeId)
    .where('invitation.email', '<>', email)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

/** Inserts an invitation, or renews the existing one to that address. */
export function upsertInvitation(
  db: Db,
  storeId: string,
  invitation: Pick<InvitationRow, 'id' | 'email' | 'role' | 'invited_by' | 'expires_at'>,
): Promise<InvitationRow> {
  const { id, ...rest } = invitation;
  return db
    .insertInto('invitation')
    .values({ store_id: storeId, id, ...rest })
    .onConflict((conflict) => conflict.columns(['store_id', 'email']).doUpdateSet(rest))
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Deletes an invitation. Returns false if there is none with that id. */
export async function deleteInvitation(db: Db, storeId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('invitation')
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/** Finds a member's role, and when their address was verified. */
export function findInviter(db: Db, storeId: string, userId: string) {
  return db
    .selectFrom('member')
    .innerJoin('user_account', 'user_account.id', 'member.user_id')
    .select(['member.role', 'user_account.email_verified_at'])
    .where('member.store_id', '=', storeId)
    .where('member.user_id', '=', userId)
    .executeTakeFirst();
}

/** Whether a member has that address. */
export async function isMemberAddress(db: Db, storeId: string, email: string): Promise<boolean> {
  const row = await db
    .selectFrom('member')
    .innerJoin('user_account', 'user_account.id', 'member.user_id')
    .select('user_account.id')
    .where('member.store_id', '=', storeId)
    .where('user_account.email', '=', email)
    .executeTakeFirst();
  return row !== undefined;
}

/** Deletes up to `limit` expired invitations, across all stores by design. Returns whether there may be more. */
export const deleteExpiredInvitations = (db: Db, limit: number): Promise<boolean> =>
  deleteBatch(db, 'invitation', sql`expires_at < now()`, limit);

export async function countOpenInvitations(db: Db, storeId: string): Promise<number> {
  return countOtherInvitations(db, storeId, '');
}
