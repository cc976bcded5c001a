import {
  type Branding,
  type MailedOrder,
  type MailedOrders,
  type MailKind,
  type Refund,
  type ShopLanguage,
  shopLanguageOf,
  type ThemeColors,
} from '@waybill/contracts';
import { LRUCache } from 'lru-cache';
import type { Context } from '../config.ts';
import type { Judge } from '../mail/judge.ts';
import { mayBeMailed } from '../mail/mail-limits.ts';
import type { MailRow, Reader } from '../mail/queries.ts';
import { cleanName } from '../mail/templates.ts';
import type { OutgoingMail } from '../mail/transport.ts';
import { listOpenStores, type StoreRow } from '../stores/queries.ts';
import { dataOf, type MailSubject } from './data.ts';
import { defaultTemplate, footers, type TemplateText } from './defaults.ts';
import { listSettings, listTemplatesOf, type SettingRow, type TemplateRow } from './queries.ts';
import { type MailColors, standardColors } from './rendering/frame.ts';
import type { TemplateProblem } from './rendering/liquid.ts';
import type { RenderedCustomerMail } from './rendering/render.ts';
import { samplePart, sampleSubject } from './samples.ts';
import { toSettings, toTemplate } from './templates.ts';

/** The rows of mails to customers; `orderReceipt` is what copies of the version before call `orderPlaced`. */
const templates = new Set(['orderReceipt', 'customerMail', 'customerMailTest']);
export const isCustomerMail = ({ template }: Pick<MailRow, 'template'>): boolean => templates.has(template);

/** What a mail to a customer says. */
export const kindOf = ({ template, data }: Pick<MailRow, 'template' | 'data'>): MailKind =>
  template === 'orderReceipt' ? 'orderPlaced' : (data.kind as MailKind);

/** How a store's mails look. */
interface Look {
  /** A PNG. */
  logo: Buffer | null;
  colors: MailColors;
}

/** How long a mail about a refund waits for its provider before it looks again. */
const undecidedSeconds = 60;
const knownMs = 60_000;
const unknownMs = 5_000;
const looks = new LRUCache<string, Look>({
  maxSize: 16 * 1024 * 1024,
  sizeCalculation: ({ logo }) => 1_000 + (logo?.length ?? 0),
});

/** Colours that a style attribute may hold: whoever wrote the theme writes no other style with them. */
const isColor = (value: unknown): value is string =>
  typeof value === 'string' && /^#[\da-f]{3,8}$/i.test(value);

/** A store's logo and colours; those of any store where who knows them is away: a mail is not to wait for its looks. */
async function lookOf({ peers, log }: Context, storeId: string): Promise<Look> {
  const known = looks.get(storeId);
  if (known) return known;
  const answer = <Reply>(service: string, path: string): Promise<Reply | null> =>
    peers.call<Reply>(service, 'POST', path, { storeId }).catch((err: unknown) => {
      log.info({ err, storeId }, 'a mail is made without its store’s looks');
      return null;
    });
  const [branding, theme] = await Promise.all([
    answer<Branding>('orders', '/internal/documents/branding'),
    answer<ThemeColors>('content', '/internal/theme-colors'),
  ]);
  const colors = { ...standardColors };
  for (const name of Object.keys(colors) as (keyof MailColors)[]) {
    const color = theme?.colors?.[name];
    if (isColor(color)) colors[name] = color;
  }
  const look = { logo: branding?.logo ? Buffer.from(branding.logo, 'base64') : null, colors };
  // Who was away is asked again soon.
  looks.set(storeId, look, { ttl: branding && theme ? knownMs : unknownMs });
  return look;
}

/** What mails to customers that are sent together need to know. */
export interface CustomerFacts {
  storeOf(mail: MailRow): StoreRow | undefined;
  templateOf(mail: MailRow, language: ShopLanguage): TemplateRow | undefined;
  settingOf(storeId: string): SettingRow | undefined;
  /** Null: the order, or what of it the mail is about, is no more. */
  orderOf(mail: MailRow): Promise<MailedOrder | null>;
}

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
          listTemplatesOf(db, storeIds),
          listSettings(db, storeIds),
        ]);
  const orders = listOrders(
    peers,
    mails.filter(({ data }) => data.orderId && stores.some(({ id }) => id === data.storeId)),
  );
  // Other mails go out whoever does not answer for orders.
  orders.catch(() => {});
  return {
    storeOf: ({ data }) => stores.find(({ id }) => id === data.storeId),
    templateOf: (mail, language) =>
      rows.find(
        (row) => row.store_id === mail.data.storeId && row.kind === kindOf(mail) && row.locale === language,
      ),
    settingOf: (storeId) => settings.find((row) => row.store_id === storeId),
    orderOf: async ({ id }) => (await orders).get(id) ?? null,
  };
}

/** By the mails' ids. */
async function listOrders(
  peers: Context['peers'],
  mails: readonly MailRow[],
): Promise<Map<number, MailedOrder>> {
  if (mails.length === 0) return new Map();
  const orders = mails.map(({ data }) => ({
    storeId: data.storeId!,
    orderId: data.orderId!,
    part: data.partId ? { kind: data.partKind!, id: data.partId } : null,
  }));
  const reply = await peers.call<MailedOrders>('orders', 'POST', '/internal/mailed-orders', { orders });
  // A copy of the version before: of this one a later attempt is answered.
  if (!reply) throw new Error('the orders service does not know of mailed orders');
  return new Map(
    mails.flatMap(({ id }, i) => {
      const order = reply.orders[i];
      return order ? [[id, order] as const] : [];
    }),
  );
}

/** A mail to be rendered. */
interface Rendering {
  kind: MailKind;
  language: ShopLanguage;
  store: StoreRow;
  template: TemplateText;
  subject: MailSubject;
}

/** A rendered mail, with the logo that it shows by `cid:logo`, or as data where there is nothing to attach it to. */
export async function renderCustomerMail(
  context: Context,
  { kind, language, store, template, subject }: Rendering,
  { isPreview, isTrial = isPreview }: { isPreview: boolean; isTrial?: boolean },
): Promise<(RenderedCustomerMail & { logo: Buffer | null }) | { problem: TemplateProblem }> {
  const { logo, colors } = await lookOf(context, store.id);
  const url = context.config.sites.addressOf(store.slug);
  const name = cleanName(store.name);
  const logoUrl = logo && (isPreview ? `data:image/png;base64,${logo.toString('base64')}` : 'cid:logo');
  const reason = footers[language][kind === 'formReceived' ? 'wrote' : 'ordered'](name);
  const rendered = await context.state.customerMails.render(store.id, isTrial, {
    template,
    data: dataOf(kind, subject, { name: store.name, url }),
    liquid: {
      locale: subject.order?.locale ?? localeOf(store, language),
      currency: subject.order?.currency ?? store.currency,
    },
    frame: { language, storeName: name, storeUrl: url, colors, logoUrl, reason },
  });
  return 'problem' in rendered ? rendered : { ...rendered, logo };
}

/** The store's locale of a language, for its region's way to write amounts. */
const localeOf = (store: StoreRow, language: ShopLanguage): string =>
  store.locales?.find((locale) => locale.split('-')[0] === language) ?? language;

/** The language of a mail: the order's, else the store's first. */
export const languageOf = (store: StoreRow, order: MailSubject['order']): ShopLanguage =>
  shopLanguageOf(order?.locale, ...(store.locales ?? []));

/**
 * A mail to a customer as things stand now. Null: nobody is to have it any more, as the customer was erased, or the store
 * does not send such mails. `decisions.md 23.7`.
 */
export async function composeCustomerMail(
  context: Context,
  facts: CustomerFacts,
  mail: MailRow,
  reader: Reader | undefined,
  judge: Judge,
): Promise<OutgoingMail | { inSeconds: number } | null> {
  const store = facts.storeOf(mail);
  if (!store) return null;
  if (mail.template === 'customerMailTest') return composeTrial(context, facts, mail, store, reader);
  const kind = kindOf(mail);
  const mailed = mail.data.orderId ? await facts.orderOf(mail) : null;
  if (mail.data.orderId && !mailed?.notifies) return null;
  const to = mailed ? mailed.order.customer.email : mail.address!;
  if (!to || (mailed && !mailed.token)) return null;
  // Until its provider says so nothing was refunded, and it may come to less.
  const isUndecided = kind === 'refunded' && (mailed?.part as Refund | null)?.state === 'pending';
  if (isUndecided) return { inSeconds: undecidedSeconds };
  const subject: MailSubject = {
    order: mailed?.order ?? null,
    token: mailed?.token ?? null,
    part: mailed?.part ?? null,
  };
  const language = languageOf(store, subject.order);
  const template = toTemplate(kind, language, facts.templateOf(mail, language));
  if (!template.isEnabled) return null;
  // An order that was paid at a provider is a real one: its mails take nothing of a new store's day.
  const verdict = await judge(to, { isCounted: mailed?.isPaidAtProvider !== true });
  if (verdict !== 'send') return verdict;
  const purpose = kind === 'formReceived' ? 'form' : kind === 'orderPlaced' ? 'receipt' : 'customer';
  if (!(await mayBeMailed(context.cache, purpose, to))) return null;
  const rendering = { kind, language, store, template, subject };
  let rendered = await renderCustomerMail(context, rendering, { isPreview: false });
  if ('problem' in rendered) {
    // The customer is to know all the same: a mistake that no trial has shown is not theirs.
    context.log.warn({ store: store.id, kind, ...rendered.problem }, 'a mail template cannot be rendered');
    const plain = { ...rendering, template: defaultTemplate(kind, language) };
    rendered = await renderCustomerMail(context, plain, { isPreview: false });
    if ('problem' in rendered) throw new Error('a default mail template cannot be rendered');
  }
  return { to, ...rendered, ...senderOf(facts, store) };
}

function senderOf(facts: CustomerFacts, store: StoreRow): Pick<OutgoingMail, 'senderName' | 'replyTo'> {
  const { senderName, replyTo } = toSettings(facts.settingOf(store.id), store.name);
  return { senderName: cleanName(senderName), replyTo };
}

/** A trial goes to the user who asks for it, and to nobody else. */
async function composeTrial(
  context: Context,
  facts: CustomerFacts,
  mail: MailRow,
  store: StoreRow,
  reader: Reader | undefined,
): Promise<OutgoingMail | null> {
  if (!reader?.isVerified) return null;
  const kind = kindOf(mail);
  const language = mail.data.locale as ShopLanguage;
  const mailed = mail.data.orderId ? await facts.orderOf(mail) : null;
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
  return { to: reader.email, ...rendered, ...senderOf(facts, store) };
}
