import Type, { type Static } from 'typebox';
import { shopLanguages } from './documents.ts';
import { linePattern, Name, nameMaxLength } from './names.ts';
import { Email } from './people.ts';
import { Timestamp } from './resources.ts';

/** The kinds of mails to customers: `decisions.md 23.7`. */
export const mailKinds = [
  'orderPlaced',
  'paymentReceived',
  'orderShipped',
  'orderDelivered',
  'refunded',
  'orderCancelled',
  'returnUpdated',
  'documentIssued',
  'formReceived',
] as const;
export type MailKind = (typeof mailKinds)[number];

/** The text of a kind of mail in a language. */
export const MailTemplate = Type.Object(
  {
    kind: Type.Enum([...mailKinds], { examples: ['orderShipped'] }),
    locale: Type.Enum([...shopLanguages], { examples: ['en'] }),
    subject: Type.String({
      description: 'Liquid; renders to one line of plain text.',
      examples: ['Your order #{{ order.number }} is on its way'],
    }),
    body: Type.String({
      description: 'HTML with Liquid; the mail’s frame, with logo and colours, is added around it.',
      examples: ['<p>Hello {{ order.customer.name }},</p>'],
    }),
    isEnabled: Type.Boolean({
      description: 'Whether the store sends this mail in this language.',
      examples: [true],
    }),
    isDefault: Type.Boolean({
      description: 'Whether subject and body are the defaults that every store has.',
      examples: [true],
    }),
  },
  { $id: 'MailTemplate' },
);
export type MailTemplate = Static<typeof MailTemplate>;

export const mailSubjectMaxLength = 500;
export const mailBodyMaxLength = 65_536;

const subject = Type.String({ maxLength: mailSubjectMaxLength, examples: ['Order #{{ order.number }}'] });
const body = Type.String({ maxLength: mailBodyMaxLength, examples: ['<p>Thank you.</p>'] });

/** The body of a PUT: a field that it leaves out stays unchanged. */
export const MailTemplateInput = Type.Object(
  {
    subject: Type.Optional(subject),
    body: Type.Optional(body),
    isEnabled: Type.Optional(Type.Boolean({ examples: [true] })),
  },
  { $id: 'MailTemplateInput' },
);
export type MailTemplateInput = Static<typeof MailTemplateInput>;

type OrderMailKind = Exclude<MailKind, 'formReceived'>;
const orderMailKinds = mailKinds.filter((kind): kind is OrderMailKind => kind !== 'formReceived');

/** A mail to the customer of an order: `decisions.md 23.7`. */
export const OrderMail = Type.Object(
  {
    kind: Type.Enum([...orderMailKinds], { examples: ['orderShipped'] }),
    partId: Type.Union([Type.String(), Type.Null()], {
      description: 'The fulfilment, refund, return or document of the mail; null for the order itself.',
      examples: ['ful_01jd5w2k0q8v6m3n4p5r6s7t8v'],
    }),
    state: Type.Enum(['queued', 'sent', 'failed'], { examples: ['sent'] }),
    at: Timestamp,
  },
  { $id: 'OrderMail', description: '`at` is the time when the mail was sent or given up, or else queued.' },
);
export type OrderMail = Static<typeof OrderMail>;

/** The input of a trial: a text, with an order or a made-up one. */
export const MailTrial = Type.Object(
  {
    locale: Type.Optional(Type.String({ maxLength: 35, examples: ['en'] })),
    orderId: Type.Optional(
      Type.Union([Type.String({ maxLength: 40 }), Type.Null()], {
        description: 'The order to render; a sample order by default.',
        examples: [null],
      }),
    ),
    subject: Type.Optional(subject),
    body: Type.Optional(body),
  },
  { $id: 'MailTrial' },
);
export type MailTrial = Static<typeof MailTrial>;

/** The sender of mails to customers. */
export const MailSettings = Type.Object(
  {
    senderName: Type.String({
      minLength: 1,
      maxLength: nameMaxLength,
      pattern: linePattern,
      description: 'The store’s name by default.',
      examples: ['Ada’s Teas'],
    }),
    replyTo: Type.Union([Type.String({ maxLength: 254 }), Type.Null()], {
      description: 'The address for replies; null for none.',
      examples: ['hello@adas-teas.example'],
    }),
  },
  { $id: 'MailSettings' },
);
export type MailSettings = Static<typeof MailSettings>;

/** The body of a PUT: a field that it leaves out stays unchanged; null means the default. */
export const MailSettingsInput = Type.Object(
  {
    senderName: Type.Optional(
      Type.Union([Name({ pattern: linePattern }), Type.Null()], { examples: ['Ada’s Teas'] }),
    ),
    replyTo: Type.Optional(Type.Union([Email, Type.Null()], { examples: ['hello@adas-teas.example'] })),
  },
  { $id: 'MailSettingsInput' },
);
export type MailSettingsInput = Static<typeof MailSettingsInput>;
