import Type, { type Static } from 'typebox';
import { countries } from './countries.ts';
import { idPattern } from './ids.ts';
import { linePattern, OptionalName } from './names.ts';
import { Timestamp } from './resources.ts';

/** The kinds of documents of an order: `decisions.md 23.5`. */
export const documentKinds = ['invoice', 'creditNote', 'packingSlip'] as const;
export type DocumentKind = (typeof documentKinds)[number];

/** The languages of shop pages, documents and mails to customers. */
export const shopLanguages = ['en', 'de', 'fr', 'es', 'it', 'nl'] as const;
export type ShopLanguage = (typeof shopLanguages)[number];

/** Returns the language of the first locale that is a shop language; otherwise English. */
export function chooseShopLanguage(...locales: readonly (string | null | undefined)[]): ShopLanguage {
  for (const locale of locales) {
    const language = locale?.split('-')[0]?.toLowerCase();
    const known = shopLanguages.find((each) => each === language);
    if (known) return known;
  }
  return 'en';
}

/** An issued document of an order. It never changes. */
export const OrderDocument = Type.Object(
  {
    id: Type.String({ pattern: idPattern('document') }),
    orderId: Type.String({ pattern: idPattern('order') }),
    kind: Type.Enum([...documentKinds]),
    number: Type.Union([Type.String(), Type.Null()], {
      description: 'Sequential without gaps for each store and kind; null for a packing slip.',
      examples: ['INV-2026-17'],
    }),
    refundId: Type.Union([Type.String(), Type.Null()], {
      description: 'For a credit note, the refund that it documents.',
      examples: [null],
    }),
    issuedAt: Timestamp,
    url: Type.String({
      description: 'The URL of the PDF. It cannot be guessed and needs no credential.',
      examples: [
        'https://waybill.example/storefront/str_01kakk9zg00000000000000000/documents/01kakk9zg00000000000000000-y0Ea',
      ],
    }),
    xmlUrl: Type.Union([Type.String(), Type.Null()], {
      description:
        'The URL of the invoice as XML (EN 16931), which the PDF also contains; null for packing slips and for ' +
        'currencies with three decimals.',
      examples: [
        'https://waybill.example/storefront/str_01kakk9zg00000000000000000/documents/01kakk9zg00000000000000000-y0Ea/xml',
      ],
    }),
  },
  { $id: 'OrderDocument' },
);
export type OrderDocument = Static<typeof OrderDocument>;

const line = (maxLength: number, example: string) =>
  Type.String({ maxLength, pattern: linePattern, examples: [example] });
const lines = (maxLength: number, description: string, example: string) =>
  Type.String({ maxLength, description, examples: [example] });

/** The seller as documents name it. */
export const DocumentSeller = Type.Object(
  {
    name: line(200, 'Ada’s Teas Ltd.'),
    line1: line(200, '12 St James’s Square'),
    line2: line(200, ''),
    city: line(200, 'London'),
    region: line(200, ''),
    postalCode: line(50, 'SW1Y 4JH'),
    country: Type.Enum(['', ...countries], { description: 'ISO 3166-1 alpha-2.', examples: ['GB'] }),
    vatId: line(50, 'GB980780684'),
    taxNumber: line(50, '12/345/67890'),
    email: Type.String({ maxLength: 254, examples: ['billing@adas-teas.example'] }),
  },
  { $id: 'DocumentSeller' },
);
export type DocumentSeller = Static<typeof DocumentSeller>;

const Pattern = (example: string) =>
  Type.String({
    maxLength: 60,
    pattern: linePattern,
    description: 'Contains `{number}` and, optionally, `{year}`.',
    examples: [example],
  });

/** The settings of a store's documents: `decisions.md 23.5`. */
export const DocumentSettings = Type.Object(
  {
    invoicePattern: Pattern('INV-{year}-{number}'),
    creditNotePattern: Pattern('CN-{year}-{number}'),
    seller: DocumentSeller,
    bank: lines(1_000, 'How to pay by transfer.', 'IBAN DE02 1203 0000 0000 2020 51'),
    footer: lines(2_000, 'Printed at the foot of each page.', 'Registered in London, no. 1234567'),
    logoMediaId: Type.Union([Type.String({ pattern: idPattern('mediaAsset') }), Type.Null()], {
      description: 'An image from the media library.',
      examples: [null],
    }),
    locale: Type.String({
      maxLength: 35,
      description: 'The language of documents whose order has none; BCP 47.',
      examples: ['en'],
    }),
    invoices: Type.Enum(['automatic', 'manual'], {
      description:
        '`automatic`: an invoice is issued when an order is paid, and a credit note when an order with an ' +
        'invoice is refunded.',
      examples: ['manual'],
    }),
  },
  { $id: 'DocumentSettings' },
);
export type DocumentSettings = Static<typeof DocumentSettings>;

const nullable = <Schema extends Parameters<typeof Type.Array>[0]>(schema: Schema) =>
  Type.Optional(Type.Union([schema, Type.Null()]));

/** The body of a PUT: a field that it leaves out stays unchanged, and null is the same as empty. */
export const DocumentSettingsInput = Type.Object(
  {
    invoicePattern: Type.Optional(DocumentSettings.properties.invoicePattern),
    creditNotePattern: Type.Optional(DocumentSettings.properties.creditNotePattern),
    seller: Type.Optional(
      Type.Object({
        name: nullable(OptionalName({ pattern: linePattern, examples: ['Ada’s Teas Ltd.'] })),
        line1: nullable(DocumentSeller.properties.line1),
        line2: nullable(DocumentSeller.properties.line2),
        city: nullable(DocumentSeller.properties.city),
        region: nullable(DocumentSeller.properties.region),
        postalCode: nullable(DocumentSeller.properties.postalCode),
        country: nullable(DocumentSeller.properties.country),
        vatId: nullable(DocumentSeller.properties.vatId),
        taxNumber: nullable(DocumentSeller.properties.taxNumber),
        email: nullable(DocumentSeller.properties.email),
      }),
    ),
    bank: nullable(DocumentSettings.properties.bank),
    footer: nullable(DocumentSettings.properties.footer),
    logoMediaId: Type.Optional(DocumentSettings.properties.logoMediaId),
    locale: Type.Optional(DocumentSettings.properties.locale),
    invoices: Type.Optional(DocumentSettings.properties.invoices),
  },
  { $id: 'DocumentSettingsInput' },
);
export type DocumentSettingsInput = Static<typeof DocumentSettingsInput>;

/** The settings of a store that has saved none. */
export const defaultDocumentSettings: DocumentSettings = {
  invoicePattern: 'INV-{year}-{number}',
  creditNotePattern: 'CN-{year}-{number}',
  seller: {
    name: '',
    line1: '',
    line2: '',
    city: '',
    region: '',
    postalCode: '',
    country: '',
    vatId: '',
    taxNumber: '',
    email: '',
  },
  bank: '',
  footer: '',
  logoMediaId: null,
  locale: 'en',
  invoices: 'manual',
};
