import { deleteBatch, isDistributed, type Placeholders, prepare, withinStore } from '@waybill/kernel';
import { type Insertable, type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import { wantsOrderMails } from '../notifications/queries.ts';
import type { Tables } from '../tables.ts';

// Mails belong to people, not to stores.
type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

/** The columns of a mail that its sending needs. */
export type MailRow = Pick<
  Selectable<Tables['mail']>,
  'id' | 'template' | 'user_id' | 'address' | 'sender_id' | 'data' | 'failures' | 'created_at'
>;

export async function insertMail(
  db: Db,
  mail: Pick<Insertable<Tables['mail']>, 'template' | 'user_id' | 'address' | 'sender_id' | 'data'>,
): Promise<void> {
  await db.insertInto('mail').values(mail).execute();
}

/** Queues a mail to each member who manages a store and has a verified address, at most 100. */
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

/** Queues a mail to each of the given users with a verified address. */
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

/** SQL of the members of each store `store` who get mails about its orders. */
const wanting = `
        select member.store_id, member.user_id
        from member
        join user_account on user_account.id = member.user_id
        left join notification
          on notification.store_id = member.store_id and notification.user_id = member.user_id
        where member.store_id = store.store_id and ${wantsOrderMails} and email_verified_at is not null
        order by member.created_at
        limit 100`;
const mailsOfOrders = prepare<unknown, { storeIds: string[]; orderIds: string[] }>(
  'mails-of-orders',
  ($) => `
    with ordered as (
      select store_id, ordinal, jsonb_build_object('storeId', store_id, 'orderId', order_id) as data
      from unnest(${$.storeIds}::text[], ${$.orderIds}::text[]) with ordinality as ordered (store_id, order_id, ordinal)
    ), wanting as (
      select recipient.*
      from (select distinct store_id from ordered) store
      cross join lateral (${wanting}) recipient
    )
    insert into mail (template, user_id, address, data, order_id)
    select template, user_id, address, data, order_id
    from (
      select ordinal, 'orderReceipt' as template, null as user_id, '' as address, data, data->>'orderId' as order_id
      from ordered
      union all
      select ordinal, 'orderCreated', user_id, null, data, null from ordered join wanting using (store_id)
    ) mails
    order by ordinal`,
);

// On Citus, members are on their store's server, and mails on the coordinator.
const wantingOfStore = prepare<{ user_id: string }, { storeId: string }>('mails-of-orders-wanting', ($) =>
  withinStore($.storeId, wanting),
);
const insertOrderMails = prepare<
  unknown,
  Record<'templates' | 'data', string[]> & { userIds: (string | null)[] }
>(
  'mails-of-orders-insert',
  ($) => `
    insert into mail (template, user_id, address, data, order_id)
    select template, user_id, case when user_id is null then '' end, data,
      case when user_id is null then data->>'orderId' end
    from unnest(${$.templates}::text[], ${$.userIds}::text[], ${$.data}::jsonb[])
      with ordinality as mails (template, user_id, data, ordinal)
    order by ordinal`,
);

async function insertDistributedMails(
  trx: Trx,
  orders: readonly { storeId: string; orderId: string }[],
): Promise<void> {
  const members = new Map<string, string[]>();
  for (const storeId of new Set(orders.map((order) => order.storeId))) {
    const { rows } = await trx.executeQuery(wantingOfStore({ storeId }));
    members.set(
      storeId,
      rows.map(({ user_id }) => user_id),
    );
  }
  const mails = orders.flatMap(({ storeId, orderId }) => {
    const data = JSON.stringify({ storeId, orderId });
    const memberMails = members.get(storeId)!.map((userId) => ({ template: 'orderCreated', userId, data }));
    return [{ template: 'orderReceipt', userId: null, data }, ...memberMails];
  });
  await trx.executeQuery(
    insertOrderMails({
      templates: mails.map(({ template }) => template),
      userIds: mails.map(({ userId }) => userId),
      data: mails.map(({ data }) => data),
    }),
  );
}

/**
 * Queues the mails about orders: one per order to the customer, whose address is looked up when the mail is sent, and
 * one to each member who wants mails about orders and has a verified address, at most 100.
 */
export async function insertMailsOfOrders(
  trx: Trx,
  orders: readonly { storeId: string; orderId: string }[],
): Promise<void> {
  if (isDistributed(trx)) return insertDistributedMails(trx, orders);
  const storeIds = orders.map(({ storeId }) => storeId);
  await trx.executeQuery(mailsOfOrders({ storeIds, orderIds: orders.map(({ orderId }) => orderId) }));
}

/** The outcome of an attempt to send a mail. */
export type MailOutcome = Pick<MailRow, 'id'> &
  (
    | { outcome: 'sent' }
    /** The mail is given up. */
    | { outcome: 'dead'; error: string }
    /** The mail is tried again after some seconds. */
    | { outcome: 'failed'; error: string; inSeconds: number }
    /** The mail was not tried. It is due again at once, or after some seconds. */
    | { outcome: 'released'; inSeconds?: number }
    /** The mail is no longer wanted. */
    | { outcome: 'dropped' }
  );

interface OutcomeColumns {
  ids: number[];
  outcomes: string[];
  errors: (string | null)[];
  /** Seconds until the next attempts. */
  delays: (number | null)[];
}

/** SQL that stores the outcomes of attempts. */
const storeOutcomesSql = ($: Placeholders<OutcomeColumns>) => `
  ended as (
    select * from unnest(${$.ids}::bigint[], ${$.outcomes}::text[], ${$.errors}::text[], ${$.delays}::float8[])
      as ended (id, outcome, error, in_seconds)
  ), dropped as (
    delete from mail using ended where mail.id = ended.id and outcome = 'dropped'
  ), settled as (
    update mail set is_leased = false, state = outcome, settled_at = now(), last_error = coalesce(error, last_error)
    from ended where mail.id = ended.id and state = 'queued' and outcome in ('sent', 'dead')
  ), returned as (
    update mail set is_leased = false, failures = failures + case when outcome = 'failed' then 1 else 0 end,
      last_error = coalesce(error, last_error), due_at = now() + make_interval(secs => coalesce(in_seconds, 0))
    from ended where mail.id = ended.id and state = 'queued' and outcome in ('failed', 'released')
  )`;

// A plan for any limit assumes a tenth of the table. PostgreSQL would take it for dear and plan every execution, so the
// limit is hidden from it, and the rows are found by a list of ids, for which it always assumes ten.
const storeOutcomesAndClaimMails = prepare<MailRow, OutcomeColumns & { limit: number; leaseSeconds: number }>(
  'mails-note-and-claim',
  ($) => `
    with ${storeOutcomesSql($)}
    update mail set is_leased = true, due_at = now() + make_interval(secs => ${$.leaseSeconds})
    where id = any(array(
      select id from mail
      where state = 'queued' and due_at <= now() and id <> all((select ${$.ids}::bigint[])::bigint[])
      order by due_at limit (select ${$.limit}::bigint) for update skip locked
    ))
    returning id, template, user_id, address, sender_id, data, failures, created_at`,
);

/**
 * Stores the outcomes of attempts, and leases up to `limit` due mails, including those with an expired lease. A single
 * statement does both, so that a sender of many mails waits for the disk once.
 */
export async function storeOutcomesAndClaim(
  db: Db,
  ends: readonly MailOutcome[],
  limit: number,
  leaseSeconds: number,
): Promise<MailRow[]> {
  const columns: OutcomeColumns = {
    ids: ends.map(({ id }) => id),
    outcomes: ends.map(({ outcome }) => outcome),
    errors: ends.map((end) => ('error' in end ? end.error : null)),
    delays: ends.map((end) => ('inSeconds' in end ? (end.inSeconds ?? null) : null)),
  };
  const { rows } = await db.executeQuery(storeOutcomesAndClaimMails({ ...columns, limit, leaseSeconds }));
  return rows;
}

/** Ends all leases. The caller must know that no other copy holds one. */
export async function releaseMails(db: Db): Promise<void> {
  await sql`update mail set is_leased = false, due_at = now() where state = 'queued' and is_leased`.execute(
    db,
  );
}

/** The properties of a user that a mail needs. */
export type MailRecipient = Pick<Selectable<Tables['user_account']>, 'id' | 'email' | 'name' | 'locale'> & {
  isVerified: boolean;
};

const readers = prepare<MailRecipient>(
  'mail-readers',
  `select id, email, name, locale, email_verified_at is not null as "isVerified" from user_account
   where id = any($1::text[]) or email = any($2::text[])`,
);

/** Lists the users with the given ids or addresses (in lower case). */
export async function listReaders(
  db: Db,
  ids: readonly string[],
  emails: readonly string[],
): Promise<MailRecipient[]> {
  const { rows } = await db.executeQuery(readers([ids, emails]));
  return rows;
}

/** Whether an invitation to a store still exists. */
export async function hasInvitation(db: Db, storeId: string, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('invitation')
    .select('id')
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Returns the number of waiting mails (counted up to 10,000), for how long the oldest one has been due, and how many
 * were given up within a day.
 */
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

/**
 * Deletes up to `limit` old mails of each group: sent ones after a day, sent ones on the timeline of an order after a
 * year, and given-up ones after 30 days. Returns whether there may be more.
 */
export async function deleteOldMails(db: Db, limit: number): Promise<boolean> {
  const areMore = [
    await deleteBatch(
      db,
      'mail',
      sql`state = 'sent' and order_id is null and settled_at < now() - interval '1 day'`,
      limit,
    ),
    await deleteBatch(db, 'mail', sql`state = 'sent' and settled_at < now() - interval '365 days'`, limit),
    await deleteBatch(db, 'mail', sql`state = 'dead' and settled_at < now() - interval '30 days'`, limit),
  ];
  return areMore.includes(true);
}
