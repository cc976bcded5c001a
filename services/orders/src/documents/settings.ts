import {
  canonicalLocale,
  type DocumentSeller,
  type DocumentSettings,
  type DocumentSettingsInput,
  defaultDocumentSettings,
  type Problem,
  parseEmail,
  trimName,
} from '@waybill/contracts';
import type { Context, Write } from '../config.ts';
import { errors } from '../errors.ts';
import {
  deleteUnusedLogo,
  findSettings,
  insertLogo,
  lockSettings,
  postponeRequests,
  type StoredSettings,
  upsertSettings,
} from './queries.ts';

const nothingSet: StoredSettings = { settings: defaultDocumentSettings, logoHash: null };

/** Reads a store's document settings. */
export const readSettings = async (db: Context['db'], storeId: string): Promise<StoredSettings> =>
  (await findSettings(db, storeId)) ?? nothingSet;

/**
 * Fetches the image of a logo that the store has just chosen; null: the logo stays. Runs before the write, which must
 * not wait for other services.
 * @throws invalid_body
 */
export async function fetchNewLogo(
  context: Context,
  storeId: string,
  { logoMediaId }: DocumentSettingsInput,
): Promise<Buffer | null> {
  const { settings } = await readSettings(context.db, storeId);
  if (typeof logoMediaId !== 'string' || logoMediaId === settings.logoMediaId) return null;
  return fetchLogo(context, storeId, logoMediaId);
}

/**
 * Changes a store's document settings; omitted fields keep their values. Tries documents again that wait for the
 * seller's data.
 * @throws invalid_body
 */
export async function changeSettings(
  { trx, audit, afterCommit }: Write,
  { wakeTask }: Pick<Context, 'wakeTask'>,
  storeId: string,
  input: DocumentSettingsInput,
  newLogo: Buffer | null,
): Promise<DocumentSettings> {
  afterCommit(() => wakeTask('issue-documents'));
  const stored = (await lockSettings(trx, storeId)) ?? nothingSet;
  const next = readInput(stored.settings, input);
  const changed = changedFields(stored.settings, next);
  if (changed.length === 0) return stored.settings;
  const logoHash = newLogo ? await insertLogo(trx, storeId, newLogo) : next.logoMediaId && stored.logoHash;
  await upsertSettings(trx, storeId, { settings: next, logoHash });
  if (stored.logoHash && stored.logoHash !== logoHash) await deleteUnusedLogo(trx, storeId, stored.logoHash);
  await postponeRequests(trx, { storeId }, new Date());
  await audit(storeId, 'documents.updated', { id: storeId }, { changed });
  return next;
}

/** Fetches an image of the media library in the form for documents. @throws invalid_body if it is no image */
async function fetchLogo({ peers }: Context, storeId: string, id: string): Promise<Buffer> {
  const reply = await peers.call<{ png: string }>('media', 'POST', '/internal/assets/logo', { storeId, id });
  if (!reply) throw invalid([{ pointer: '/logoMediaId', message: 'must be an image of the media library' }]);
  return Buffer.from(reply.png, 'base64');
}

const invalid = (details: Problem[]) => errors.invalid_body({ details });

function readInput(before: DocumentSettings, input: DocumentSettingsInput): DocumentSettings {
  const problems: Problem[] = [];
  const seller = { ...before.seller };
  for (const [name, value] of Object.entries(input.seller ?? {}))
    if (Object.hasOwn(seller, name))
      Object.assign(seller, { [name]: name === 'email' ? (value ?? '') : trimName(value ?? '') });
  if (seller.email !== '') {
    const email = parseEmail(seller.email);
    if (email === null) problems.push({ pointer: '/seller/email', message: 'must be an e-mail address' });
    else seller.email = email;
  }
  for (const name of ['invoicePattern', 'creditNotePattern'] as const) {
    const pattern = input[name];
    if (pattern !== undefined && !pattern.includes('{number}'))
      problems.push({ pointer: `/${name}`, message: 'must contain {number}' });
    const unknown = pattern?.match(/\{[^{}]*\}/g)?.find((each) => each !== '{number}' && each !== '{year}');
    if (unknown)
      problems.push({ pointer: `/${name}`, message: `contains ${unknown}, which is not a placeholder` });
  }
  const locale = input.locale === undefined ? before.locale : canonicalLocale(input.locale);
  if (locale === null) problems.push({ pointer: '/locale', message: 'must be a BCP 47 tag' });
  if (problems.length > 0) throw invalid(problems);
  return {
    invoicePattern: trimName(input.invoicePattern ?? before.invoicePattern),
    creditNotePattern: trimName(input.creditNotePattern ?? before.creditNotePattern),
    seller,
    bank: input.bank === undefined ? before.bank : (input.bank ?? ''),
    footer: input.footer === undefined ? before.footer : (input.footer ?? ''),
    logoMediaId: input.logoMediaId === undefined ? before.logoMediaId : input.logoMediaId,
    locale: locale!,
    invoices: input.invoices ?? before.invoices,
  };
}

const changedFields = (before: DocumentSettings, after: DocumentSettings): string[] =>
  (Object.keys(after) as (keyof DocumentSettings)[]).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );

/** Lists the seller's data that an invoice requires and the settings lack. */
export function findMissingSellerData(seller: DocumentSeller): Problem[] {
  const required = ['name', 'line1', 'city', 'country'] as const;
  const missing = required
    .filter((name) => seller[name] === '')
    .map((name) => ({ pointer: `/seller/${name}`, message: 'is required' }));
  if (seller.vatId === '' && seller.taxNumber === '')
    missing.push({ pointer: '/seller/vatId', message: 'is required, or a taxNumber' });
  return missing;
}

/** Inserts a number and its year into a pattern. */
export const writeNumber = (pattern: string, number: number, issuedAt: Date): string =>
  pattern.replaceAll('{year}', String(issuedAt.getUTCFullYear())).replaceAll('{number}', String(number));
