import { byTime, deleteStep, type PageQuery, pageOf, readList } from '@waybill/kernel';
import { type Kysely, type Selectable, sql } from 'kysely';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;

export type InvitationRow = Selectable<Tables['invitation']>;

/** Those that count: neither too old, nor of somebody who does not manage the members any more. */
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
 * In the order in which they were made.
 * @throws invalid_cursor
 */
export async function listInvitations(db: Db, storeId: string, query: PageQuery) {
  const ofStore = openInvitations(db, storeId);
  const page = pageOf('invitations', [storeId], query, byTime('asc', 'invitation'));
  return readList(ofStore.selectAll('invitation'), ofStore, page);
}

/** An invitation that counts. */
export function findOpenInvitation(db: Db, storeId: string, id: string): Promise<InvitationRow | undefined> {
  return openInvitations(db, storeId)
    .selectAll('invitation')
    .where('invitation.id', '=', id)
    .executeTakeFirst();
}

/** How many count, but for the one to that address. */
export async function countOtherInvitations(db: Db, storeId: string, email: string): Promise<number> {
  const { total } = await openInvitations(db, storeId)
    .where('invitation.email', '<>', email)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

/** Makes an invitation, or makes the one to that address anew. */
export function putInvitation(
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

/** False: there is none of that id. */
export async function deleteInvitation(db: Db, storeId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('invitation')
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/** The role of a member, and since when their address is verified. */
export function findInviter(db: Db, storeId: string, userId: string) {
  return db
    .selectFrom('member')
    .innerJoin('user_account', 'user_account.id', 'member.user_id')
    .select(['member.role', 'user_account.email_verified_at'])
    .where('member.store_id', '=', storeId)
    .where('member.user_id', '=', userId)
    .executeTakeFirst();
}

/** Whether somebody with that address is a member. */
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

/** Deletes up to `limit` that have run out, of all stores by nature; whether there may be more. */
export const deleteExpiredInvitations = (db: Db, limit: number): Promise<boolean> =>
  deleteStep(db, 'invitation', sql`expires_at < now()`, limit);

export async function countOpenInvitations(db: Db, storeId: string): Promise<number> {
  return countOtherInvitations(db, storeId, '');
}
