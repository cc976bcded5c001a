import {
  contentWarnings,
  MailSettings,
  MailSettingsInput,
  MailTemplate,
  MailTemplateInput,
  MailTrial,
  mailKinds,
  OrderMail,
  shopLanguages,
} from '@waybill/contracts';
import { defineRoutes, listSchema } from '@waybill/kernel';
import Type from 'typebox';
import { errors } from '../errors.ts';

const ids = { storeId: 'store' } as const;
const path = '/api/stores/{storeId}/mail-templates';
const Item = Type.Object({ mailTemplate: MailTemplate });
const WrittenItem = Type.Object({ mailTemplate: MailTemplate, warnings: contentWarnings });
const locale = Type.Optional(
  Type.String({
    maxLength: 35,
    description: `One of ${shopLanguages.join(', ')}; by default the store’s first.`,
    examples: ['en'],
  }),
);
const kinds = mailKinds.map((kind) => `\`${kind}\``).join(', ');

/** Routes of mails to customers: `decisions.md 23.7`. */
export const routes = defineRoutes({
  listMailTemplates: {
    method: 'GET',
    path,
    access: { member: 'any' },
    summary: 'List the mails to customers',
    description: `One of each kind (${kinds}), in one language or in all.`,
    ids,
    query: Type.Object({
      locale: Type.Optional(
        Type.String({ maxLength: 35, description: 'Only mails in this language.', examples: ['en'] }),
      ),
    }),
    answer: [200, listSchema('mailTemplates', MailTemplate)],
  },
  getMailTemplate: {
    method: 'GET',
    path: `${path}/{kind}`,
    access: { member: 'any' },
    summary: 'Read a mail to customers',
    description: 'The store’s version, or else the default.',
    ids,
    query: Type.Object({ locale }),
    answer: [200, Item],
  },
  replaceMailTemplate: {
    method: 'PUT',
    path: `${path}/{kind}`,
    access: { member: 'manager' },
    summary: 'Customize a mail to customers',
    description:
      'Liquid over `order`, `store`, `orderUrl` and the object of the mail (`fulfillment`, `refund`, `return`, ' +
      '`document`) as in the API; format amounts with `| money`, tax rates with `| percent`, dates with `| ' +
      'day`, carriers with `| carrier`. Output is escaped and the result sanitised. `invalid_template` gives the line and column of ' +
      'an error; `warnings` lists the content that mails leave out. Omitted fields keep their values.',
    ids,
    query: Type.Object({ locale }),
    body: MailTemplateInput,
    idempotency: 'handler',
    answer: [200, WrittenItem],
    errors: [errors.invalid_template],
  },
  deleteMailTemplate: {
    method: 'DELETE',
    path: `${path}/{kind}`,
    access: { member: 'manager' },
    summary: 'Reset a customer mail to its default',
    description: 'Resets its text and whether it is sent. Succeeds if nothing was changed.',
    ids,
    query: Type.Object({ locale }),
    answer: [204, null],
  },
  previewMailTemplate: {
    method: 'POST',
    path: `${path}/{kind}/preview`,
    access: { member: 'manager' },
    summary: 'Preview a customer mail',
    description: 'Rendered with an order of the store, or with a sample order; nothing is sent or stored.',
    ids,
    body: MailTrial,
    isBodyOptional: true,
    idempotency: 'none',
    answer: [
      200,
      Type.Object({
        subject: Type.String({ examples: ['Your order 1042 is on its way'] }),
        html: Type.String({ examples: ['<!doctype html>…'] }),
        text: Type.String({ examples: ['Hello Ada,\n…'] }),
      }),
    ],
    errors: [errors.invalid_template],
  },
  testMailTemplate: {
    method: 'POST',
    path: `${path}/{kind}/test`,
    access: { member: 'manager' },
    summary: 'Send a mail to customers to yourself',
    description: 'Only to your verified address; at most 20 an hour.',
    ids,
    body: MailTrial,
    isBodyOptional: true,
    idempotency: 'handler',
    answer: [202, null],
    errors: [errors.invalid_template, errors.email_unverified, errors.rate_limited],
  },
  listOrderMails: {
    method: 'GET',
    path: '/api/stores/{storeId}/order-mails/{orderId}',
    access: { member: 'orders.read' },
    summary: 'List the mails to the customer of an order',
    description:
      'The last 200 mails within a year, newest first. Excludes mails that the store does not send, and mails ' +
      'whose recipients should no longer receive them.',
    ids: { ...ids, orderId: 'order' },
    answer: [200, listSchema('orderMails', OrderMail)],
  },
  getMailSettings: {
    method: 'GET',
    path: '/api/stores/{storeId}/mail-settings',
    access: { member: 'any' },
    summary: 'Read the sender of customer mails',
    description: 'The store’s name, unless another was set.',
    ids,
    answer: [200, Type.Object({ mailSettings: MailSettings })],
  },
  replaceMailSettings: {
    method: 'PUT',
    path: '/api/stores/{storeId}/mail-settings',
    access: { member: 'manager' },
    summary: 'Set the sender of customer mails',
    description:
      'Omitted fields keep their values; null restores the default. The address is always the system’s own.',
    ids,
    body: MailSettingsInput,
    answer: [200, Type.Object({ mailSettings: MailSettings })],
  },
});
