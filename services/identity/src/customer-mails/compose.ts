import {
  type Branding,
  chooseShopLanguage,
  type MailedOrder,
  type MailedOrders,
  type MailedSubmissions,
  type MailKind,
  type Refund,
  type ShopLanguage,
  type ThemeColors,
} from '@waybill/contracts';
import { LRUCache } from 'lru-cache';
import type { Context } from '../config.ts';
import type { DecideDelivery } from '../mail/decide-delivery.ts';
import { canMailAddress } from '../mail/mail-limits.ts';
import type { MailRecipient, MailRow } from '../mail/queries.ts';
import { cleanName } from '../mail/templates.ts';
import type { OutgoingMail } from '../mail/transport.ts';
import { listOpenStores, type StoreRow } from '../stores/queries.ts';
import { buildTemplateData, type MailSubject } from './data.ts';
import { defaultTemplate, footers, type TemplateText } from './defaults.ts';
import { findFormAddress } from './form-address.ts';
import { listSettings, listStoreTemplates, type SettingRow, type TemplateRow } from './queries.ts';
import { type MailColors, standardColors } from './rendering/frame.ts';
import type { TemplateProblem } from './rendering/liquid.ts';
import type { RenderedCustomerMail } from './rendering/render.ts';
import { samplePart, sampleSubject } from './samples.ts';
import { toSettings, toTemplate } from './templates.ts';

/**
 * Templates of the rows with mails to customers. The previous version queues `orderReceipt` for `orderPlaced`, and
 * cannot send a `formMail`, which has no address.
 */
const templates = new Set(['orderReceipt', 'customerMail', 'formMail', 'customerMailTest']);

/** Whether a queued mail goes to a customer of a store. */
export const isCustomerMail = ({ template }: Pick<MailRow, 'template'>): boolean => templates.has(template);

/** Returns the kind of a mail to a customer. */
export const getMailKind = ({ template, data }: Pick<MailRow, 'template' | 'data'>): MailKind =>
  template === 'orderReceipt' ? 'orderPlaced' : (data.kind as MailKind);

/** The look of a store's mails. */
interface MailAppearance {
  /** The bytes of a PNG image. */
  logo: Buffer | null;
  colors: MailColors;
}

/** How long a mail about a refund waits before it checks again whether the payment provider has decided. */
const undecidedSeconds = 60;
const appearanceCacheMs = 60_000;
const failedAppearanceCacheMs = 5_000;
const appearances = new LRUCache<string, MailAppearance>({
  maxSize: 16 * 1024 * 1024,
  sizeCalculation: ({ logo }) => 1_000 + (logo?.length ?? 0),
});

/**
 * Checks for a colour in hexadecimal notation, so that a theme's author cannot put other styles into a style attribute.
 */
const isColor = (value: unknown): value is string =>
  typeof value === 'string' && /^#[\da-f]{3,8}$/i.test(value);

/**
 * Returns a store's logo and colours. If the services that know them are unreachable, returns the default look, so that
 * the mail need not wait.
 */
async function readAppearance({ peers, log }: Context, storeId: string): Promise<MailAppearance> {
  const known = appearances.get(storeId);
  if (known) return known;
  const fetchOrNull = <Reply>(service: string, path: string): Promise<Reply | null> =>
    peers.call<Reply>(service, 'POST', path, { storeId }).catch((err: unknown) => {
      log.info({ err, storeId }, 'a mail is composed without the logo and colours of its store');
      return null;
    });
  const [branding, theme] = await Promise.all([
    fetchOrNull<Branding>('orders', '/internal/documents/branding'),
    fetchOrNull<ThemeColors>('content', '/internal/theme-colors'),
  ]);
  const colors = { ...standardColors };
  for (const name of Object.keys(colors) as (keyof MailColors)[]) {
    const color = theme?.colors?.[name];
    if (isColor(color)) colors[name] = color;
  }
  const appearance = { logo: branding?.logo ? Buffer.from(branding.logo, 'base64') : null, colors };
  // After a failure the look is read again soon.
  appearances.set(storeId, appearance, {
    ttl: branding && theme ? appearanceCacheMs : failedAppearanceCacheMs,
  });
  return appearance;
}

/** Facts for a batch of mails to customers. */
export interface CustomerFacts {
  findStore(mail: MailRow): StoreRow | undefined;
  findTemplate(mail: MailRow, language: ShopLanguage): TemplateRow | undefined;
  findSetting(storeId: string): SettingRow | undefined;
  /** Null: the order, or the part of it that the mail is about, no longer exists. */
  findOrder(mail: MailRow): Promise<MailedOrder | null>;
  /** Null: the form submission that the mail is about was erased or deleted. */
  findSubmitter(mail: MailRow): Promise<string | null>;
}

/**
 * Reads the stores, templates and settings of a batch of mails. Orders and form senders are read meanwhile, and a
 * mail waits for them when it is composed.
 */
export async function lookUpCustomerFacts(
  { db, peers }: Context,
  all: readonly MailRow[],
): Promise<CustomerFacts> {
  const mails = all.filter(isCustomerMail);
  const storeIds = [...new Set(mails.map(({ data }) => data.storeId!))];
  const [stores, rows, settings] =
    storeIds.length === 0
      ? [[], [], []]
      : await Promise.all([
          listOpenStores(db, storeIds),
          listStoreTemplates(db, storeIds),
          listSettings(db, storeIds),
        ]);
  const orders = listOrders(
    peers,
    mails.filter(({ data }) => data.orderId && stores.some(({ id }) => id === data.storeId)),
  );
  const submitters = listSubmitters(
    peers,
    mails.filter(({ data }) => data.formSubmissionId),
  );
  // Other mails of the batch go out even if one of these services does not answer.
  orders.catch(() => {});
  submitters.catch(() => {});
  return {
    findStore: ({ data }) => stores.find(({ id }) => id === data.storeId),
    findTemplate: (mail, language) =>
      rows.find(
        (row) =>
          row.store_id === mail.data.storeId && row.kind === getMailKind(mail) && row.locale === language,
      ),
    findSetting: (storeId) => settings.find((row) => row.store_id === storeId),
    findOrder: async ({ id }) => (await orders).get(id) ?? null,
    findSubmitter: async ({ id }) => (await submitters).get(id) ?? null,
  };
}

/** Looks up the addresses that form submissions contain, by the ids of the mails about them. */
async function listSubmitters(
  peers: Context['peers'],
  mails: readonly MailRow[],
): Promise<Map<number, string | null>> {
  if (mails.length === 0) return new Map();
  const submissions = mails.map(({ data }) => ({ storeId: data.storeId!, id: data.formSubmissionId! }));
  const path = '/internal/mailed-form-submissions';
  const reply = await peers.call<MailedSubmissions>('content', 'POST', path, { submissions });
  // The content service runs the previous version; a later attempt will succeed.
  if (!reply) throw new Error('the content service does not know of mailed form submissions');
  return new Map(mails.map(({ id }, i) => [id, findFormAddress(reply.values[i] ?? {})]));
}

/** Looks up the orders of mails, by the ids of the mails. */
async function listOrders(
  peers: Context['peers'],
  mails: readonly MailRow[],
): Promise<Map<number, MailedOrder>> {
  if (mails.length === 0) return new Map();
  const orders = mails.map(({ data }) => ({
    storeId: data.storeId!,
    orderId: data.orderId!,
    part: data.partId
      ? { kind: data.partKind!, id: data.partId, ...(data.partAt && { at: data.partAt }) }
      : null,
  }));
  const reply = await peers.call<MailedOrders>('orders', 'POST', '/internal/mailed-orders', { orders });
  // The orders service runs the previous version; a later attempt will succeed.
  if (!reply) throw new Error('the orders service does not know of mailed orders');
  return new Map(
    mails.flatMap(({ id }, i) => {
      const order = reply.orders[i];
      return order ? [[id, order] as const] : [];
    }),
  );
}

/** The parameters to render a mail. */
interface Rendering {
  kind: MailKind;
  language: ShopLanguage;
  store: StoreRow;
  template: TemplateText;
  subject: MailSubject;
}

/** Renders a mail. The HTML shows the logo by `cid:logo`, or by a data URL in a preview, which has no attachments. */
export async function renderCustomerMail(
  context: Context,
  { kind, language, store, template, subject }: Rendering,
  { isPreview, isTrial = isPreview }: { isPreview: boolean; isTrial?: boolean },
): Promise<(RenderedCustomerMail & { logo: Buffer | null }) | { problem: TemplateProblem }> {
  const { logo, colors } = await readAppearance(context, store.id);
  const url = context.config.sites.getAddress(store.slug);
  const name = cleanName(store.name);
  const logoUrl = logo && (isPreview ? `data:image/png;base64,${logo.toString('base64')}` : 'cid:logo');
  const reason = footers[language][kind === 'formReceived' ? 'wrote' : 'ordered'](name);
  const rendered = await context.state.customerMails.render(store.id, isTrial, {
    template,
    data: buildTemplateData(kind, subject, { name: store.name, url }),
    liquid: {
      locale: localeIn(language, store, subject.order),
      currency: subject.order?.currency ?? store.currency,
    },
    frame: { language, storeName: name, storeUrl: url, colors, logoUrl, reason },
  });
  return 'problem' in rendered ? rendered : { ...rendered, logo };
}

/**
 * Returns the locale that determines how a text in a language writes amounts: the order's or else the store's, if they
 * are of that language. A preview may be of an order in another one.
 */
const localeIn = (language: ShopLanguage, store: StoreRow, order: MailSubject['order']): string =>
  [order?.locale, ...(store.locales ?? [])].find((locale) => locale?.split('-')[0] === language) ?? language;

/** Returns the language of a mail: the order's, or else the store's first one. */
export const chooseMailLanguage = (store: StoreRow, order: MailSubject['order']): ShopLanguage =>
  chooseShopLanguage(order?.locale, ...(store.locales ?? []));

/**
 * Composes a mail to a customer from the current data. Returns null if the mail is no longer wanted, because the
 * customer was erased or the store does not send such mails. `decisions.md 23.7`.
 */
export async function composeCustomerMail(
  context: Context,
  facts: CustomerFacts,
  mail: MailRow,
  reader: MailRecipient | undefined,
  decideDelivery: DecideDelivery,
): Promise<OutgoingMail | { inSeconds: number } | null> {
  const store = facts.findStore(mail);
  if (!store) return null;
  if (mail.template === 'customerMailTest') return composeTrial(context, facts, mail, store, reader);
  const kind = getMailKind(mail);
  const mailed = mail.data.orderId ? await facts.findOrder(mail) : null;
  if (mail.data.orderId && !mailed?.notifies) return null;
  // The previous version stored the address of a form's sender with the mail.
  const findAddress = () => (mail.data.formSubmissionId ? facts.findSubmitter(mail) : mail.address);
  const to = mailed ? mailed.order.customer.email : await findAddress();
  if (!to || (mailed && !mailed.token)) return null;
  // Until the provider confirms a refund, nothing was refunded, and the amount may turn out lower.
  const isUndecided = kind === 'refunded' && (mailed?.part as Refund | null)?.state === 'pending';
  if (isUndecided) return { inSeconds: undecidedSeconds };
  const subject: MailSubject = {
    order: mailed?.order ?? null,
    token: mailed?.token ?? null,
    part: mailed?.part ? mergePart(mail, mailed.part) : null,
  };
  const language = chooseMailLanguage(store, subject.order);
  const template = toTemplate(kind, language, facts.findTemplate(mail, language));
  if (!template.isEnabled) return null;
  // An order that was paid at a provider is genuine, so its mails do not count toward a new store's daily limit.
  const verdict = await decideDelivery(to, { isCounted: mailed?.isPaidAtProvider !== true });
  if (verdict !== 'send') return verdict;
  const purpose = kind === 'formReceived' ? 'form' : kind === 'orderPlaced' ? 'receipt' : 'customer';
  if (!(await canMailAddress(context.cache, purpose, to))) return null;
  const rendering = { kind, language, store, template, subject };
  let rendered = await renderCustomerMail(context, rendering, { isPreview: false });
  if ('problem' in rendered) {
    // The customer still gets the information, in the default text, because the mistake in the template is not theirs.
    context.log.warn({ store: store.id, kind, ...rendered.problem }, 'a mail template cannot be rendered');
    const plain = { ...rendering, template: defaultTemplate(kind, language) };
    rendered = await renderCustomerMail(context, plain, { isPreview: false });
    if ('problem' in rendered) throw new Error('a default mail template cannot be rendered');
  }
  return { to, ...rendered, ...chooseSender(facts, store) };
}

/** Returns the part of an order as it was at the change that the mail is about: a later state has its own mail. */
const mergePart = ({ data: { partState } }: MailRow, part: object): object =>
  partState ? { ...part, state: partState } : part;

function chooseSender(facts: CustomerFacts, store: StoreRow): Pick<OutgoingMail, 'senderName' | 'replyTo'> {
  const { senderName, replyTo } = toSettings(facts.findSetting(store.id), store.name);
  return { senderName: cleanName(senderName), replyTo };
}

/** Composes a trial mail, which goes only to the user who requested it. */
async function composeTrial(
  context: Context,
  facts: CustomerFacts,
  mail: MailRow,
  store: StoreRow,
  reader: MailRecipient | undefined,
): Promise<OutgoingMail | null> {
  if (!reader?.isVerified) return null;
  const kind = getMailKind(mail);
  const language = mail.data.locale as ShopLanguage;
  const mailed = mail.data.orderId ? await facts.findOrder(mail) : null;
  const subject = mailed
    ? { order: mailed.order, token: mailed.token, part: samplePart(kind, mailed.order) }
    : sampleSubject(kind, language, store.currency);
  const template = { subject: mail.data.subject!, body: mail.data.body! };
  const rendered = await renderCustomerMail(
    context,
    { kind, language, store, template, subject },
    { isPreview: false, isTrial: true },
  );
  if ('problem' in rendered) return null;
  return { to: reader.email, ...rendered, ...chooseSender(facts, store) };
}
