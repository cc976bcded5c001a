import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { locales, renderMail, type TemplateData, templateNames } from './templates.ts';

const link = 'http://127.0.0.1:8080/console/page?token=6WJcVxO2vC0t3w9n0y4kqkq3hB2mJb8zQmN1yXr5s7E';
const endpointId = 'whe_01kafq3x5v7e8m2r4t6w8y0a1c';

/** Sample data for every template. */
export const samples: TemplateData = {
  verify: { link },
  reset: { link },
  passwordChanged: {},
  totpOn: {},
  totpOff: {},
  recoveryCodeUsed: { left: '9' },
  accountDeleted: {},
  invitation: { link, sender: 'Zoë Müller', storeName: 'Tea & Sympathy <London>', role: 'editor' },
  orgInvitation: { link, sender: 'Zoë Müller', orgName: 'Reviews Ltd.', role: 'developer' },
  endpointFailing: { storeName: 'Tea & Sympathy', host: 'hooks.example.com', endpointId },
  deliveryDead: { storeName: 'Tea & Sympathy', host: 'hooks.example.com', endpointId },
  endpointFailureRate: {
    storeName: 'Tea & Sympathy',
    host: 'hooks.example.com',
    endpointId,
    percent: '20',
    minutes: '60',
  },
  paymentReturned: { storeName: 'Tea & Sympathy', orderNumber: '1042', amount: '€17.80' },
  paymentDisputed: { storeName: 'Tea & Sympathy', orderNumber: '1042', amount: '€17.80' },
  refundFailed: {
    storeName: 'Tea & Sympathy',
    orderNumber: '1042',
    amount: '€17.80',
    reason: 'Your account balance is too low.',
  },
  endpointDisabledSoon: { storeName: 'Tea & Sympathy', host: 'hooks.example.com', endpointId },
  endpointDisabled: { storeName: 'Tea & Sympathy', host: 'hooks.example.com', endpointId },
  sellerIncomplete: { storeName: 'Tea & Sympathy', orderNumber: '81' },
  mailsPutOff: { senderName: 'Ada’s teas' },
  orderCreated: {
    storeName: 'Ada’s teas',
    number: '81',
    total: '£29.80',
    link: 'https://waybill.example/console/stores/str_1/orders/ord_1',
  },
  appVersionApproved: { orgName: 'Reviews Ltd.', appName: 'Stars & <more>', number: '3' },
  appVersionRejected: {
    orgName: 'Reviews Ltd.',
    appName: 'Stars & <more>',
    number: '3',
    reason: 'The block “wall” shows nothing without JavaScript.\nPlease show at least the <average>.',
  },
  appSuspended: { orgName: 'Reviews Ltd.', appName: 'Stars & <more>' },
  appRestored: { orgName: 'Reviews Ltd.', appName: 'Stars & <more>' },
};

/** `npm run mail:preview -- <folder>`: writes every mail in every language, with sample data, as HTML and as text. */
if (import.meta.main) {
  const folder = resolve(process.argv[2] ?? '.waybill/mail-preview');
  mkdirSync(folder, { recursive: true });
  for (const template of templateNames) {
    for (const locale of locales) {
      const { subject, text, html } = renderMail(template, locale, { ...samples[template] });
      writeFileSync(join(folder, `${template}.${locale}.html`), html);
      writeFileSync(join(folder, `${template}.${locale}.txt`), `${subject}\n\n${text}`);
    }
  }
  process.stdout.write(`Mails of every kind and language are in ${folder}\n`);
}
