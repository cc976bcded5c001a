import type { DocumentKind } from '@waybill/contracts';
import { allocate } from '@waybill/pricing';
import type { Transaction } from 'kysely';
import type { Config, Context } from '../config.ts';
import { errors } from '../errors.ts';
import { findRefund } from '../refunding/queries.ts';
import { toRefund } from '../refunding/refunding.ts';
import type { Tables } from '../tables.ts';
import type { ContentLine, DocumentContent, Issue } from './content.ts';
import {
  contentWith,
  type Issued,
  issue,
  issueInvoice,
  issuePackingSlip,
  lockWholeOrder,
  toDocument,
} from './documents.ts';
import { findCreditNote, findInvoice } from './queries.ts';
import { documentTexts } from './rendering/texts.ts';

type Trx = Transaction<Tables>;

/** A refund as its credit note reads it. Amounts of lines hold their tax; shipping is meant as the order's is. */
export interface CreditedRefund {
  amountCents: number;
  taxCents: number;
  shippingCents: number;
  lines: readonly { variantId: string; quantity: number; amountCents: number; taxCents: number }[];
  reason: string | null;
}

/** A part of what is credited, at one rate of tax. */
interface Part {
  line: ContentLine | null;
  quantity: number;
  percent: string | null;
  /** With its tax, before all parts are scaled to the refund's sum. */
  weight: number;
  /** The tax in that, in thousandths. */
  taxWeight: number;
}

/** The tax within an amount, in thousandths, so that parts are divided more exactly than in whole units. */
const taxWithin = (grossCents: number, percent: string | null): number => {
  const rate = Number(percent ?? 0);
  return Math.round((grossCents * rate * 1_000) / (100 + rate));
};

const grossOf = (netCents: number, percent: string | null): number =>
  Math.round(netCents * (1 + Number(percent ?? 0) / 100));

/** What an invoice came to at each rate, with tax. */
function partsOfInvoice(invoice: DocumentContent): Part[] {
  const taxed = invoice.taxLines.map(
    ({ percent, baseCents, taxCents }): Part => ({
      line: null,
      quantity: 1,
      percent,
      weight: baseCents + taxCents,
      taxWeight: taxCents * 1_000,
    }),
  );
  const untaxed: Part = {
    line: null,
    quantity: 1,
    percent: null,
    weight: invoice.untaxedCents,
    taxWeight: 0,
  };
  return [...taxed, untaxed].filter(({ weight }) => weight > 0);
}

function partsOfLines(invoice: DocumentContent, refund: CreditedRefund): Part[] {
  return refund.lines.flatMap(({ variantId, quantity, amountCents, taxCents }) => {
    const line = invoice.lines.find((each) => each.variantId === variantId);
    if (!line) return [];
    return [{ line, quantity, percent: line.percent, weight: amountCents, taxWeight: taxCents * 1_000 }];
  });
}

function partsOfShipping(invoice: DocumentContent, { shippingCents }: CreditedRefund): Part[] {
  if (shippingCents === 0) return [];
  const charges = invoice.charges.filter(({ netCents }) => netCents > 0);
  const gross = charges.map(({ percent, netCents }) => grossOf(netCents, percent));
  const all = gross.reduce((sum, each) => sum + each, 0);
  // Of tax on top, the sum does not hold it.
  const shown = invoice.shipping?.amountCents || all;
  const credited = allocate(Math.round((all * shippingCents) / shown), gross);
  return charges.map(({ percent }, i) => ({
    line: null,
    quantity: 1,
    percent,
    weight: credited[i]!,
    taxWeight: taxWithin(credited[i]!, percent),
  }));
}

/**
 * What the credit note of a refund says: its sum and tax to the cent, divided among its lines and shipping, or among the
 * rates of the invoice where the refund is a sum alone.
 */
export function contentOfRefund(
  refund: CreditedRefund,
  invoice: DocumentContent,
  made: Pick<Issue, 'number' | 'issuedAt' | 'settings' | 'logoHash'>,
): DocumentContent {
  const lineParts = partsOfLines(invoice, refund);
  const shippingParts = partsOfShipping(invoice, refund);
  const isSum = lineParts.length + shippingParts.length === 0;
  const parts = isSum ? partsOfInvoice(invoice) : [...lineParts, ...shippingParts];
  const gross = allocate(
    refund.amountCents,
    parts.map(({ weight }) => weight),
  );
  const taxWeights = parts.map(({ taxWeight }) => taxWeight);
  const isTaxed = taxWeights.some((weight) => weight > 0);
  const taxes = isTaxed ? allocate(refund.taxCents, taxWeights) : parts.map(() => 0);
  const shownOf = (i: number) => (invoice.taxIncluded ? gross[i]! : gross[i]! - taxes[i]!);
  const texts = documentTexts[invoice.language];
  const shippingFrom = isSum ? parts.length : lineParts.length;

  const lines = parts.slice(0, shippingFrom).map(
    ({ line, quantity, percent }, i): ContentLine => ({
      variantId: line?.variantId ?? null,
      name: line?.name ?? texts.refund,
      detail: line?.detail ?? '',
      quantity,
      // What a unit was sold for is on the invoice; here stands what is credited.
      unitPriceCents: Math.round(shownOf(i) / quantity),
      discountCents: 0,
      totalCents: shownOf(i),
      netCents: gross[i]! - taxes[i]!,
      percent,
    }),
  );
  const charges = parts
    .map(({ percent }, i) => ({ percent, netCents: gross[i]! - taxes[i]! }))
    .slice(shippingFrom)
    .filter(({ netCents }) => netCents !== 0);
  const shippingShown = parts.reduce((sum, _, i) => sum + (i >= shippingFrom ? shownOf(i) : 0), 0);
  const nameOf = (percent: string) =>
    invoice.taxLines.find((line) => line.percent === percent)?.name ?? texts.tax;
  const sums = new Map<string, { baseCents: number; taxCents: number }>();
  let untaxedCents = 0;
  for (const [i, { percent }] of parts.entries()) {
    if (percent === null) untaxedCents += gross[i]!;
    else {
      const { baseCents, taxCents } = sums.get(percent) ?? { baseCents: 0, taxCents: 0 };
      sums.set(percent, {
        baseCents: baseCents + gross[i]! - taxes[i]!,
        taxCents: taxCents + taxes[i]!,
      });
    }
  }
  return {
    ...invoice,
    kind: 'creditNote',
    number: made.number,
    issuedAt: made.issuedAt.toISOString(),
    seller: made.settings.seller,
    bank: '',
    footer: made.settings.footer,
    logoHash: made.logoHash,
    invoice: { number: invoice.number!, issuedAt: invoice.issuedAt },
    reason: refund.reason ?? '',
    lines,
    discounts: [],
    shipping: shippingParts.length > 0 ? { text: '', amountCents: shippingShown } : null,
    charges,
    taxLines: [...sums].map(([percent, sum]) => ({ name: nameOf(percent), percent, ...sum })),
    exemption: parts.some(({ percent }) => percent === null) ? (invoice.exemption ?? 'exempt') : null,
    untaxedCents,
    subtotalCents: lines.reduce((sum, { totalCents }) => sum + totalCents, 0),
    taxCents: taxes.reduce((sum, tax) => sum + tax, 0),
    totalCents: refund.amountCents,
    paidCents: 0,
    dueCents: refund.amountCents,
  };
}

/**
 * Issues the credit note of a refund, or the one that it has.
 * @throws invalid_body without a refund, not_found, invalid_state where the order has no invoice, seller_incomplete
 */
export async function issueCreditNote(
  trx: Trx,
  config: Config,
  storeId: string,
  orderId: string,
  refundId: string | null,
): Promise<Issued> {
  if (refundId === null)
    throw errors.invalid_body({
      details: [{ pointer: '/refundId', message: 'is required of a credit note' }],
    });
  await lockWholeOrder(trx, storeId, orderId);
  const row = await findRefund(trx, storeId, orderId, refundId);
  if (!row) throw errors.not_found({ message: 'The order has no such refund.' });
  const invoice = await findInvoice(trx, storeId, orderId);
  if (!invoice) throw errors.invalid_state({ message: 'The order has no invoice that could be corrected.' });
  const known = await findCreditNote(trx, storeId, orderId, refundId);
  if (known) return { document: toDocument(known, config), isNew: false };
  const refund = toRefund(row);
  if (refund.state !== 'done')
    throw errors.invalid_state({ message: `This refund is ${refund.state}: no money went back yet.` });
  const content = await contentWith(trx, storeId, 'creditNote', (made) =>
    contentOfRefund(refund, invoice.content, made),
  );
  return issue(trx, config, storeId, orderId, content, refundId);
}

/**
 * Issues a document that somebody asks for.
 * @throws not_found, invalid_body, invalid_state, seller_incomplete, too_many_documents
 */
export function issueOnRequest(
  trx: Trx,
  { config }: Pick<Context, 'config'>,
  storeId: string,
  orderId: string,
  { kind, refundId }: { kind: DocumentKind; refundId: string | null },
): Promise<Issued> {
  if (kind === 'invoice') return issueInvoice(trx, config, storeId, orderId);
  if (kind === 'packingSlip') return issuePackingSlip(trx, config, storeId, orderId);
  return issueCreditNote(trx, config, storeId, orderId, refundId);
}
