import {
  type MailedOrders,
  type MailKind,
  type MailTrial,
  type OrderMail,
  type ShopLanguage,
  shopLanguages,
} from '@waybill/contracts';
import type { Handlers } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { canMailAddress } from '../mail/mail-limits.ts';
import { listReaders } from '../mail/queries.ts';
import { findStore, type StoreRow } from '../stores/queries.ts';
import type { Tables } from '../tables.ts';
import { chooseMailLanguage, getMailKind, renderCustomerMail } from './compose.ts';
import type { MailSubject } from './data.ts';
import type { TemplateText } from './defaults.ts';
import { insertTrial, listMailsOfOrder } from './queries.ts';
import type { TemplateProblem } from './rendering/liquid.ts';
import type { routes } from './routes.ts';
import { samplePart, sampleSubject } from './samples.ts';
import {
  readKind,
  readLanguage,
  readSettings,
  readTemplate,
  readTemplates,
  resetTemplate,
  saveSettings,
  saveTemplate,
} from './templates.ts';

const invalid = (problem: TemplateProblem) =>
  errors.invalid_template({
    message: `This template has a mistake in line ${problem.line}: ${problem.message}.`,
    details: [problem],
  });

const states = { queued: 'queued', sent: 'sent', dead: 'failed' } as const;

const toOrderMail = (row: Awaited<ReturnType<typeof listMailsOfOrder>>[number]): OrderMail => ({
  kind: getMailKind(row) as OrderMail['kind'],
  partId: row.data.partId ?? null,
  state: states[row.state],
  at: (row.settled_at ?? row.created_at).toISOString(),
});

/** Returns an open store. @throws not_found */
async function requireStore({ db }: Context, storeId: string): Promise<StoreRow> {
  const store = await findStore(db, storeId);
  if (!store || store.closed_at) throw errors.not_found();
  return store;
}

/** Reads the language of a request; by default, the first one of its store. @throws not_found, invalid_body */
const readStoreLanguage = async (
  context: Context,
  storeId: string,
  locale: string | undefined,
): Promise<ShopLanguage> =>
  readLanguage(locale, chooseMailLanguage(await requireStore(context, storeId), null));

/** Returns an order of the store, or a sample order. @throws not_found */
async function readSubject(
  { peers }: Context,
  store: StoreRow,
  kind: MailKind,
  language: ShopLanguage,
  orderId: string | null | undefined,
): Promise<MailSubject> {
  if (!orderId) return sampleSubject(kind, language, store.currency);
  const orders = [{ storeId: store.id, orderId, part: null }];
  const reply = await peers.call<MailedOrders>('orders', 'POST', '/internal/mailed-orders', { orders });
  const mailed = reply?.orders[0];
  if (!mailed) throw errors.not_found({ message: 'The store has no such order.' });
  return { order: mailed.order, token: mailed.token, part: samplePart(kind, mailed.order) };
}

/** Reads the parameters of a trial and fills in the omitted ones. @throws not_found, invalid_body */
async function readTrial(
  context: Context,
  storeId: string,
  kind: MailKind,
  { locale, orderId, subject, body }: MailTrial,
) {
  const store = await requireStore(context, storeId);
  const language = readLanguage(locale, chooseMailLanguage(store, null));
  const stored = await readTemplate(context.db, storeId, kind, language);
  const template: TemplateText = { subject: subject ?? stored.subject, body: body ?? stored.body };
  const mailSubject = await readSubject(context, store, kind, language, orderId);
  return { kind, store, language, template, subject: mailSubject };
}

/** Renders a trial. @throws invalid_template */
async function renderTrial(context: Context, trial: Awaited<ReturnType<typeof readTrial>>) {
  const rendered = await renderCustomerMail(context, trial, { isPreview: true });
  if ('problem' in rendered) throw invalid(rendered.problem);
  return rendered;
}

export const handlers = (context: Context): Handlers<typeof routes, Tables> => {
  const { db, cache } = context;
  return {
    async listMailTemplates({ storeId, query }) {
      const languages = query.locale ? [readLanguage(query.locale, 'en')] : shopLanguages;
      const mailTemplates = await readTemplates(db, storeId, languages);
      return { mailTemplates, total: mailTemplates.length };
    },
    async getMailTemplate({ storeId, params, query, db: reading }) {
      const kind = readKind(params.kind);
      const language = await readStoreLanguage(context, storeId, query.locale);
      return { mailTemplate: await readTemplate(reading, storeId, kind, language) };
    },
    async replaceMailTemplate({ storeId, params, query, body, idempotentWrite }) {
      const kind = readKind(params.kind);
      await idempotentWrite.begin(body);
      const trial = await readTrial(context, storeId, kind, { ...body, ...query });
      const { warnings } = await renderTrial(context, trial);
      return idempotentWrite.commit(async (write) => ({
        mailTemplate: await saveTemplate(write, storeId, kind, trial.language, body),
        ...(warnings.length > 0 && { warnings }),
      }));
    },
    deleteMailTemplate: {
      async write({ storeId, params, query }, write) {
        const language = await readStoreLanguage(context, storeId, query.locale);
        await resetTemplate(write, storeId, readKind(params.kind), language);
      },
    },
    async previewMailTemplate({ storeId, params, body }) {
      const { subject, html, text } = await renderTrial(
        context,
        await readTrial(context, storeId, readKind(params.kind), body),
      );
      return { subject, html, text };
    },
    async testMailTemplate({ principal: { userId }, storeId, params, body, idempotentWrite }) {
      const kind = readKind(params.kind);
      await idempotentWrite.begin(body);
      const [reader] = await listReaders(db, [userId], []);
      if (!reader?.isVerified) throw errors.email_unverified();
      const trial = await readTrial(context, storeId, kind, body);
      await renderTrial(context, trial);
      if (!(await canMailAddress(cache, 'trial', reader.email)))
        throw errors.rate_limited({ headers: { 'retry-after': '3600' } });
      await idempotentWrite.commit(({ trx }) =>
        insertTrial(trx, userId, {
          storeId,
          kind,
          locale: trial.language,
          ...(body.orderId && { orderId: body.orderId }),
          ...trial.template,
        }),
      );
    },
    async listOrderMails({ storeId, params, db: reading }) {
      const rows = await listMailsOfOrder(reading, storeId, params.orderId);
      return { orderMails: rows.map(toOrderMail), total: rows.length };
    },
    async getMailSettings({ storeId, db: reading }) {
      return {
        mailSettings: await readSettings(reading, storeId, (await requireStore(context, storeId)).name),
      };
    },
    replaceMailSettings: {
      async write({ storeId, body }, write) {
        const { name } = await requireStore(context, storeId);
        return { mailSettings: await saveSettings(write, storeId, name, body) };
      },
    },
  };
};
