import { type MailKind, newId, type Order, type ShopLanguage } from '@waybill/contracts';
import type { MailSubject } from './data.ts';

/** Names of sample data by language. */
const names: Record<ShopLanguage, { person: string; tea: string; pot: string; tax: string }> = {
  en: { person: 'Ada Lovelace', tea: 'Earl Grey', pot: 'Teapot', tax: 'VAT' },
  de: { person: 'Zoë Müller', tea: 'Earl Grey', pot: 'Teekanne', tax: 'MwSt.' },
  fr: { person: 'Zoé Martin', tea: 'Earl Grey', pot: 'Théière', tax: 'TVA' },
  es: { person: 'Lucía García', tea: 'Earl Grey', pot: 'Tetera', tax: 'IVA' },
  it: { person: 'Giulia Rossi', tea: 'Earl Grey', pot: 'Teiera', tax: 'IVA' },
  nl: { person: 'Emma de Vries', tea: 'Earl Grey', pot: 'Theepot', tax: 'btw' },
};

/** Returns a sample order and part for a kind of mail, for previews and trials. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one sample, written as the value that it is
export function sampleSubject(kind: MailKind, language: ShopLanguage, currency: string): MailSubject {
  const { person, tea, pot, tax } = names[language];
  const at = '2026-11-20T10:00:00.000Z';
  const [teaId, potId, orderId] = [newId('variant'), newId('variant'), newId('order')];
  const line = (
    variantId: string,
    name: string,
    variantName: string,
    quantity: number,
    unitPriceCents: number,
    discountCents: number,
  ) => ({
    productId: newId('product'),
    variantId,
    sku: null,
    name,
    variantName,
    quantity,
    unitPriceCents,
    totalCents: quantity * unitPriceCents - discountCents,
    options: {},
    discountCents,
    taxCents: Math.round(((quantity * unitPriceCents - discountCents) * 19) / 119),
    taxPercent: '19',
    fulfilledQuantity: 0,
    refundedQuantity: 0,
  });
  const order: Order = {
    id: orderId,
    number: 1042,
    status: 'open',
    payment: 'paid',
    fulfillment: 'fulfilled',
    currency,
    lineItems: [line(teaId, tea, '100 g', 2, 890, 500), line(potId, pot, '', 1, 4_900, 0)],
    subtotalCents: 6_680,
    discountCents: 500,
    discounts: [{ id: newId('discount'), title: 'Tea', code: 'TEA5', amountCents: 500 }],
    shippingCents: 490,
    shippingTaxCents: 78,
    shippingRate: { id: newId('shippingRate'), name: 'DHL' },
    taxCents: 1_065,
    taxLines: [{ name: tax, percent: '19', baseCents: 5_605, taxCents: 1_065 }],
    taxIncluded: true,
    reverseCharge: false,
    totalCents: 6_670,
    paidCents: 6_670,
    refundedCents: 0,
    dueCents: 0,
    customerId: null,
    customer: {
      name: person,
      email: 'ada@example.com',
      phone: null,
      shippingAddress: {
        name: person,
        line1: '1 Tea Street',
        line2: '',
        city: 'London',
        region: '',
        postalCode: 'SW1Y 4JH',
        country: 'GB',
      },
    },
    vatId: null,
    customFields: {},
    locale: language,
    createdAt: at,
    updatedAt: at,
  };
  return kind === 'formReceived'
    ? { order: null, token: 'sample', part: null }
    : { order, token: 'sample', part: samplePart(kind, order) };
}

/** Returns a sample part of an order for a kind of mail, with the order's first line and its cost. */
export function samplePart(kind: MailKind, order: Order): MailSubject['part'] {
  const orderId = order.id;
  const [first] = order.lineItems;
  const lines = first ? [{ variantId: first.variantId, quantity: first.quantity }] : [];
  const dates = { createdAt: order.createdAt, updatedAt: order.createdAt };
  const parts: Partial<Record<MailKind, object>> = {
    orderShipped: {
      id: newId('fulfillment'),
      orderId,
      lines,
      carrier: 'dhl',
      trackingNumber: '00340434161094042557',
      trackingUrl: 'https://www.dhl.com/track?tracking-id=00340434161094042557',
      status: 'shipped',
      ...dates,
    },
    refunded: {
      orderId,
      amountCents: first?.totalCents ?? 0,
      taxCents: first?.taxCents ?? 0,
      shippingCents: 0,
      lines,
      reason: null,
      state: 'done',
      ...dates,
    },
    returnUpdated: {
      orderId,
      kind: 'return',
      lines,
      state: 'approved',
      note: null,
      refundId: null,
      ...dates,
    },
    documentIssued: {
      id: newId('document'),
      orderId,
      kind: 'invoice',
      number: 'INV-2026-17',
      refundId: null,
      issuedAt: order.createdAt,
      url: 'https://example.com/invoice.pdf',
      xmlUrl: null,
    },
  };
  parts.orderDelivered = { ...parts.orderShipped, status: 'delivered' };
  return (parts[kind] ?? null) as MailSubject['part'];
}
