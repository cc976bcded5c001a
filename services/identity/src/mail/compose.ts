import type { MailedReceipt } from '@waybill/contracts';
import type { Context } from '../config.ts';
import { findNotification } from '../notifications/queries.ts';
import { type Grant, issueToken } from '../one-time-tokens/one-time-tokens.ts';
import { findStore } from '../stores/queries.ts';
import { mayBeMailed } from './mail-limits.ts';
import { findReader, hasInvitation, type MailRow, type Reader } from './queries.ts';
import { isTemplate, type Locale, locales, renderMail, type Template } from './templates.ts';
import { MailRefused, type OutgoingMail } from './transport.ts';

/** Whom a mail is to and from, as far as they are users. */
interface People {
  reader: Reader | undefined;
  sender: Reader | undefined;
}

/**
 * The mail as things stand now, in its reader's language (a stranger's: its sender's), its token made this moment. Null:
 * nobody is to have it any more. `decisions.md 15.1, 15.2`.
 */
export async function composeMail(context: Context, mail: MailRow): Promise<OutgoingMail | null> {
  const { db } = context;
  const { user_id, address, sender_id, template } = mail;
  // One of a version that is to come perhaps: a copy of that one sends it at the next attempt.
  if (!isTemplate(template)) throw new MailRefused('unknown template', false);
  const reader = await findReader(db, user_id ? { id: user_id } : { email: address! });
  const sender = sender_id ? await findReader(db, { id: sender_id }) : undefined;
  const data = await dataOf(context, { ...mail, template }, { reader, sender });
  const to = data?.to ?? reader?.email ?? address;
  if (!data || !to) return null;
  const locale = ((reader ?? sender)?.locale ?? data.locale ?? 'en') as Locale;
  return { to, ...renderMail(template, locale, data) };
}

async function dataOf(
  context: Context,
  { template, data }: MailRow & { template: Template },
  { reader, sender }: People,
): Promise<Record<string, string> | null> {
  switch (template) {
    case 'verify':
      if (!reader || reader.isVerified) return null;
      return { link: await linkTo(context, 'verify', { purpose: 'verify', subject: reader.id }) };
    case 'reset':
      if (!reader) return null;
      return { link: await linkTo(context, 'reset', { purpose: 'reset', subject: reader.id }) };
    case 'invitation':
    case 'orgInvitation': {
      const { storeId, orgId, invitationId } = data;
      if (!sender || (storeId && !(await hasInvitation(context.db, storeId, invitationId!)))) return null;
      const grant = {
        purpose: 'invitation',
        subject: invitationId!,
        invited_to: (storeId ?? orgId)!,
      } as const;
      return { ...data, sender: sender.name, link: await linkTo(context, 'invitation', grant) };
    }
    case 'orderReceipt':
      return receiptData(context, orderNamed(data));
    case 'orderCreated':
      return reader?.isVerified ? orderData(context, orderNamed(data), reader) : null;
    case 'accountDeleted':
      return data;
    default:
      return reader?.isVerified ? data : null;
  }
}

interface OrderNamed {
  storeId: string;
  orderId: string;
}

const orderNamed = ({ storeId, orderId }: Record<string, string>): OrderNamed => ({
  storeId: storeId!,
  orderId: orderId!,
});

/** What a mail tells of an order as it is now, in a language; null: the order or its store is no more. */
async function orderFacts({ db, peers }: Context, { storeId, orderId }: OrderNamed) {
  const store = await findStore(db, storeId);
  if (!store || store.closed_at) return null;
  const asked = { storeId, orderId };
  const receipt = await peers.call<MailedReceipt>('orders', 'POST', '/internal/receipts/of-order', asked);
  return receipt && { store, ...receipt };
}

const amountIn = (locale: string, currency: string, minorUnits: number): string => {
  const format = new Intl.NumberFormat(locale, { style: 'currency', currency });
  return format.format(minorUnits / 10 ** format.resolvedOptions().maximumFractionDigits!);
};

/** Of an order to whoever placed it, in the store's language. Nothing once that one was erased. */
async function receiptData(context: Context, named: OrderNamed): Promise<Record<string, string> | null> {
  const facts = await orderFacts(context, named);
  if (!facts?.token || facts.customer.email === '') return null;
  const { store, order, customer, token } = facts;
  if (!(await mayBeMailed(context.cache, 'receipt', customer.email))) return null;
  const [language = 'en'] = store.locales ?? [];
  const locale = locales.find((each) => each === language.split('-')[0]) ?? 'en';
  const amount = (cents: number) => amountIn(language, order.currency, cents);
  const lines = order.lineItems.map(
    ({ quantity, name, variantName, totalCents }) =>
      `${quantity} × ${[name, variantName].filter(Boolean).join(' · ')}: ${amount(totalCents)}`,
  );
  return {
    ...{ to: customer.email, locale, storeName: store.name, number: String(order.number) },
    ...{ lines: lines.join('\n'), total: amount(order.totalCents) },
    link: `${context.config.sites.addressOf(store.slug)}orders/${token}`,
  };
}

/** Of an order to a member who still wants to know. */
async function orderData(
  context: Context,
  named: OrderNamed,
  reader: Reader,
): Promise<Record<string, string> | null> {
  const wanted = await findNotification(context.db, reader.id, named.storeId);
  if (!wanted?.orderCreated || !(await mayBeMailed(context.cache, 'orders', reader.email))) return null;
  const facts = await orderFacts(context, named);
  if (!facts) return null;
  const { store, order } = facts;
  return {
    ...{ storeName: store.name, number: String(order.number) },
    total: amountIn(reader.locale, order.currency, order.totalCents),
    link: `${context.config.consoleUrl}/stores/${named.storeId}/orders/${named.orderId}`,
  };
}

async function linkTo({ db, config }: Context, page: string, grant: Grant): Promise<string> {
  const { token } = await issueToken(db, grant);
  return `${config.consoleUrl}/${page}?token=${token}`;
}
