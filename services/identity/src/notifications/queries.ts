import { prepare } from '@waybill/kernel';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;

/** A member's choice of mails in a store. */
export interface Notification {
  storeId: string;
  orderCreated: boolean;
}

/** SQL: members without a choice get the mails only if they are owners: `decisions.md 17.4`. */
export const wantsOrderMails = `coalesce(notification.order_created, member.role = 'owner')`;

const members = (db: Db, userId: string) =>
  db
    .selectFrom('member')
    .innerJoin('store', 'store.id', 'member.store_id')
    .leftJoin('notification', (join) =>
      join
        .onRef('notification.store_id', '=', 'member.store_id')
        .onRef('notification.user_id', '=', 'member.user_id'),
    )
    .select(['member.store_id as storeId', sql<boolean>`${sql.raw(wantsOrderMails)}`.as('orderCreated')])
    .where('member.user_id', '=', userId)
    .where('store.closed_at', 'is', null);

/** Lists the choices of a user in the first `limit` of their stores, by store id. */
export const listNotifications = (db: Db, userId: string, limit: number): Promise<Notification[]> =>
  members(db, userId).orderBy('member.store_id').limit(limit).execute();

/** Returns undefined if the user is no member of the store. */
export const findNotification = (
  db: Db,
  userId: string,
  storeId: string,
): Promise<Notification | undefined> =>
  members(db, userId).where('member.store_id', '=', storeId).executeTakeFirst();

const membersWantingOrders = prepare<{ index: number }>(
  'notifications-wanting',
  `select requested.ordinal::int - 1 as index
   from unnest($1::text[], $2::text[]) with ordinality as requested (store_id, user_id, ordinal)
   join member on member.store_id = requested.store_id and member.user_id = requested.user_id
   join store on store.id = member.store_id and store.closed_at is null
   left join notification
     on notification.store_id = member.store_id and notification.user_id = member.user_id
   where ${wantsOrderMails}`,
);

/** Returns the indexes of those of the given members who want mails about orders. */
export async function findOrderMailRecipients(
  db: Db,
  candidates: readonly { storeId: string; userId: string }[],
): Promise<ReadonlySet<number>> {
  const of = [candidates.map(({ storeId }) => storeId), candidates.map(({ userId }) => userId)];
  const { rows } = await db.executeQuery(membersWantingOrders(of));
  return new Set(rows.map(({ index }) => index));
}

/** Stores a member's choice. Returns false if the user is no member of the store. */
export async function upsertNotification(
  db: Db,
  userId: string,
  { storeId, orderCreated }: Notification,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into notification (store_id, user_id, order_created)
    select member.store_id, member.user_id, ${orderCreated} from member
    join store on store.id = member.store_id and store.closed_at is null
    where member.store_id = ${storeId} and member.user_id = ${userId} for share of member
    on conflict (store_id, user_id) do update set order_created = excluded.order_created`.execute(db);
  return numAffectedRows === 1n;
}
