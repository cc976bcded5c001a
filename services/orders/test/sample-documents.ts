import {
  type DocumentSettings,
  defaultDocumentSettings,
  newId,
  type Order,
  shopLanguages,
} from '@waybill/contracts';
import { allocate } from '@waybill/pricing';
import { buildOrderDocumentContent, type DocumentContent } from '../src/documents/content.ts';
import { buildCreditNoteContent } from '../src/documents/credit-notes.ts';

const seller: DocumentSettings['seller'] = {
  name: 'Adas Tee GmbH & Co. <KG>',
  line1: 'Müllerstraße 1',
  line2: '',
  city: 'Berlin',
  region: '',
  postalCode: '13353',
  country: 'DE',
  vatId: 'DE136695976',
  taxNumber: '',
  email: 'rechnung@example.com',
};
const settings: DocumentSettings = {
  ...defaultDocumentSettings,
  seller,
  bank: 'Berliner Bank\nIBAN DE02 1203 0000 0000 2020 51 BIC BYLADEM1001',
  footer: 'HRB 12345',
};

/** Returns an order with a number of lines, taxed at `rates`; null: untaxed. */
export function createOrder(
  count: number,
  rates: readonly (string | null)[],
  change: Partial<Order> = {},
): Order {
  const taxIncluded = change.taxIncluded ?? true;
  const computeTax = (cents: number, percent: string | null): number => {
    const rate = Number(percent ?? 0);
    return Math.round(taxIncluded ? (cents * rate) / (100 + rate) : (cents * rate) / 100);
  };
  const names = ['Earl Grey', 'Чайник синий', 'Τσάι του βουνού', 'Żółta herbata 😀', '茶'];
  const lineItems = Array.from({ length: count }, (_, i): Order['lineItems'][number] => {
    const taxPercent = rates[i % rates.length]!;
    const totalCents = 1_999 + i;
    return {
      productId: newId('product'),
      variantId: newId('variant'),
      sku: `T-${i}`,
      name: names[i % names.length]!,
      variantName: '100 g',
      quantity: 1 + (i % 3),
      unitPriceCents: Math.round(totalCents / (1 + (i % 3))),
      totalCents,
      options: {},
      discountCents: 0,
      taxCents: 0,
      taxPercent,
      fulfilledQuantity: 0,
      refundedQuantity: 0,
    };
  });
  const shippingCents = 490;
  let shippingTaxCents = 0;
  const taxed = [...new Set(rates)].filter((rate): rate is string => rate !== null);
  // As in pricing, the tax of a rate is computed from its total and divided among its lines.
  const taxLines = taxed.map((percent) => {
    const lines = lineItems.filter((line) => line.taxPercent === percent);
    const isOfShipping = percent === rates[0];
    const amounts = [...lines.map(({ totalCents }) => totalCents), ...(isOfShipping ? [shippingCents] : [])];
    const sum = amounts.reduce((total, amount) => total + amount, 0);
    const taxCents = computeTax(sum, percent);
    const shares = allocate(taxCents, amounts);
    for (const [i, line] of lines.entries()) line.taxCents = shares[i]!;
    if (isOfShipping) shippingTaxCents = shares.at(-1)!;
    return { name: 'MwSt.', percent, baseCents: taxIncluded ? sum - taxCents : sum, taxCents };
  });
  const subtotalCents = lineItems.reduce((sum, { totalCents }) => sum + totalCents, 0);
  const taxCents = taxLines.reduce((sum, each) => sum + each.taxCents, 0);
  return {
    id: newId('order'),
    number: 1042,
    status: 'open',
    payment: 'pending',
    fulfillment: 'unfulfilled',
    currency: 'EUR',
    lineItems,
    subtotalCents,
    discountCents: 0,
    discounts: [],
    shippingCents,
    shippingTaxCents,
    shippingRate: { id: newId('shippingRate'), name: 'DHL Paket' },
    taxCents,
    taxLines,
    taxIncluded,
    reverseCharge: false,
    totalCents: subtotalCents + shippingCents + (taxIncluded ? 0 : taxCents),
    paidCents: 0,
    refundedCents: 0,
    dueCents: 0,
    customerId: null,
    customer: {
      name: 'Zoë Müller',
      email: 'zoe@example.com',
      phone: null,
      shippingAddress: {
        name: 'Zoë Müller',
        line1: 'Hauptstr. 5',
        line2: '',
        city: 'München',
        region: '',
        postalCode: '80331',
        country: 'DE',
      },
    },
    vatId: null,
    customFields: {},
    locale: 'de',
    createdAt: '2026-11-20T10:00:00.000Z',
    updatedAt: '2026-11-20T10:00:00.000Z',
    ...change,
  };
}

export const createInvoice = (order: Order, own: DocumentSettings = settings): DocumentContent =>
  buildOrderDocumentContent(order, {
    kind: 'invoice',
    number: 'RE-2026-17',
    issuedAt: new Date('2026-11-26T10:00:00Z'),
    settings: own,
    logoHash: null,
    homeCountry: 'DE',
  });

const goingTo = (country: string, order: Order): Order => ({
  ...order,
  customer: { ...order.customer, shippingAddress: { ...order.customer.shippingAddress!, country } },
});

/** Returns an order without shipping, whose lines from `first` on are free by a discount. */
function givenAway(order: Order, first = 0): Order {
  const lineItems = order.lineItems.map((line, i) =>
    i < first ? line : { ...line, discountCents: line.totalCents, totalCents: 0, taxCents: 0 },
  );
  const paid = lineItems.slice(0, first);
  const taxLines = paid.map(({ totalCents, taxCents, taxPercent }) => ({
    name: 'MwSt.',
    percent: taxPercent!,
    baseCents: totalCents - taxCents,
    taxCents,
  }));
  const sum = (amounts: number[]) => amounts.reduce((total, amount) => total + amount, 0);
  return {
    ...order,
    lineItems,
    taxLines,
    discountCents: sum(lineItems.map(({ discountCents }) => discountCents)),
    subtotalCents: sum(paid.map(({ totalCents }) => totalCents)),
    totalCents: sum(paid.map(({ totalCents }) => totalCents)),
    taxCents: sum(paid.map(({ taxCents }) => taxCents)),
    shippingCents: 0,
    shippingTaxCents: 0,
    shippingRate: null,
  };
}

function createCreditNote(
  order: Order,
  share: { amountCents?: number; lines?: number; shippingCents?: number },
) {
  const lines = order.lineItems
    .slice(0, share.lines ?? 0)
    .map(({ variantId, quantity, totalCents, taxCents }) => ({
      variantId,
      quantity,
      amountCents: totalCents + (order.taxIncluded ? 0 : taxCents),
      taxCents,
    }));
  const shippingCents = share.shippingCents ?? 0;
  const amountCents =
    share.amountCents ??
    lines.reduce((sum, line) => sum + line.amountCents, 0) +
      shippingCents +
      (order.taxIncluded || shippingCents === 0 ? 0 : order.shippingTaxCents);
  const taxOfParts =
    lines.reduce((sum, line) => sum + line.taxCents, 0) +
    Math.round((order.shippingTaxCents * shippingCents) / order.shippingCents);
  const taxCents =
    lines.length > 0 ? taxOfParts : Math.round((order.taxCents * amountCents) / order.totalCents);
  const issued = { number: 'CN-1', issuedAt: new Date('2026-11-27T10:00:00Z'), settings, logoHash: null };
  return buildCreditNoteContent(
    { amountCents, taxCents, shippingCents, lines, reason: 'Zu spät' },
    createInvoice(order),
    issued,
  );
}

const untaxed = createOrder(3, [null]);
const mixed = createOrder(5, ['19', '7', '0', null]);
const onTop = createOrder(3, ['19', '7'], { taxIncluded: false });
/** Documents of every kind by name. */
export const documents: Record<string, DocumentContent> = {
  ...Object.fromEntries(
    shopLanguages.map((locale) => [
      `language ${locale}`,
      createInvoice(createOrder(3, ['19', '7'], { locale })),
    ]),
  ),
  'many pages': createInvoice(createOrder(120, ['19', '7'])),
  paid: createInvoice(createOrder(2, ['19'], { paidCents: 1_000_000 })),
  'tax on top': createInvoice(onTop),
  'all rates': createInvoice(mixed),
  'reverse charge': createInvoice(goingTo('FR', { ...untaxed, reverseCharge: true, vatId: 'FR40303265045' })),
  'small business': createInvoice(untaxed, {
    ...settings,
    seller: { ...seller, vatId: '', taxNumber: '12/345/67890' },
  }),
  export: createInvoice(goingTo('US', untaxed)),
  letter: createInvoice(goingTo('US', { ...untaxed, currency: 'USD', locale: 'en' }), {
    ...settings,
    seller: { ...seller, country: 'US', vatId: '', taxNumber: '12-3456789' },
  }),
  'no decimals': createInvoice(createOrder(2, ['10'], { currency: 'JPY' })),
  'no address': createInvoice({ ...mixed, customer: { ...mixed.customer, name: '', shippingAddress: null } }),
  'nothing to pay': createInvoice(givenAway(createOrder(2, ['19', '7']))),
  'a free line at a rate of its own': createInvoice(givenAway(mixed, 1)),
  'a VAT id that is none': createInvoice({ ...mixed, vatId: 'test 12' }),
  'credit note of lines': createCreditNote(mixed, { lines: 2, shippingCents: 490 }),
  'credit note of a sum': createCreditNote(mixed, { amountCents: 1_234 }),
  'credit note, tax on top': createCreditNote(onTop, { lines: 1, shippingCents: 490 }),
};
