import type { DocumentKind } from '@waybill/contracts';
import { allocate } from '@waybill/pricing';
import type { Write } from '../config.ts';
import { errors } from '../errors.ts';
import { findRefund } from '../refunding/queries.ts';
import { toRefund } from '../refunding/refunding.ts';
import type { ContentLine, DocumentContent, IssueInput } from './content.ts';
import {
  composeContent,
  type IssueContext,
  type IssuedDocument,
  issue,
  issueInvoice,
  issuePackingSlip,
  lockWholeOrder,
  toDocument,
} from './documents.ts';
import { findCreditNote, findInvoice } from './queries.ts';
import { documentTexts } from './rendering/texts.ts';

/** The refund of a credit note. Amounts of lines include tax; `shippingCents` includes tax if the order's does. */
export interface CreditedRefund {
  amountCents: number;
  taxCents: number;
  shippingCents: number;
  lines: readonly { variantId: string; quantity: number; amountCents: number; taxCents: number }[];
  reason: string | null;
}

/** A credited part at one tax rate. */
interface CreditedPart {
  line: ContentLine | null;
  quantity: number;
  percent: string | null;
  /** Gross amount, before all parts are scaled to the refund's total. */
  weight: number;
  /** Tax in `weight`, in thousandths. */
  taxWeight: number;
}

/**
 * Returns the tax within an amount, in thousandths, so that amounts can be divided more precisely than in whole units.
 */
const computeIncludedTax = (grossCents: number, percent: string | null): number => {
  const rate = Number(percent ?? 0);
  return Math.round((grossCents * rate * 1_000) / (100 + rate));
};

const addTax = (netCents: number, percent: string | null): number =>
  Math.round(netCents * (1 + Number(percent ?? 0) / 100));

/** Returns the gross amounts of an invoice by rate. */
function listInvoiceParts(invoice: DocumentContent): CreditedPart[] {
  const taxed = invoice.taxLines.map(
    ({ percent, baseCents, taxCents }): CreditedPart => ({
      line: null,
      quantity: 1,
      percent,
      weight: baseCents + taxCents,
      taxWeight: taxCents * 1_000,
    }),
  );
  const untaxed: CreditedPart = {
    line: null,
    quantity: 1,
    percent: null,
    weight: invoice.untaxedCents,
    taxWeight: 0,
  };
  return [...taxed, untaxed].filter(({ weight }) => weight > 0);
}

function listLineParts(invoice: DocumentContent, refund: CreditedRefund): CreditedPart[] {
  return refund.lines.flatMap(({ variantId, quantity, amountCents, taxCents }) => {
    const line = invoice.lines.find((each) => each.variantId === variantId);
    if (!line) return [];
    return [{ line, quantity, percent: line.percent, weight: amountCents, taxWeight: taxCents * 1_000 }];
  });
}

function listShippingParts(invoice: DocumentContent, { shippingCents }: CreditedRefund): CreditedPart[] {
  if (shippingCents === 0) return [];
  const charges = invoice.charges.filter(({ netCents }) => netCents > 0);
  const gross = charges.map(({ percent, netCents }) => addTax(netCents, percent));
  const all = gross.reduce((sum, each) => sum + each, 0);
  // If tax comes on top, the invoice's shipping amount is net.
  const shown = invoice.shipping?.amountCents || all;
  const credited = allocate(Math.round((all * shippingCents) / shown), gross);
  return charges.map(({ percent }, i) => ({
    line: null,
    quantity: 1,
    percent,
    weight: credited[i]!,
    taxWeight: computeIncludedTax(credited[i]!, percent),
  }));
}

/** Whether tax can fall under a part. EN 16931 allows none at a rate of 0 %. */
const isTaxable = ({ percent }: Pick<CreditedPart, 'percent'>): boolean => Number(percent ?? 0) > 0;

/**
 * Returns the parts that take the tax of a refund whose own parts are all untaxed: the last refund of an order takes
 * what rounding has left of the tax. None if the parts can take it.
 */
function listRestParts(
  invoice: DocumentContent,
  { taxCents }: CreditedRefund,
  parts: readonly CreditedPart[],
): CreditedPart[] {
  if (taxCents === 0 || parts.some(isTaxable)) return [];
  const taxed = invoice.taxLines.filter(isTaxable).slice(0, 1);
  return taxed.map(({ percent }) => ({ line: null, quantity: 1, percent, weight: 0, taxWeight: 0 }));
}

/**
 * Divides a refund among its parts. No part has more tax than its amount: a refund of a few cents may consist of tax
 * alone, which then takes the amount along.
 */
function divideRefund(
  { amountCents, taxCents }: CreditedRefund,
  parts: readonly CreditedPart[],
): { gross: number[]; taxes: number[] } {
  const gross = allocate(
    amountCents,
    parts.map(({ weight }) => weight),
  );
  const taxWeights = parts.map((part) => (isTaxable(part) ? part.taxWeight : 0));
  const first = parts.findIndex(isTaxable);
  if (first < 0) return { gross, taxes: parts.map(() => 0) };
  if (Math.max(...taxWeights) === 0) taxWeights[first] = 1;
  const taxes = allocate(taxCents, taxWeights);
  for (const [i, tax] of taxes.entries())
    for (const j of gross.keys()) {
      const moved = Math.min(tax - gross[i]!, gross[j]! - taxes[j]!);
      if (moved <= 0) continue;
      gross[j]! -= moved;
      gross[i]! += moved;
    }
  return { gross, taxes };
}

/** Sums the net amounts and the taxes of the parts that count by rate, and the amounts of those without a rate. */
function sumByRate(
  parts: readonly CreditedPart[],
  { gross, taxes }: { gross: readonly number[]; taxes: readonly number[] },
  invoice: DocumentContent,
  counts: (index: number) => boolean,
): Pick<DocumentContent, 'taxLines' | 'untaxedCents'> {
  const sums = new Map<string, { baseCents: number; taxCents: number }>();
  let untaxedCents = 0;
  for (const [i, { percent }] of parts.entries()) {
    if (!counts(i)) continue;
    if (percent === null) untaxedCents += gross[i]!;
    else {
      const { baseCents, taxCents } = sums.get(percent) ?? { baseCents: 0, taxCents: 0 };
      sums.set(percent, {
        baseCents: baseCents + gross[i]! - taxes[i]!,
        taxCents: taxCents + taxes[i]!,
      });
    }
  }
  const findTaxName = (percent: string) =>
    invoice.taxLines.find((line) => line.percent === percent)?.name ?? documentTexts[invoice.language].tax;
  const taxLines = [...sums].map(([percent, sum]) => ({ name: findTaxName(percent), percent, ...sum }));
  return { taxLines, untaxedCents };
}

/** Builds the line of a credited part. */
function toLine(
  { line, quantity, percent }: CreditedPart,
  { language }: DocumentContent,
  { shownCents, netCents }: { shownCents: number; netCents: number },
): ContentLine {
  return {
    variantId: line?.variantId ?? null,
    name: line?.name ?? documentTexts[language].refund,
    detail: line?.detail ?? '',
    quantity,
    // The unit price is the credited amount per unit; the original price is on the invoice.
    unitPriceCents: Math.round(shownCents / quantity),
    discountCents: 0,
    totalCents: shownCents,
    netCents,
    percent,
  };
}

/**
 * Builds the contents of a refund's credit note. Its total and tax match the refund to the cent. They are divided among
 * the refund's lines and shipping, or among the invoice's rates if the refund is only an amount.
 */
export function buildCreditNoteContent(
  refund: CreditedRefund,
  invoice: DocumentContent,
  issue: Pick<IssueInput, 'number' | 'issuedAt' | 'settings' | 'logoHash'>,
): DocumentContent {
  const shippingParts = listShippingParts(invoice, refund);
  const ownParts = listLineParts(invoice, refund);
  const isSum = ownParts.length + shippingParts.length === 0;
  const namedParts = isSum ? listInvoiceParts(invoice) : ownParts;
  const lineParts = [...namedParts, ...listRestParts(invoice, refund, [...namedParts, ...shippingParts])];
  const parts = [...lineParts, ...shippingParts];
  const divided = divideRefund(refund, parts);
  const { gross, taxes } = divided;
  const getShownCents = (i: number) => (invoice.taxIncluded ? gross[i]! : gross[i]! - taxes[i]!);
  const shippingFrom = lineParts.length;
  // A refund of some shipping may leave nothing for one of its rates, which then does not appear in the document.
  const counts = (i: number) => i < shippingFrom || gross[i]! > 0;
  const lines = lineParts.map((part, i) =>
    toLine(part, invoice, { shownCents: getShownCents(i), netCents: gross[i]! - taxes[i]! }),
  );
  const charges = parts
    .map(({ percent }, i) => ({ percent, netCents: gross[i]! - taxes[i]! }))
    .slice(shippingFrom)
    .filter(({ netCents }) => netCents !== 0);
  const shippingShown = parts.reduce((sum, _, i) => sum + (i >= shippingFrom ? getShownCents(i) : 0), 0);
  const { taxLines, untaxedCents } = sumByRate(parts, divided, invoice, counts);
  return {
    ...invoice,
    kind: 'creditNote',
    number: issue.number,
    issuedAt: issue.issuedAt.toISOString(),
    seller: issue.settings.seller,
    bank: '',
    footer: issue.settings.footer,
    logoHash: issue.logoHash,
    invoice: { number: invoice.number!, issuedAt: invoice.issuedAt },
    reason: refund.reason ?? '',
    lines,
    discounts: [],
    shipping: shippingParts.length > 0 ? { text: '', amountCents: shippingShown } : null,
    charges,
    taxLines,
    exemption: parts.some(({ percent }, i) => percent === null && counts(i))
      ? (invoice.exemption ?? 'exempt')
      : null,
    untaxedCents,
    subtotalCents: lines.reduce((sum, { totalCents }) => sum + totalCents, 0),
    taxCents: taxes.reduce((sum, tax) => sum + tax, 0),
    totalCents: refund.amountCents,
    paidCents: 0,
    dueCents: refund.amountCents,
  };
}

/**
 * Issues the credit note of a refund, or returns the existing one.
 * @throws invalid_body without a refund, not_found, invalid_state if the order has no invoice, seller_incomplete
 */
export async function issueCreditNote(
  write: Write,
  context: IssueContext,
  storeId: string,
  orderId: string,
  refundId: string | null,
): Promise<IssuedDocument> {
  const { trx } = write;
  if (refundId === null)
    throw errors.invalid_body({
      details: [{ pointer: '/refundId', message: 'is required for a credit note' }],
    });
  await lockWholeOrder(trx, storeId, orderId);
  const row = await findRefund(trx, storeId, orderId, refundId);
  if (!row) throw errors.not_found({ message: 'The order has no such refund.' });
  const invoice = await findInvoice(trx, storeId, orderId);
  if (!invoice) throw errors.invalid_state({ message: 'The order has no invoice that could be corrected.' });
  const known = await findCreditNote(trx, storeId, orderId, refundId);
  if (known) return { document: await toDocument({ ...context, db: trx }, known), isNew: false };
  const refund = toRefund(row);
  if (refund.state !== 'done')
    throw errors.invalid_state({ message: `This refund is ${refund.state}: no money was refunded yet.` });
  const content = await composeContent(trx, storeId, 'creditNote', (issue) =>
    buildCreditNoteContent(refund, invoice.content, issue),
  );
  return issue(write, context, storeId, orderId, content, refundId);
}

/**
 * Issues a document on request.
 * @throws not_found, invalid_body, invalid_state, seller_incomplete, too_many_documents
 */
export function issueOnRequest(
  write: Write,
  context: IssueContext,
  storeId: string,
  orderId: string,
  { kind, refundId }: { kind: DocumentKind; refundId: string | null },
): Promise<IssuedDocument> {
  if (kind === 'invoice') return issueInvoice(write, context, storeId, orderId);
  if (kind === 'packingSlip') return issuePackingSlip(write, context, storeId, orderId);
  return issueCreditNote(write, context, storeId, orderId, refundId);
}
