import { deleteBatch, isDistributed, prepare } from '@waybill/kernel';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Tables } from '../tables.ts';
import type { MailRow } from './queries.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

const today = `(now() at time zone 'UTC')::date`;

const countAddress = prepare<{ isAdmitted: boolean; isNotified: boolean }>(
  'outsider-mail-day-take',
  `insert into outsider_mail_day as day (sender_id, day, addresses) values ($1, ${today}, array[$2::text])
   on conflict (sender_id, day) do update set addresses = case
     when day.addresses @> excluded.addresses or cardinality(day.addresses) >= $3::int then day.addresses
     else day.addresses || excluded.addresses
   end
   returning addresses @> array[$2::text] as "isAdmitted", is_told as "isNotified"`,
);

const findDay = prepare<{ isAdmitted: boolean; isFull: boolean; isNotified: boolean }>(
  'outsider-mail-day-find',
  `select addresses @> array[$2::text] as "isAdmitted", cardinality(addresses) >= $3::int as "isFull",
     is_told as "isNotified"
   from outsider_mail_day where sender_id = $1 and day = ${today}`,
);

/**
 * Counts an address toward a sender's daily limit. The count is exact, however many mails of the sender go out at once.
 * Addresses are never removed from a day, so known addresses and full days need no lock on the row, on which all mails
 * of the sender would wait.
 */
export async function countAddressOfDay(
  db: Db,
  senderId: string,
  addressHash: string,
  limit: number,
): Promise<{ isAdmitted: boolean; isNotified: boolean }> {
  const [known] = (await db.executeQuery(findDay([senderId, addressHash, limit]))).rows;
  if (known?.isAdmitted || known?.isFull) return known;
  const { rows } = await db.executeQuery(countAddress([senderId, addressHash, limit]));
  return rows[0]!;
}

/** Records that a sender's owners are told today. Returns false if they already were. */
export async function markNotified(trx: Trx, senderId: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update outsider_mail_day set is_told = true
    where sender_id = ${senderId} and day = ${sql.raw(today)} and not is_told`.execute(trx);
  return numAffectedRows === 1n;
}

/** Queues a mail to each owner of a store with a verified address, at most 100. */
export async function insertMailsToOwners(
  trx: Trx,
  storeId: string,
  { template, data }: Pick<MailRow, 'template' | 'data'>,
): Promise<void> {
  await sql`
    insert into mail (template, user_id, data)
    select ${template}, member.user_id, ${JSON.stringify(data)}::jsonb
    from member join user_account on user_account.id = member.user_id
    where member.store_id = ${storeId} and member.role = 'owner' and email_verified_at is not null
    order by member.created_at
    limit 100`.execute(trx);
}

const findVerifiedMember = prepare(
  'verified-member-find',
  `select user_account.id from user_account join member on member.user_id = user_account.id
   where user_account.email = $2 and email_verified_at is not null and member.store_id = $1 limit 1`,
);

/** Whether an address, in lower case, is verified and belongs to a member of the store. */
export async function isVerifiedMember(db: Db, storeId: string, address: string): Promise<boolean> {
  return (await db.executeQuery(findVerifiedMember([storeId, address]))).rows.length > 0;
}

/** A store as a sender of mails. */
export interface SendingStore {
  id: string;
  name: string;
  createdAt: Date;
  isTrusted: boolean;
}

const sendingStores = prepare<SendingStore>(
  'mail-sending-stores',
  `select store.id, store.name, store.created_at as "createdAt", exists (
     select from member join user_account on user_account.id = member.user_id
     where member.store_id = store.id and member.role = 'owner' and email_verified_at is not null
   ) as "isTrusted"
   from store where store.id = any($1::text[])`,
);

const storesToSend = prepare<Omit<SendingStore, 'isTrusted'>>(
  'mail-sending-stores-alone',
  `select id, name, created_at as "createdAt" from store where id = any($1::text[])`,
);
const trustedStores = prepare<{ id: string }>(
  'mail-trusted-stores',
  `select distinct member.store_id as id from member join user_account on user_account.id = member.user_id
   where member.store_id = any($1::text[]) and member.role = 'owner' and email_verified_at is not null`,
);

/** Lists the same on Citus, where every server has all stores, but only its own share of members. */
async function listDistributedStores(db: Db, storeIds: readonly string[]): Promise<SendingStore[]> {
  const { rows: stores } = await db.executeQuery(storesToSend([storeIds]));
  const { rows: trusted } = await db.executeQuery(trustedStores([storeIds]));
  const ids = new Set(trusted.map(({ id }) => id));
  return stores.map((store) => ({ ...store, isTrusted: ids.has(store.id) }));
}

/** Lists the given stores, and whether any of their owners has a verified address. */
export async function listSendingStores(db: Db, storeIds: readonly string[]): Promise<SendingStore[]> {
  if (storeIds.length === 0) return [];
  if (isDistributed(db)) return listDistributedStores(db, storeIds);
  const { rows } = await db.executeQuery(sendingStores([storeIds]));
  return rows;
}

/** Deletes the counts of up to `limit` past days. Returns whether there may be more. */
export const deleteOldOutsiderDays = (db: Db, limit: number): Promise<boolean> =>
  deleteBatch(db, 'outsider_mail_day', sql`day < ${sql.raw(today)} - 1`, limit);
