import {
  type Address,
  chooseShopLanguage,
  currencyExponent,
  type DocumentKind,
  type DocumentSeller,
  type DocumentSettings,
  type Order,
  type ShopLanguage,
} from '@waybill/contracts';
import { euCountries } from '@waybill/pricing';

/** The reason why something is untaxed. Each appears as a sentence on the document and as a category of EN 16931. */
export type Exemption = 'reverseCharge' | 'smallBusiness' | 'export' | 'exempt';

export interface ContentLine {
  /** Null: not a line of the order. */
  variantId: string | null;
  name: string;
  /** The variant and its SKU. */
  detail: string;
  quantity: number;
  unitPriceCents: number;
  discountCents: number;
  totalCents: number;
  /** Without tax. */
  netCents: number;
  /** Null: untaxed. */
  percent: string | null;
}

/** A net amount at one tax rate. */
export interface RateSum {
  percent: string | null;
  netCents: number;
}

/** The complete contents of a document at the time of issue. Both files are made from this value alone. */
export interface DocumentContent {
  kind: DocumentKind;
  number: string | null;
  issuedAt: string;
  language: ShopLanguage;
  paper: 'A4' | 'LETTER';
  currency: string;
  seller: DocumentSeller;
  bank: string;
  footer: string;
  logoHash: string | null;
  buyer: { name: string; email: string; address: Address | null; country: string; vatId: string | null };
  order: { number: number; createdAt: string };
  /** The invoice that a credit note corrects. */
  invoice: { number: string; issuedAt: string } | null;
  reason: string;
  lines: ContentLine[];
  discounts: { text: string; amountCents: number }[];
  shipping: { text: string; amountCents: number } | null;
  /** Net amounts of shipping and other charges, by rate. */
  charges: RateSum[];
  taxIncluded: boolean;
  taxLines: { name: string; percent: string; baseCents: number; taxCents: number }[];
  /** Null: nothing is untaxed. */
  exemption: Exemption | null;
  /** The untaxed amount. */
  untaxedCents: number;
  subtotalCents: number;
  taxCents: number;
  totalCents: number;
  paidCents: number;
  dueCents: number;
}

/** The inputs of a document besides its order. */
export interface IssueInput {
  kind: DocumentKind;
  number: string | null;
  issuedAt: Date;
  settings: DocumentSettings;
  logoHash: string | null;
  homeCountry: string | null;
}

/** Countries that use Letter paper. */
const letterCountries = ['US', 'CA'];

/** Whether the XML can express the amounts, which have at most two decimals there. */
export const hasXml = ({ kind, currency }: Pick<DocumentContent, 'kind' | 'currency'>): boolean =>
  kind !== 'packingSlip' && currencyExponent(currency) <= 2;

/** Adds up amounts by rate. EN 16931 treats two tax lines with the same percentage as one rate. */
function sumByRate(parts: readonly RateSum[]): RateSum[] {
  const sums = new Map<string | null, number>();
  for (const { percent, netCents } of parts) sums.set(percent, (sums.get(percent) ?? 0) + netCents);
  return [...sums].map(([percent, netCents]) => ({ percent, netCents }));
}

function contentLine(
  {
    variantId,
    name,
    variantName,
    sku,
    quantity,
    unitPriceCents,
    discountCents,
    totalCents,
    taxCents,
    taxPercent,
  }: Order['lineItems'][number],
  taxIncluded: boolean,
): ContentLine {
  const subtotalCents = totalCents + discountCents;
  // With reverse charge, the order keeps the unit price as listed, with tax, but the line is net.
  const isAsListed = unitPriceCents * quantity === subtotalCents;
  return {
    variantId,
    name,
    detail: [variantName, sku].filter(Boolean).join(' · '),
    quantity,
    unitPriceCents: isAsListed ? unitPriceCents : Math.round(subtotalCents / quantity),
    discountCents,
    totalCents,
    netCents: taxIncluded ? totalCents - taxCents : totalCents,
    percent: taxPercent,
  };
}

/**
 * Divides shipping, without tax, by rate: each rate gets the part of its base that its lines do not cover, and the rest
 * is untaxed.
 */
function shippingByRate(order: Order, lines: readonly ContentLine[]): RateSum[] {
  const bases = sumByRate(order.taxLines.map(({ percent, baseCents }) => ({ percent, netCents: baseCents })));
  const ofLines = new Map(sumByRate(lines).map(({ percent, netCents }) => [percent, netCents]));
  const taxed = bases.map(({ percent, netCents }) => ({
    percent,
    netCents: netCents - (ofLines.get(percent) ?? 0),
  }));
  const shippingNet = order.shippingCents - (order.taxIncluded ? order.shippingTaxCents : 0);
  const untaxed = shippingNet - taxed.reduce((sum, { netCents }) => sum + netCents, 0);
  return [...taxed, { percent: null, netCents: untaxed }].filter(({ netCents }) => netCents !== 0);
}

/** Returns why the untaxed part of an order is untaxed, based on the seller and the destination. */
function findTaxExemption(order: Order, seller: DocumentSeller, buyerCountry: string): Exemption {
  if (order.reverseCharge) return 'reverseCharge';
  const isEuSeller = euCountries.has(seller.country);
  if (isEuSeller && seller.vatId === '' && order.taxLines.length === 0) return 'smallBusiness';
  if (isEuSeller && seller.vatId !== '' && !euCountries.has(buyerCountry)) return 'export';
  return 'exempt';
}

/** Builds the contents of an invoice or a packing slip. */
export function buildOrderDocumentContent(order: Order, issue: IssueInput): DocumentContent {
  const { kind, settings, homeCountry } = issue;
  const { seller } = settings;
  const address = order.customer.shippingAddress;
  const buyerCountry = address?.country || homeCountry || seller.country;
  const lines = order.lineItems.map((item) => contentLine(item, order.taxIncluded));
  const charges = shippingByRate(order, lines);
  const untaxed = [...lines, ...charges].filter(({ percent }) => percent === null);
  const untaxedCents = untaxed.reduce((sum, { netCents }) => sum + netCents, 0);
  return {
    kind,
    number: issue.number,
    issuedAt: issue.issuedAt.toISOString(),
    language: chooseShopLanguage(order.locale, settings.locale),
    paper: letterCountries.includes(seller.country || homeCountry || buyerCountry) ? 'LETTER' : 'A4',
    currency: order.currency,
    seller,
    bank: settings.bank,
    footer: settings.footer,
    logoHash: issue.logoHash,
    buyer: {
      name: order.customer.name,
      email: order.customer.email,
      address,
      country: buyerCountry,
      vatId: order.vatId,
    },
    order: { number: order.number, createdAt: order.createdAt },
    invoice: null,
    reason: '',
    lines,
    discounts: order.discounts
      .filter(({ amountCents }) => amountCents > 0)
      .map(({ title, code, amountCents }) => ({ text: code ?? title, amountCents })),
    shipping:
      order.shippingCents > 0 || order.shippingRate
        ? { text: order.shippingRate?.name ?? '', amountCents: order.shippingCents }
        : null,
    charges,
    taxIncluded: order.taxIncluded,
    taxLines: order.taxLines.map(({ name, percent, baseCents, taxCents }) => ({
      name,
      percent,
      baseCents,
      taxCents,
    })),
    exemption: untaxed.length > 0 ? findTaxExemption(order, seller, buyerCountry) : null,
    untaxedCents,
    subtotalCents: order.subtotalCents,
    taxCents: order.taxCents,
    totalCents: order.totalCents,
    paidCents: Math.min(order.paidCents, order.totalCents),
    dueCents: order.totalCents - Math.min(order.paidCents, order.totalCents),
  };
}
