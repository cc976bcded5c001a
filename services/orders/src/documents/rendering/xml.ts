import { countries, currencyExponent, decimalAmount } from '@waybill/contracts';
import type { DocumentContent, Exemption } from '../content.ts';
import { documentTexts } from './texts.ts';

const namespaces = {
  'xmlns:rsm': 'urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100',
  'xmlns:ram': 'urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100',
  'xmlns:udt': 'urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100',
  'xmlns:qdt': 'urn:un:unece:uncefact:data:standard:QualifiedDataType:100',
};

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes a text and removes the characters that XML 1.0 forbids. */
const escapeText = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replace(/[&<>"]/g, (character) => entities[character]!);

type Child = string | false | null | undefined;

/** Returns an element with child elements, or an empty string if it has none. */
function group(name: string, ...children: readonly Child[]): string {
  const inner = children.filter(Boolean).join('');
  return inner === '' ? '' : `<${name}>${inner}</${name}>`;
}

/** Returns an element with text, or an empty string if the text is empty. */
function leaf(name: string, text: string, attributes: Readonly<Record<string, string>> = {}): string {
  const escaped = escapeText(text).trim();
  if (escaped === '') return '';
  const pairs = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeText(value)}"`);
  return `<${name}${pairs.join('')}>${escaped}</${name}>`;
}

const day = (name: string, instant: string): string =>
  group(name, leaf('udt:DateTimeString', instant.slice(0, 10).replaceAll('-', ''), { format: '102' }));

/** The category in EN 16931 for each reason. */
const untaxedCategories: Record<Exemption, string> = {
  reverseCharge: 'AE',
  smallBusiness: 'E',
  export: 'G',
  exempt: 'E',
};

/** The code of the VATEX list for each reason, if the list has one. */
const exemptionCodes: Partial<Record<Exemption, string>> = {
  reverseCharge: 'VATEX-EU-AE',
  export: 'VATEX-EU-G',
};

/** The prefixes of VAT ids in EN 16931: besides the codes of countries, those of Greece and Northern Ireland. */
const vatPrefixes = new Set([...countries, 'EL', 'XI']);

/**
 * Returns a VAT id with the country prefix that EN 16931 requires. An id is often not checked (`decisions.md 21.1`), so
 * it may begin with two letters that are no prefix.
 */
function vatIdWithCountry(vatId: string, country: string): string {
  const compact = vatId.replace(/\s/g, '').toUpperCase();
  return vatPrefixes.has(compact.slice(0, 2)) ? compact : `${country}${compact}`;
}

/** Whether the check digits of an IBAN are correct (ISO 7064, MOD 97-10). */
function isIban(text: string): boolean {
  const digits = [...(text.slice(4) + text.slice(0, 4))].map((character) => Number.parseInt(character, 36));
  return BigInt(digits.join('')) % 97n === 1n;
}

/** Finds an IBAN in free text. */
function findIban(text: string): string | null {
  for (const candidate of text.match(/[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}/gi) ?? []) {
    const words = candidate.toUpperCase().split(' ');
    // Words after the IBAN may look like a part of it, so shorter candidates are tried too.
    for (let end = words.length; end > 0; end--) {
      const compact = words.slice(0, end).join('');
      if (compact.length >= 15 && compact.length <= 34 && isIban(compact)) return compact;
    }
  }
  return null;
}

function address(
  name: string,
  {
    line1,
    line2,
    city,
    region,
    postalCode,
    country,
  }: Record<'line1' | 'line2' | 'city' | 'region' | 'postalCode' | 'country', string>,
): string {
  return group(
    name,
    leaf('ram:PostcodeCode', postalCode),
    leaf('ram:LineOne', line1),
    leaf('ram:LineTwo', line2),
    leaf('ram:CityName', city),
    leaf('ram:CountryID', country),
    leaf('ram:CountrySubDivisionName', region),
  );
}

const noAddress = { line1: '', line2: '', city: '', region: '', postalCode: '' };

/** The formats that depend on a document's currency and exemption. */
interface Format {
  amount(cents: number): string;
  /** Returns the code of a rate's tax category; null means untaxed. */
  category(percent: string | null): string;
  /** Returns an element with a rate, after some other children. */
  tax(name: string, percent: string | null, ...rest: readonly Child[]): string;
}

function createFormat({ currency, exemption }: DocumentContent): Format {
  const exponent = currencyExponent(currency);
  const category = (percent: string | null): string =>
    percent === null ? untaxedCategories[exemption ?? 'exempt'] : Number(percent) === 0 ? 'Z' : 'S';
  return {
    amount: (cents) => decimalAmount(cents, exponent),
    category,
    tax: (name, percent, ...rest) =>
      group(
        name,
        ...rest,
        leaf('ram:TypeCode', 'VAT'),
        leaf('ram:CategoryCode', category(percent)),
        leaf('ram:RateApplicablePercent', percent ?? '0'),
      ),
  };
}

/**
 * Renders an invoice or credit note as XML: Cross Industry Invoice in the profile EN 16931, which Factur-X and ZUGFeRD
 * share. Amounts are net, and shipping is one charge per rate.
 */
export function renderXml(content: DocumentContent): string {
  const format = createFormat(content);
  const root = group(
    'rsm:CrossIndustryInvoice',
    group(
      'rsm:ExchangedDocumentContext',
      group('ram:GuidelineSpecifiedDocumentContextParameter', leaf('ram:ID', 'urn:cen.eu:en16931:2017')),
    ),
    renderHeader(content),
    group(
      'rsm:SupplyChainTradeTransaction',
      ...content.lines.map((line, i) => renderLine(line, i + 1, format)),
      renderAgreement(content),
      renderDelivery(content),
      renderSettlement(content, format),
    ),
  );
  const declared = Object.entries(namespaces).map(([name, uri]) => ` ${name}="${uri}"`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root.replace('<rsm:CrossIndustryInvoice', `$&${declared.join('')}`)}\n`;
}

const renderHeader = ({ kind, number, issuedAt, reason, footer }: DocumentContent): string =>
  group(
    'rsm:ExchangedDocument',
    leaf('ram:ID', number ?? ''),
    leaf('ram:TypeCode', kind === 'creditNote' ? '381' : '380'),
    day('ram:IssueDateTime', issuedAt),
    reason !== '' && group('ram:IncludedNote', leaf('ram:Content', reason)),
    footer !== '' && group('ram:IncludedNote', leaf('ram:Content', footer)),
  );

const renderLine = (
  line: DocumentContent['lines'][number],
  lineId: number,
  { amount, tax }: Format,
): string =>
  group(
    'ram:IncludedSupplyChainTradeLineItem',
    group('ram:AssociatedDocumentLineDocument', leaf('ram:LineID', String(lineId))),
    group('ram:SpecifiedTradeProduct', leaf('ram:Name', line.name), leaf('ram:Description', line.detail)),
    group(
      'ram:SpecifiedLineTradeAgreement',
      // The price of all units, because the net price of one unit is seldom a whole number of cents.
      group(
        'ram:NetPriceProductTradePrice',
        leaf('ram:ChargeAmount', amount(line.netCents)),
        leaf('ram:BasisQuantity', String(line.quantity), { unitCode: 'C62' }),
      ),
    ),
    group(
      'ram:SpecifiedLineTradeDelivery',
      leaf('ram:BilledQuantity', String(line.quantity), { unitCode: 'C62' }),
    ),
    group(
      'ram:SpecifiedLineTradeSettlement',
      tax('ram:ApplicableTradeTax', line.percent),
      group(
        'ram:SpecifiedTradeSettlementLineMonetarySummation',
        leaf('ram:LineTotalAmount', amount(line.netCents)),
      ),
    ),
  );

const renderAgreement = ({ seller, buyer, order }: DocumentContent): string =>
  group(
    'ram:ApplicableHeaderTradeAgreement',
    renderSeller(seller),
    renderBuyer(buyer),
    group('ram:BuyerOrderReferencedDocument', leaf('ram:IssuerAssignedID', String(order.number))),
  );

function renderSeller(seller: DocumentContent['seller']): string {
  const vatId = seller.vatId && vatIdWithCountry(seller.vatId, seller.country);
  return group(
    'ram:SellerTradeParty',
    // Without a VAT id, the tax number identifies the seller.
    !vatId && leaf('ram:ID', seller.taxNumber),
    leaf('ram:Name', seller.name),
    seller.email !== '' &&
      group(
        'ram:DefinedTradeContact',
        leaf('ram:PersonName', seller.name),
        group('ram:EmailURIUniversalCommunication', leaf('ram:URIID', seller.email)),
      ),
    address('ram:PostalTradeAddress', seller),
    vatId && group('ram:SpecifiedTaxRegistration', leaf('ram:ID', vatId, { schemeID: 'VA' })),
    seller.taxNumber !== '' &&
      group('ram:SpecifiedTaxRegistration', leaf('ram:ID', seller.taxNumber, { schemeID: 'FC' })),
  );
}

const renderBuyer = (buyer: DocumentContent['buyer']): string =>
  group(
    'ram:BuyerTradeParty',
    leaf('ram:Name', buyer.name || buyer.address?.name || buyer.email || '–'),
    address('ram:PostalTradeAddress', { ...(buyer.address ?? noAddress), country: buyer.country }),
    buyer.vatId &&
      group(
        'ram:SpecifiedTaxRegistration',
        leaf('ram:ID', vatIdWithCountry(buyer.vatId, buyer.country), { schemeID: 'VA' }),
      ),
  );

const renderDelivery = ({ buyer, issuedAt }: DocumentContent): string =>
  group(
    'ram:ApplicableHeaderTradeDelivery',
    buyer.address &&
      group(
        'ram:ShipToTradeParty',
        leaf('ram:Name', buyer.address.name || buyer.name),
        address('ram:PostalTradeAddress', { ...buyer.address, country: buyer.country }),
      ),
    group('ram:ActualDeliverySupplyChainEvent', day('ram:OccurrenceDateTime', issuedAt)),
  );

function renderSettlement(content: DocumentContent, format: Format): string {
  const { language, currency, bank, invoice } = content;
  const account = findIban(bank);
  return group(
    'ram:ApplicableHeaderTradeSettlement',
    leaf('ram:InvoiceCurrencyCode', currency),
    group(
      'ram:SpecifiedTradeSettlementPaymentMeans',
      leaf('ram:TypeCode', account ? '58' : '1'),
      account && group('ram:PayeePartyCreditorFinancialAccount', leaf('ram:IBANID', account)),
    ),
    ...renderTaxBreakdown(content, format),
    ...renderCharges(content, format),
    group('ram:SpecifiedTradePaymentTerms', leaf('ram:Description', documentTexts[language].terms)),
    renderTotals(content, format),
    invoice &&
      group(
        'ram:InvoiceReferencedDocument',
        leaf('ram:IssuerAssignedID', invoice.number),
        group(
          'ram:FormattedIssueDateTime',
          leaf('qdt:DateTimeString', invoice.issuedAt.slice(0, 10).replaceAll('-', ''), { format: '102' }),
        ),
      ),
  );
}

/** Renders the tax of each rate, and the untaxed amount with its exemption. */
function renderTaxBreakdown(content: DocumentContent, { amount, category }: Format): Child[] {
  const { exemption, language } = content;
  const rates = new Map<string, { percent: string; baseCents: number; taxCents: number }>();
  // EN 16931 requires the rate of each line and charge here. An order has no tax line for one under which all is free.
  for (const { percent } of [...content.lines, ...content.charges])
    if (percent !== null) rates.set(percent, { percent, baseCents: 0, taxCents: 0 });
  for (const { percent, baseCents, taxCents } of content.taxLines) {
    const sum = rates.get(percent) ?? { percent, baseCents: 0, taxCents: 0 };
    rates.set(percent, {
      percent,
      baseCents: sum.baseCents + baseCents,
      taxCents: sum.taxCents + taxCents,
    });
  }
  return [
    ...[...rates.values()].map(({ percent, baseCents, taxCents }) =>
      group(
        'ram:ApplicableTradeTax',
        leaf('ram:CalculatedAmount', amount(taxCents)),
        leaf('ram:TypeCode', 'VAT'),
        leaf('ram:BasisAmount', amount(baseCents)),
        leaf('ram:CategoryCode', category(percent)),
        leaf('ram:RateApplicablePercent', percent),
      ),
    ),
    exemption &&
      group(
        'ram:ApplicableTradeTax',
        leaf('ram:CalculatedAmount', amount(0)),
        leaf('ram:TypeCode', 'VAT'),
        leaf('ram:ExemptionReason', documentTexts[language].exemptions[exemption]),
        leaf('ram:BasisAmount', amount(content.untaxedCents)),
        leaf('ram:CategoryCode', untaxedCategories[exemption]),
        leaf('ram:ExemptionReasonCode', exemptionCodes[exemption] ?? ''),
        leaf('ram:RateApplicablePercent', '0'),
      ),
  ];
}

const renderCharges = ({ charges, language }: DocumentContent, { amount, tax }: Format): string[] =>
  charges.map(({ percent, netCents }) =>
    group(
      'ram:SpecifiedTradeAllowanceCharge',
      group('ram:ChargeIndicator', leaf('udt:Indicator', netCents < 0 ? 'false' : 'true')),
      leaf('ram:ActualAmount', amount(Math.abs(netCents))),
      leaf('ram:Reason', documentTexts[language].shipping),
      tax('ram:CategoryTradeTax', percent),
    ),
  );

function renderTotals(content: DocumentContent, { amount }: Format): string {
  const sumCents = (cents: readonly number[]) => cents.reduce((sum, each) => sum + each, 0);
  const lineCents = sumCents(content.lines.map(({ netCents }) => netCents));
  const chargeCents = sumCents(content.charges.map(({ netCents }) => Math.max(netCents, 0)));
  const allowanceCents = sumCents(content.charges.map(({ netCents }) => Math.max(-netCents, 0)));
  return group(
    'ram:SpecifiedTradeSettlementHeaderMonetarySummation',
    leaf('ram:LineTotalAmount', amount(lineCents)),
    leaf('ram:ChargeTotalAmount', amount(chargeCents)),
    leaf('ram:AllowanceTotalAmount', amount(allowanceCents)),
    leaf('ram:TaxBasisTotalAmount', amount(lineCents + chargeCents - allowanceCents)),
    leaf('ram:TaxTotalAmount', amount(content.taxCents), { currencyID: content.currency }),
    leaf('ram:GrandTotalAmount', amount(content.totalCents)),
    leaf('ram:TotalPrepaidAmount', amount(content.paidCents)),
    leaf('ram:DuePayableAmount', amount(content.dueCents)),
  );
}
