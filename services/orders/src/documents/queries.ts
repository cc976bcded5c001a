import { createHash } from 'node:crypto';
import type { DocumentKind, DocumentSettings } from '@waybill/contracts';
import { byTime, claimByStore, type PageQuery, parsePage, prepare, readList } from '@waybill/kernel';
import { type Insertable, type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import type { Json, Tables } from '../tables.ts';
import type { SecretProof } from '../tokens/queries.ts';
import type { DocumentContent } from './content.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

/** A document without its contents. */
export type DocumentRow = Pick<
  Selectable<Tables['document']>,
  | 'store_id'
  | 'id'
  | 'order_id'
  | 'kind'
  | 'refund_id'
  | 'number'
  | 'secret'
  | 'has_xml'
  | 'created_at'
  | 'secret_hashes'
>;

const columns = [
  'store_id',
  'id',
  'order_id',
  'kind',
  'refund_id',
  'number',
  'secret',
  'has_xml',
  'created_at',
  'secret_hashes',
] as const;

/** Returns the data that checks the token of a document. */
export const toProof = ({ secret, secret_hashes: hashes }: DocumentRow): SecretProof => ({ secret, hashes });

const selectDocuments = (db: Db, storeId: string, orderId: string) =>
  db.selectFrom('document').where('store_id', '=', storeId).where('order_id', '=', orderId);

/**
 * Returns a page of an order's documents, newest first, and their total number.
 * @throws invalid_cursor
 */
export function listDocuments(db: Db, storeId: string, orderId: string, query: PageQuery) {
  const rows = selectDocuments(db, storeId, orderId);
  return readList(
    rows.select(columns),
    rows,
    parsePage('documents', [storeId, orderId], query, byTime('desc')),
  );
}

/** Finds a document of an order, without its contents. */
export function findDocument(
  db: Db,
  storeId: string,
  orderId: string,
  id: string,
): Promise<DocumentRow | undefined> {
  return selectDocuments(db, storeId, orderId).select(columns).where('id', '=', id).executeTakeFirst();
}

/** Returns the contents of a document. The column only ever holds values that `insertDocument` has stored. */
export const toDocumentContent = ({ content }: { content: Json }): DocumentContent =>
  content as unknown as DocumentContent;

/** Finds the invoice of an order, with its contents. */
export async function findInvoice(
  db: Db,
  storeId: string,
  orderId: string,
): Promise<(DocumentRow & { content: DocumentContent }) | undefined> {
  const row = await selectDocuments(db, storeId, orderId)
    .select(columns)
    .select('content')
    .where('kind', '=', 'invoice')
    .executeTakeFirst();
  return row && { ...row, content: toDocumentContent(row) };
}

/** Finds the credit note of a refund. */
export function findCreditNote(
  db: Db,
  storeId: string,
  orderId: string,
  refundId: string,
): Promise<DocumentRow | undefined> {
  return selectDocuments(db, storeId, orderId)
    .select(columns)
    .where('kind', '=', 'creditNote')
    .where('refund_id', '=', refundId)
    .executeTakeFirst();
}

/** Counts the documents of a kind that an order has. */
export async function countDocuments(
  db: Db,
  storeId: string,
  orderId: string,
  kind: DocumentKind,
): Promise<number> {
  const { total } = await selectDocuments(db, storeId, orderId)
    .where('kind', '=', kind)
    .select(sql<number>`count(*)`.as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

/**
 * Returns the next number of a store's documents of a kind. The row stays locked until the transaction ends: the next
 * document waits, and gets the same number if this transaction fails.
 */
export async function claimNumber(
  trx: Trx,
  storeId: string,
  kind: Exclude<DocumentKind, 'packingSlip'>,
): Promise<number> {
  const { last_number } = await trx
    .insertInto('document_counter')
    .values({ store_id: storeId, kind, last_number: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(['store_id', 'kind'])
        .doUpdateSet({ last_number: sql`document_counter.last_number + 1` }),
    )
    .returning('last_number')
    .executeTakeFirstOrThrow();
  return last_number;
}

/** Stores a document without files, which are made later. */
export async function insertDocument(
  trx: Trx,
  row: Omit<Insertable<Tables['document']>, 'content'> & { created_at: Date },
  content: DocumentContent,
): Promise<DocumentRow> {
  const { store_id, id, created_at } = row;
  const document = await trx
    .insertInto('document')
    .values({ ...row, content: sql`${JSON.stringify(content)}::json` })
    .returning(columns)
    .executeTakeFirstOrThrow();
  await trx.insertInto('document_file').values({ store_id, document_id: id, due_at: created_at }).execute();
  return document;
}

/** A document found by its address, with the files that already exist. */
export interface AddressedDocument extends DocumentRow {
  pdf: Buffer | null;
  xml: string | null;
}

const findFiles = prepare<AddressedDocument>(
  'document-files',
  `select ${columns.map((column) => `d.${column}`).join(', ')}, f.pdf, f.xml
   from document d join document_file f on f.store_id = d.store_id and f.document_id = d.id
   where d.store_id = $1 and d.id = $2`,
);

/** Finds a document with those of its files that are made. */
export async function findDocumentFiles(
  db: Db,
  storeId: string,
  id: string,
): Promise<AddressedDocument | undefined> {
  return (await db.executeQuery(findFiles([storeId, id]))).rows[0];
}

/** Returns the inputs for the files of a document. */
export async function findContent(
  db: Db,
  storeId: string,
  id: string,
): Promise<{ content: DocumentContent; logo: Buffer | null } | undefined> {
  const row = await db
    .selectFrom('document')
    .select('content')
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) return undefined;
  const content = toDocumentContent(row);
  return { content, logo: content.logoHash === null ? null : await findLogo(db, storeId, content.logoHash) };
}

/** Stores the files of a document, unless it already has files. */
export async function insertFiles(
  db: Db,
  storeId: string,
  id: string,
  { pdf, xml }: { pdf: Buffer; xml: string | null },
): Promise<void> {
  await db
    .updateTable('document_file')
    .set({ pdf, xml })
    .where('store_id', '=', storeId)
    .where('document_id', '=', id)
    .where('pdf', 'is', null)
    .execute();
}

// The sum is computed in UTC, so that the session's time zone does not matter, because the interval depends on the row.
const afterFailures = `((($1::timestamptz at time zone 'UTC') + make_interval(secs => 60 * (1 + f.failures))) at time zone 'UTC')`;
const unrenderedText = (of: (column: string) => string) =>
  `update document_file f set due_at = ${afterFailures}, failures = f.failures + 1
   from (
     select store_id, document_id from document_file
     where pdf is null and due_at <= $1::timestamptz ${of('store_id')}
     order by due_at limit $2 for update skip locked
   ) due
   where f.store_id = due.store_id and f.document_id = due.document_id ${of('f.store_id')}
   returning f.store_id as "storeId", f.document_id as id`;
const unmade = prepare<{ storeId: string; id: string }>(
  'document-files-unmade',
  unrenderedText(() => ''),
);
const unmadeOfStore = prepare<{ storeId: string; id: string }>(
  'document-files-unmade-of-store',
  unrenderedText((column) => `and ${column} = $3`),
);

/**
 * Claims some documents without files, across all stores by design. Each is due again later, unless its files are
 * stored by then.
 */
export async function claimUnrendered(
  db: Db,
  now: Date,
  limit: number,
): Promise<{ storeId: string; id: string }[]> {
  return claimByStore(db, {
    limit,
    stores: (maxStores) => sql`
      select store_id as "storeId" from document_file where pdf is null and due_at <= ${now}
      order by due_at limit ${maxStores}`,
    claim: async (storeId, maxRows) =>
      (
        await db.executeQuery(
          storeId === null ? unmade([now, maxRows]) : unmadeOfStore([now, maxRows, storeId]),
        )
      ).rows,
  });
}

/** The document settings that a store has saved. */
export interface StoredSettings {
  settings: DocumentSettings;
  logoHash: string | null;
}

const selectSettings = (db: Db, storeId: string) =>
  db
    .selectFrom('document_setting')
    .select(['settings', 'logo_hash as logoHash'])
    .where('store_id', '=', storeId);

const toSettings = (row: { settings: unknown; logoHash: string | null }): StoredSettings => ({
  settings: row.settings as DocumentSettings,
  logoHash: row.logoHash,
});

/** Finds a store's document settings; undefined if it has never saved any. */
export async function findSettings(db: Db, storeId: string): Promise<StoredSettings | undefined> {
  const row = await selectSettings(db, storeId).executeTakeFirst();
  return row && toSettings(row);
}

/** Reads the settings and locks them until the transaction ends. */
export async function lockSettings(trx: Trx, storeId: string): Promise<StoredSettings | undefined> {
  const row = await selectSettings(trx, storeId).forUpdate().executeTakeFirst();
  return row && toSettings(row);
}

/** Stores a store's document settings. */
export async function upsertSettings(
  trx: Trx,
  storeId: string,
  { settings, logoHash }: StoredSettings,
): Promise<void> {
  const values = {
    settings: sql<never>`${JSON.stringify(settings)}::json`,
    is_automatic: settings.invoices === 'automatic',
    logo_hash: logoHash,
    updated_at: new Date(),
  };
  await trx
    .insertInto('document_setting')
    .values({ store_id: storeId, ...values })
    .onConflict((conflict) => conflict.column('store_id').doUpdateSet(values))
    .execute();
}

/** Stores a logo for documents. Returns its hash. */
export async function insertLogo(trx: Trx, storeId: string, bytes: Buffer): Promise<string> {
  const hash = createHash('sha256').update(bytes).digest('hex');
  await trx
    .insertInto('document_logo')
    .values({ store_id: storeId, hash, bytes })
    .onConflict((conflict) => conflict.columns(['store_id', 'hash']).doNothing())
    .execute();
  return hash;
}

/** Returns the bytes of a logo by their hash; null if the store has no such logo. */
export async function findLogo(db: Db, storeId: string, hash: string): Promise<Buffer | null> {
  const row = await db
    .selectFrom('document_logo')
    .select('bytes')
    .where('store_id', '=', storeId)
    .where('hash', '=', hash)
    .executeTakeFirst();
  return row?.bytes ?? null;
}

/** Deletes a logo that no document shows and that is no longer the store's current one. */
export async function deleteUnusedLogo(trx: Trx, storeId: string, hash: string): Promise<void> {
  await sql`
    delete from document_logo where store_id = ${storeId} and hash = ${hash} and not exists (
      select from document where store_id = ${storeId} and content->>'logoHash' = ${hash}
    )`.execute(trx);
}

/** A document that is to be issued automatically. */
export interface DocumentRequest {
  storeId: string;
  orderId: string;
  /** Empty: the invoice. */
  refundId: string;
}

const nextText = (ofStore: string) =>
  `select store_id as "storeId", order_id as "orderId", refund_id as "refundId" from document_request
   where due_at <= $1::timestamptz ${ofStore} order by due_at, refund_id limit 1 for update skip locked`;
const nextRequest = prepare<DocumentRequest>('document-request-next', nextText(''));
const nextOfStore = prepare<DocumentRequest>('document-request-next-of-store', nextText('and store_id = $2'));

/** Finds the next due request, across all stores by design, and locks it until the transaction ends. */
export async function lockNextRequest(trx: Trx, now: Date): Promise<DocumentRequest | undefined> {
  const [request] = await claimByStore<DocumentRequest>(trx, {
    limit: 1,
    stores: () => sql`
      select store_id as "storeId" from document_request where due_at <= ${now}
      order by due_at, refund_id limit 20`,
    claim: async (storeId) =>
      (await trx.executeQuery(storeId === null ? nextRequest([now]) : nextOfStore([now, storeId]))).rows,
  });
  return request;
}

/** Deletes a request for an automatic document. */
export async function deleteRequest(
  trx: Trx,
  { storeId, orderId, refundId }: DocumentRequest,
): Promise<void> {
  await trx
    .deleteFrom('document_request')
    .where('store_id', '=', storeId)
    .where('order_id', '=', orderId)
    .where('refund_id', '=', refundId)
    .execute();
}

/** Postpones one request, or all requests of a store. */
export async function postponeRequests(
  trx: Trx,
  { storeId, orderId, refundId }: Pick<DocumentRequest, 'storeId'> & Partial<DocumentRequest>,
  dueAt: Date,
): Promise<void> {
  let requests = trx.updateTable('document_request').set({ due_at: dueAt }).where('store_id', '=', storeId);
  if (orderId !== undefined) requests = requests.where('order_id', '=', orderId);
  if (refundId !== undefined) requests = requests.where('refund_id', '=', refundId);
  await requests.execute();
}

/** Whether an order waits for its automatic invoice. */
export async function hasRequest(trx: Trx, storeId: string, orderId: string): Promise<boolean> {
  const row = await trx
    .selectFrom('document_request')
    .select('order_id')
    .where('store_id', '=', storeId)
    .where('order_id', '=', orderId)
    .where('refund_id', '=', '')
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Records that the admins are told now that the seller's data is incomplete. Returns false if they have been told since
 * `before`.
 */
export async function markNotified(trx: Trx, storeId: string, now: Date, before: Date): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('document_setting')
    .set({ notified_at: now })
    .where('store_id', '=', storeId)
    .where((where) => where.or([where('notified_at', 'is', null), where('notified_at', '<', before)]))
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}
