import { randomBytes, timingSafeEqual } from 'node:crypto';
import {
  DocumentIssued,
  type DocumentKind,
  idPrefixes,
  newId,
  type Order,
  type OrderDocument,
} from '@waybill/contracts';
import { audit, emit } from '@waybill/kernel';
import type { Transaction } from 'kysely';
import type { Config } from '../config.ts';
import { errors } from '../errors.ts';
import { findOrderEnvelope, lockOrder } from '../orders/queries.ts';
import { findTaxes } from '../pricing/settings.ts';
import type { Tables } from '../tables.ts';
import { contentOfOrder, type DocumentContent, hasXml, type Issue } from './content.ts';
import { countDocuments, type DocumentRow, findInvoice, insertDocument, takeNumber } from './queries.ts';
import { missingOfSeller, readSettings, writeNumber } from './settings.ts';

type Trx = Transaction<Tables>;

/** How many packing slips an order has at most; of the other kinds there is one for the order or refund. */
const maxPackingSlips = 10_000;

/** The path of a document's file: whoever has it may see it. */
const pathOf = ({ store_id, id, secret }: DocumentRow): string =>
  `/storefront/${store_id}/documents/${id.slice(idPrefixes.document.length + 1)}-${secret}`;

/** The document and the secret that an address names; null: it is none. */
export function readAddress(token: string): { id: string; secret: string } | null {
  const [, digits, secret] = /^([0-9a-hjkmnp-tv-z]{26})-([\w-]{22})$/.exec(token) ?? [];
  return digits && secret ? { id: `${idPrefixes.document}_${digits}`, secret } : null;
}

/** Compares in constant time. */
export const isSecretOf = ({ secret }: DocumentRow, given: string): boolean =>
  secret.length === given.length && timingSafeEqual(Buffer.from(secret), Buffer.from(given));

/** A document as the API shows it. */
export const toDocument = (row: DocumentRow, { baseUrl }: Pick<Config, 'baseUrl'>): OrderDocument => ({
  id: row.id,
  orderId: row.order_id,
  kind: row.kind as DocumentKind,
  number: row.number,
  refundId: row.refund_id,
  issuedAt: row.created_at.toISOString(),
  url: baseUrl + pathOf(row),
  xmlUrl: row.has_xml ? `${baseUrl}${pathOf(row)}/xml` : null,
});

/** What issuing came to; `isNew: false`: it had been issued before. */
export interface Issued {
  document: OrderDocument;
  isNew: boolean;
}

/**
 * Issues the invoice of an order, or the one that it has.
 * @throws not_found, seller_incomplete
 */
export async function issueInvoice(
  trx: Trx,
  config: Config,
  storeId: string,
  orderId: string,
): Promise<Issued> {
  // Two at once wait here, and the second finds what the first has issued.
  const order = await lockWholeOrder(trx, storeId, orderId);
  const known = await findInvoice(trx, storeId, orderId);
  if (known) return { document: toDocument(known, config), isNew: false };
  const content = await contentWith(trx, storeId, 'invoice', (issue) => contentOfOrder(order, issue));
  return issue(trx, config, storeId, orderId, content);
}

/**
 * Issues a packing slip of an order.
 * @throws not_found, too_many_documents
 */
export async function issuePackingSlip(
  trx: Trx,
  config: Config,
  storeId: string,
  orderId: string,
): Promise<Issued> {
  const order = await lockWholeOrder(trx, storeId, orderId);
  if ((await countDocuments(trx, storeId, orderId, 'packingSlip')) >= maxPackingSlips)
    throw errors.too_many_documents();
  const content = await contentWith(trx, storeId, 'packingSlip', (issue) => contentOfOrder(order, issue));
  return issue(trx, config, storeId, orderId, content);
}

/** An order as the API shows it, locked until the transaction ends. @throws not_found */
export async function lockWholeOrder(trx: Trx, storeId: string, orderId: string): Promise<Order> {
  if (!(await lockOrder(trx, storeId, orderId))) throw errors.not_found();
  const { order }: { order: Order } = JSON.parse((await findOrderEnvelope(trx, storeId, orderId))!);
  return order;
}

/**
 * Makes what a document says; of one with a number, that is taken last, as it keeps others of the store waiting.
 * @throws seller_incomplete
 */
export async function contentWith(
  trx: Trx,
  storeId: string,
  kind: DocumentKind,
  make: (issue: Issue) => DocumentContent,
): Promise<DocumentContent> {
  const { settings, logoHash } = await readSettings(trx, storeId);
  const { homeCountry } = await findTaxes(trx, storeId);
  const common = { kind, settings, logoHash, homeCountry };
  if (kind === 'packingSlip') return make({ ...common, number: null, issuedAt: new Date() });
  const details = missingOfSeller(settings.seller);
  if (details.length > 0) throw errors.seller_incomplete({ details });
  const number = await takeNumber(trx, storeId, kind);
  // After the lock: of two documents, the one with the greater number has the later instant.
  const issuedAt = new Date();
  const pattern = kind === 'invoice' ? settings.invoicePattern : settings.creditNotePattern;
  return make({ ...common, number: writeNumber(pattern, number, issuedAt), issuedAt });
}

/** Stores a document and tells of it. */
export async function issue(
  trx: Trx,
  config: Config,
  storeId: string,
  orderId: string,
  content: DocumentContent,
  refundId: string | null = null,
): Promise<Issued> {
  const row = {
    store_id: storeId,
    id: newId('document'),
    order_id: orderId,
    kind: content.kind,
    refund_id: refundId,
    number: content.number,
    secret: randomBytes(16).toString('base64url'),
    has_xml: hasXml(content),
    created_at: new Date(content.issuedAt),
  };
  const document = toDocument(await insertDocument(trx, row, content), config);
  await emit(trx, DocumentIssued, storeId, { document });
  await audit(trx, storeId, 'document.issued', { id: row.id, name: content.number ?? undefined });
  return { document, isNew: true };
}
