import { deleteStep } from '@waybill/kernel';
import { type Insertable, type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import { wantsOrders } from '../notifications/queries.ts';
import type { Tables } from '../tables.ts';

// Mails are to people, of no store.
type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

export type MailRow = Selectable<Tables['mail']>;

export async function insertMail(
  db: Db,
  mail: Pick<Insertable<Tables['mail']>, 'template' | 'user_id' | 'address' | 'sender_id' | 'data'>,
): Promise<void> {
  await db.insertInto('mail').values(mail).execute();
}

/** A mail for each of those who manage a store and have verified addresses, 100 at most. */
export async function insertMailsToAdmins(
  trx: Trx,
  storeId: string,
  { template, data }: Pick<MailRow, 'template' | 'data'>,
): Promise<void> {
  await sql`
    insert into mail (template, user_id, data)
    select ${template}, member.user_id, ${JSON.stringify(data)}::jsonb || jsonb_build_object('storeName', store.name)
    from member
    join store on store.id = member.store_id
    join user_account on user_account.id = member.user_id
    where member.store_id = ${storeId} and member.role in ('admin', 'owner') and email_verified_at is not null
    order by member.created_at
    limit 100`.execute(trx);
}

/** A mail for each of these users who has a verified address. */
export async function insertMailsToUsers(
  trx: Trx,
  userIds: readonly string[],
  { template, data }: Pick<MailRow, 'template' | 'data'>,
): Promise<void> {
  await sql`
    insert into mail (template, user_id, data)
    select ${template}, id, ${JSON.stringify(data)}::jsonb from user_account
    where id = any(${userIds}::text[]) and email_verified_at is not null`.execute(trx);
}

/**
 * The mails of an order: to whoever placed it, without an address, as that is looked up when it is sent, and to the members
 * who want to know of orders and have verified addresses, 100 at most.
 */
export async function insertMailsOfOrder(trx: Trx, storeId: string, orderId: string): Promise<void> {
  const data = JSON.stringify({ storeId, orderId });
  await sql`
    insert into mail (template, user_id, address, data)
    select 'orderReceipt', null, '', ${data}::jsonb
    union all (
      select 'orderCreated', member.user_id, null, ${data}::jsonb
      from member
      join user_account on user_account.id = member.user_id
      left join notification
        on notification.store_id = member.store_id and notification.user_id = member.user_id
      where member.store_id = ${storeId} and ${wantsOrders} and email_verified_at is not null
      order by member.created_at
      limit 100
    )`.execute(trx);
}

/** Leases up to `limit` mails that are due; those of a lease that has run out as well. */
export async function claimMails(db: Db, limit: number, leaseSeconds: number): Promise<MailRow[]> {
  const { rows } = await sql<MailRow>`
    update mail set is_leased = true, due_at = now() + make_interval(secs => ${leaseSeconds})
    where id in (
      select id from mail where state = 'queued' and due_at <= now()
      order by due_at limit ${limit} for update skip locked
    )
    returning *`.execute(db);
  return rows;
}

/** Ends all leases: for who knows that nobody is left who holds one. */
export async function releaseMails(db: Db): Promise<void> {
  await sql`update mail set is_leased = false, due_at = now() where state = 'queued' and is_leased`.execute(
    db,
  );
}

/** Gives one back that was claimed and not tried. */
export async function releaseMail(db: Db, id: number): Promise<void> {
  await sql`update mail set is_leased = false, due_at = now() where id = ${id} and state = 'queued'`.execute(
    db,
  );
}

export async function settleMail(
  db: Db,
  id: number,
  end: Pick<MailRow, 'state'> & Partial<Pick<MailRow, 'last_error'>>,
): Promise<void> {
  await db
    .updateTable('mail')
    .set({ ...end, is_leased: false, settled_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('state', '=', 'queued')
    .execute();
}

/** Has it tried again in so many seconds. */
export async function retryMail(db: Db, id: number, inSeconds: number, last_error: string): Promise<void> {
  await sql`
    update mail set is_leased = false, failures = failures + 1, last_error = ${last_error},
      due_at = now() + make_interval(secs => ${inSeconds})
    where id = ${id} and state = 'queued'`.execute(db);
}

export async function deleteMail(db: Db, id: number): Promise<void> {
  await db.deleteFrom('mail').where('id', '=', id).execute();
}

/** A person, as far as a mail is concerned. */
export type Reader = Pick<Selectable<Tables['user_account']>, 'id' | 'email' | 'name' | 'locale'> & {
  isVerified: boolean;
};

const readers = (db: Db) =>
  db
    .selectFrom('user_account')
    .select(['id', 'email', 'name', 'locale', sql<boolean>`email_verified_at is not null`.as('isVerified')]);

/** The user with that id, or with that address, in lower case. */
export function findReader(db: Db, by: { id: string } | { email: string }): Promise<Reader | undefined> {
  const query = 'id' in by ? readers(db).where('id', '=', by.id) : readers(db).where('email', '=', by.email);
  return query.executeTakeFirst();
}

/** Whether an invitation to a store is still there. */
export async function hasInvitation(db: Db, storeId: string, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('invitation')
    .select('id')
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row !== undefined;
}

/** How many mails wait, counted to 10,000, for how long the oldest has been due, and how many were given up lately. */
export async function measureMails(db: Db): Promise<{ queued: number; oldestSeconds: number; dead: number }> {
  const { rows } = await sql<{ queued: number; oldestSeconds: number; dead: number }>`
    select
      (select count(*) from (select from mail where state = 'queued' limit 10000) waiting) as queued,
      (select coalesce(greatest(0, extract(epoch from now() - min(due_at))), 0)::float8 from mail where state = 'queued')
        as "oldestSeconds",
      (select count(*) from (
        select from mail where state = 'dead' and settled_at > now() - interval '1 day' limit 10000
      ) lately) as dead`.execute(db);
  return rows[0]!;
}

/** Deletes up to `limit` mails each that were sent a day ago, or given up 30 days ago; whether there may be more. */
export async function deleteOldMails(db: Db, limit: number): Promise<boolean> {
  const areMore = [
    await deleteStep(db, 'mail', sql`state = 'sent' and settled_at < now() - interval '1 day'`, limit),
    await deleteStep(db, 'mail', sql`state = 'dead' and settled_at < now() - interval '30 days'`, limit),
  ];
  return areMore.includes(true);
}
