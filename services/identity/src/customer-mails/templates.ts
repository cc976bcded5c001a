import {
  type MailKind,
  type MailSettings,
  type MailSettingsInput,
  type MailTemplate,
  type MailTemplateInput,
  mailKinds,
  type ShopLanguage,
  shopLanguages,
} from '@waybill/contracts';
import type { Kysely } from 'kysely';
import type { Write } from '../config.ts';
import { errors } from '../errors.ts';
import type { Tables } from '../tables.ts';
import { defaultTemplate, isEnabledByDefault } from './defaults.ts';
import {
  deleteTemplate,
  findTemplate,
  listSettings,
  listTemplates,
  type SettingRow,
  type TemplateRow,
  upsertSetting,
  upsertTemplate,
} from './queries.ts';

type Db = Kysely<Tables>;

/** Returns a template as the API shows it: the store's changes on top of the default. */
export function toTemplate(
  kind: MailKind,
  locale: ShopLanguage,
  row: Pick<TemplateRow, 'subject' | 'body' | 'is_enabled'> | undefined,
): MailTemplate {
  const text = defaultTemplate(kind, locale);
  return {
    kind,
    locale,
    subject: row?.subject ?? text.subject,
    body: row?.body ?? text.body,
    isEnabled: row?.is_enabled ?? isEnabledByDefault(kind),
    isDefault: (row?.subject ?? null) === null && (row?.body ?? null) === null,
  };
}

/** Checks the name of a kind. @throws not_found */
export function readKind(kind: string): MailKind {
  const known = mailKinds.find((each) => each === kind);
  if (!known) throw errors.not_found({ message: 'This kind of mail does not exist.' });
  return known;
}

/** Returns the language of a locale, or `otherwise` if the locale is omitted. @throws invalid_body */
export function readLanguage(locale: string | undefined, otherwise: ShopLanguage): ShopLanguage {
  if (locale === undefined || locale === '') return otherwise;
  const language = shopLanguages.find((each) => each === locale.split('-')[0]!.toLowerCase());
  if (language) return language;
  const message = `must be one of ${shopLanguages.join(', ')}`;
  throw errors.invalid_body({ details: [{ pointer: '/locale', message }] });
}

/** Reads all templates of a store, by kind, in the given languages. */
export async function readTemplates(
  db: Db,
  storeId: string,
  languages: readonly ShopLanguage[],
): Promise<MailTemplate[]> {
  const rows = await listTemplates(db, storeId);
  return mailKinds.flatMap((kind) =>
    languages.map((language) =>
      toTemplate(
        kind,
        language,
        rows.find((row) => row.kind === kind && row.locale === language),
      ),
    ),
  );
}

/** Returns a store's template in a language, with the default texts where it has none of its own. */
export const readTemplate = async (
  db: Db,
  storeId: string,
  kind: MailKind,
  language: ShopLanguage,
): Promise<MailTemplate> => toTemplate(kind, language, await findTemplate(db, storeId, kind, language));

/**
 * Saves a store's changes to a template. Does not store texts that equal the default, so that they follow later
 * defaults.
 */
export async function saveTemplate(
  { trx, audit }: Write,
  storeId: string,
  kind: MailKind,
  language: ShopLanguage,
  { subject, body, isEnabled }: MailTemplateInput,
): Promise<MailTemplate> {
  const before = await readTemplate(trx, storeId, kind, language);
  const text = defaultTemplate(kind, language);
  const next = {
    subject: subject ?? before.subject,
    body: body ?? before.body,
    isEnabled: isEnabled ?? before.isEnabled,
  };
  const changed = (['subject', 'body', 'isEnabled'] as const).filter((name) => next[name] !== before[name]);
  if (changed.length === 0) return before;
  const row = {
    subject: next.subject === text.subject ? null : next.subject,
    body: next.body === text.body ? null : next.body,
    is_enabled: next.isEnabled,
  };
  await upsertTemplate(trx, { store_id: storeId, kind, locale: language, ...row });
  await audit(storeId, 'mailTemplate.updated', { id: `${kind}.${language}`, name: kind }, { changed });
  return toTemplate(kind, language, row);
}

/** Resets a template to the default. */
export async function resetTemplate(
  { trx, audit }: Write,
  storeId: string,
  kind: MailKind,
  language: ShopLanguage,
): Promise<void> {
  if (await deleteTemplate(trx, storeId, kind, language))
    await audit(storeId, 'mailTemplate.reset', { id: `${kind}.${language}`, name: kind });
}

/** Returns a store's sender settings; the name defaults to the store's. */
export const toSettings = (row: SettingRow | undefined, storeName: string): MailSettings => ({
  senderName: row?.sender_name ?? storeName,
  replyTo: row?.reply_to ?? null,
});

/** Returns a store's sender settings. */
export async function readSettings(db: Db, storeId: string, storeName: string): Promise<MailSettings> {
  const [row] = await listSettings(db, [storeId]);
  return toSettings(row, storeName);
}

/** Saves a store's sender settings. @throws invalid_body */
export async function saveSettings(
  { trx, audit }: Write,
  storeId: string,
  storeName: string,
  input: MailSettingsInput,
): Promise<MailSettings> {
  const [stored] = await listSettings(trx, [storeId]);
  const before = toSettings(stored, storeName);
  const { senderName: name, replyTo } = input;
  const row = {
    store_id: storeId,
    // Null stands for the store's own name, so that the sender follows when the store is renamed.
    sender_name: name === undefined ? (stored?.sender_name ?? null) : name === storeName ? null : name,
    reply_to: replyTo === undefined ? (stored?.reply_to ?? null) : replyTo,
  };
  const after = toSettings(row, storeName);
  const changed = (['senderName', 'replyTo'] as const).filter((each) => before[each] !== after[each]);
  if (changed.length === 0) return before;
  await upsertSetting(trx, row);
  await audit(storeId, 'mailSettings.updated', { id: storeId }, { changed });
  return after;
}
