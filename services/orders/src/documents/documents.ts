import { DocumentIssued, type DocumentKind, newId, type Order, type OrderDocument } from '@waybill/contracts';
import type { Transaction } from 'kysely';
import type { Context, Write } from '../config.ts';
import { errors } from '../errors.ts';
import { findOrderEnvelope, lockOrder } from '../orders/queries.ts';
import { findTaxes } from '../pricing/settings.ts';
import type { Tables } from '../tables.ts';
import { deriveTokenSecret, ensureToken, hashSecret } from '../tokens/tokens.ts';
import { buildOrderDocumentContent, type DocumentContent, hasXml, type IssueInput } from './content.ts';
import {
  claimNumber,
  countDocuments,
  type DocumentRow,
  findInvoice,
  insertDocument,
  toProof,
} from './queries.ts';
import { findMissingSellerData, readSettings, writeNumber } from './settings.ts';

type Trx = Transaction<Tables>;

/** Maximum number of an order's packing slips. An order has one invoice, and a refund one credit note. */
const maxPackingSlips = 10_000;

/** The parts of the context that issuing needs besides its transaction. */
export type IssueContext = Pick<Context, 'config' | 'deriveSecrets'>;

/** Converts a document to the shape that the API uses. Anybody who knows its addresses may see its files. */
export async function toDocument(
  context: Pick<Context, 'config' | 'db' | 'deriveSecrets'>,
  row: DocumentRow,
): Promise<OrderDocument> {
  const token = await ensureToken(context, 'document', row.store_id, row.id, toProof(row));
  const url = `${context.config.baseUrl}/storefront/${row.store_id}/documents/${token}`;
  return {
    id: row.id,
    orderId: row.order_id,
    kind: row.kind as DocumentKind,
    number: row.number,
    refundId: row.refund_id,
    issuedAt: row.created_at.toISOString(),
    url,
    xmlUrl: row.has_xml ? `${url}/xml` : null,
  };
}

/** The result of issuing. `isNew` is false if the document had been issued before. */
export interface IssuedDocument {
  document: OrderDocument;
  isNew: boolean;
}

/**
 * Issues the invoice of an order, or returns the existing one.
 * @throws not_found, seller_incomplete
 */
export async function issueInvoice(
  write: Write,
  context: IssueContext,
  storeId: string,
  orderId: string,
): Promise<IssuedDocument> {
  const { trx } = write;
  // Concurrent requests wait here, so the second one finds the first one's invoice.
  const order = await lockWholeOrder(trx, storeId, orderId);
  const known = await findInvoice(trx, storeId, orderId);
  if (known) return { document: await toDocument({ ...context, db: trx }, known), isNew: false };
  const content = await composeContent(trx, storeId, 'invoice', (issue) =>
    buildOrderDocumentContent(order, issue),
  );
  return issue(write, context, storeId, orderId, content);
}

/**
 * Issues a packing slip of an order.
 * @throws not_found, too_many_documents
 */
export async function issuePackingSlip(
  write: Write,
  context: IssueContext,
  storeId: string,
  orderId: string,
): Promise<IssuedDocument> {
  const { trx } = write;
  const order = await lockWholeOrder(trx, storeId, orderId);
  if ((await countDocuments(trx, storeId, orderId, 'packingSlip')) >= maxPackingSlips)
    throw errors.too_many_documents();
  const content = await composeContent(trx, storeId, 'packingSlip', (issue) =>
    buildOrderDocumentContent(order, issue),
  );
  return issue(write, context, storeId, orderId, content);
}

/** Returns an order in the shape of the API, and locks it until the transaction ends. @throws not_found */
export async function lockWholeOrder(trx: Trx, storeId: string, orderId: string): Promise<Order> {
  if (!(await lockOrder(trx, storeId, orderId))) throw errors.not_found();
  const { order }: { order: Order } = JSON.parse((await findOrderEnvelope(trx, storeId, orderId))!);
  return order;
}

/**
 * Builds the contents of a document. Takes the number last, because it makes other documents of the store wait.
 * @throws seller_incomplete
 */
export async function composeContent(
  trx: Trx,
  storeId: string,
  kind: DocumentKind,
  buildContent: (issue: IssueInput) => DocumentContent,
): Promise<DocumentContent> {
  const { settings, logoHash } = await readSettings(trx, storeId);
  const { homeCountry } = await findTaxes(trx, storeId);
  const common = { kind, settings, logoHash, homeCountry };
  if (kind === 'packingSlip') return buildContent({ ...common, number: null, issuedAt: new Date() });
  const details = findMissingSellerData(settings.seller);
  if (details.length > 0) throw errors.seller_incomplete({ details });
  const number = await claimNumber(trx, storeId, kind);
  // Set under the lock, so that a greater number always has a later instant.
  const issuedAt = new Date();
  const pattern = kind === 'invoice' ? settings.invoicePattern : settings.creditNotePattern;
  return buildContent({ ...common, number: writeNumber(pattern, number, issuedAt), issuedAt });
}

/** Stores a document and emits the event about it. */
export async function issue(
  { trx, emit, audit }: Write,
  context: IssueContext,
  storeId: string,
  orderId: string,
  content: DocumentContent,
  refundId: string | null = null,
): Promise<IssuedDocument> {
  const id = newId('document');
  const row = {
    store_id: storeId,
    id,
    order_id: orderId,
    kind: content.kind,
    refund_id: refundId,
    number: content.number,
    secret_hashes: [hashSecret(deriveTokenSecret(context, 'document', id))],
    has_xml: hasXml(content),
    created_at: new Date(content.issuedAt),
  };
  const document = await toDocument({ ...context, db: trx }, await insertDocument(trx, row, content));
  await emit(DocumentIssued, storeId, { document });
  await audit(storeId, 'document.issued', { id, name: content.number ?? undefined });
  return { document, isNew: true };
}
