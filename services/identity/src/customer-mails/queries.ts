import type { MailKind, ShopLanguage } from '@waybill/contracts';
import { prepare } from '@waybill/kernel';
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

/** A store's changes to a mail template. */
export type TemplateRow = Omit<Selectable<Tables['mail_template']>, 'updated_at'>;

const columns = ['store_id', 'kind', 'locale', 'subject', 'body', 'is_enabled'] as const;

/** Lists all templates that a store has changed, which are few. */
export const listTemplates = (db: Db, storeId: string): Promise<TemplateRow[]> =>
  db.selectFrom('mail_template').select(columns).where('store_id', '=', storeId).execute();

const templatesOfStores = prepare<TemplateRow>(
  'mail-templates-of-stores',
  `select ${columns.join(', ')} from mail_template where store_id = any($1::text[])`,
);

/** Lists the changed templates of several stores, for a batch of mails. */
export async function listStoreTemplates(db: Db, storeIds: readonly string[]): Promise<TemplateRow[]> {
  if (storeIds.length === 0) return [];
  return (await db.executeQuery(templatesOfStores([storeIds]))).rows;
}

export function findTemplate(
  db: Db,
  storeId: string,
  kind: MailKind,
  locale: ShopLanguage,
): Promise<TemplateRow | undefined> {
  return db
    .selectFrom('mail_template')
    .select(columns)
    .where('store_id', '=', storeId)
    .where('kind', '=', kind)
    .where('locale', '=', locale)
    .executeTakeFirst();
}

export async function upsertTemplate(
  trx: Trx,
  { store_id, kind, locale, ...row }: TemplateRow,
): Promise<void> {
  const values = { ...row, updated_at: new Date() };
  await trx
    .insertInto('mail_template')
    .values({ store_id, kind, locale, ...values })
    .onConflict((conflict) => conflict.columns(['store_id', 'kind', 'locale']).doUpdateSet(values))
    .execute();
}

/** Deletes a store's changes to a template. Returns whether there were any. */
export async function deleteTemplate(
  trx: Trx,
  storeId: string,
  kind: MailKind,
  locale: ShopLanguage,
): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('mail_template')
    .where('store_id', '=', storeId)
    .where('kind', '=', kind)
    .where('locale', '=', locale)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

export type SettingRow = Omit<Selectable<Tables['mail_setting']>, 'updated_at'>;

const settingsOfStores = prepare<SettingRow>(
  'mail-settings-of-stores',
  'select store_id, sender_name, reply_to from mail_setting where store_id = any($1::text[])',
);

export async function listSettings(db: Db, storeIds: readonly string[]): Promise<SettingRow[]> {
  if (storeIds.length === 0) return [];
  return (await db.executeQuery(settingsOfStores([storeIds]))).rows;
}

export async function upsertSetting(trx: Trx, { store_id, ...row }: SettingRow): Promise<void> {
  const values = { ...row, updated_at: new Date() };
  await trx
    .insertInto('mail_setting')
    .values({ store_id, ...values })
    .onConflict((conflict) => conflict.column('store_id').doUpdateSet(values))
    .execute();
}

/**
 * A mail to a customer that is to be queued. The address is looked up when the mail is sent, so that no customer data is
 * stored here, and an erased customer gets no mail.
 */
export interface NewCustomerMail {
  template: string;
  data: Readonly<Record<string, string>>;
}

const insertAll = prepare(
  'customer-mails-insert',
  `insert into mail (template, address, data, order_id)
   select template, '', data::jsonb, data::jsonb->>'orderId'
   from unnest($1::text[], $2::text[]) as mails (template, data)`,
);

export async function insertCustomerMails(trx: Trx, mails: readonly NewCustomerMail[]): Promise<void> {
  if (mails.length === 0) return;
  await trx.executeQuery(
    insertAll([mails.map(({ template }) => template), mails.map(({ data }) => JSON.stringify(data))]),
  );
}

/** Maximum number of listed mails of an order. Few orders have more. */
const maxListed = 200;

/** Lists the mails to the customer of an order, newest first. */
export const listMailsOfOrder = (db: Db, storeId: string, orderId: string) =>
  db
    .selectFrom('mail')
    .select(['template', 'data', 'state', 'settled_at', 'created_at'])
    .where('order_id', '=', orderId)
    .where(sql<boolean>`data->>'storeId' = ${storeId}`)
    .orderBy('id', 'desc')
    .limit(maxListed)
    .execute();

/** Queues a trial mail to a user. */
export async function insertTrial(
  trx: Trx,
  userId: string,
  data: Readonly<Record<string, string>>,
): Promise<void> {
  await trx
    .insertInto('mail')
    .values({ template: 'customerMailTest', user_id: userId, address: null, sender_id: null, data })
    .execute();
}
