import { createMoneyFormat, type MailedReceipt, type MailedReceipts } from '@waybill/contracts';
import { LRUCache } from 'lru-cache';
import type { Context } from '../config.ts';
import {
  type CustomerFacts,
  composeCustomerMail,
  isCustomerMail,
  lookUpCustomerFacts,
} from '../customer-mails/compose.ts';
import type { DecideDelivery, Deferral } from '../mail/decide-delivery.ts';
import { canMailAddress } from '../mail/mail-limits.ts';
import { listSendingStores } from '../mail/outsider-queries.ts';
import { decideOutsiderDelivery, type OutsiderSender } from '../mail/outsiders.ts';
import { hasInvitation, listReaders, type MailRecipient, type MailRow } from '../mail/queries.ts';
import { isTemplate, type Locale, renderMail, type Template } from '../mail/templates.ts';
import { MailRefused, type OutgoingMail } from '../mail/transport.ts';
import { findOrderMailRecipients } from '../notifications/queries.ts';
import { type Grant, issueToken } from '../one-time-tokens/one-time-tokens.ts';
import { listOpenStores, type StoreRow } from '../stores/queries.ts';

/** The reader and the sender of a mail, if they are users. */
interface MailParties {
  reader: MailRecipient | undefined;
  sender: MailRecipient | undefined;
}

/** The current facts of an order for a mail. */
interface OrderFacts extends MailedReceipt {
  store: StoreRow;
}

/** Facts for a batch of mails, looked up once for all of them. */
export interface MailFacts {
  customers: CustomerFacts;
  getParties(mail: MailRow): MailParties;
  /** Whether the reader is a member of the mail's store who wants mails about orders. */
  wantsOrders(mail: MailRow): boolean;
  /** The store or organisation that sends a mail to an outsider; null if it no longer exists. */
  findSender(mail: MailRow): OutsiderSender | null;
  /** Null: the order or its store no longer exists. */
  findOrder(mail: MailRow): Promise<OrderFacts | null>;
}

/** Looks up the current facts that a batch of mails needs. */
export async function readMailFacts(context: Context, mails: readonly MailRow[]): Promise<MailFacts> {
  const { db } = context;
  const ofOrders = mails.filter(({ template }) => template === 'orderCreated');
  const customers = await lookUpCustomerFacts(context, mails);
  const receipts = listOrderFacts(context, ofOrders);
  // Other mails of the batch go out even if the orders service does not answer.
  receipts.catch(() => {});
  const toMembers = ofOrders.filter(({ user_id }) => user_id !== null);
  const toOutsiders = mails.filter(({ address, data }) => address !== null && data.storeId !== undefined);
  const [readers, wanting, sending] = await Promise.all([
    listReaders(
      db,
      mails.flatMap(({ user_id, sender_id }) => [user_id ?? [], sender_id ?? []].flat()),
      mails.flatMap(({ address }) => address || []),
    ),
    findOrderMailRecipients(
      db,
      toMembers.map(({ user_id, data }) => ({ storeId: data.storeId!, userId: user_id! })),
    ),
    listSendingStores(
      db,
      toOutsiders.map(({ data }) => data.storeId!),
    ),
  ]);
  const byId = new Map(readers.map((reader) => [reader.id, reader]));
  const storesById = new Map(sending.map((store) => [store.id, store]));
  const byEmail = new Map(readers.map((reader) => [reader.email, reader]));
  const notifiedMails = new Set(toMembers.filter((_, index) => wanting.has(index)).map(({ id }) => id));
  return {
    customers,
    getParties: ({ user_id, address, sender_id }) => ({
      reader: user_id === null ? byEmail.get(address!) : byId.get(user_id),
      sender: sender_id === null ? undefined : byId.get(sender_id),
    }),
    wantsOrders: ({ id }) => notifiedMails.has(id),
    findSender({ data: { storeId, orgId, orgName, orgCreatedAt }, sender_id }) {
      if (storeId !== undefined) {
        const store = storesById.get(storeId);
        return store ? { ...store, notifiedUserId: null } : null;
      }
      if (orgId === undefined) return null;
      return {
        id: orgId,
        name: orgName!,
        // The previous version of the app platform does not send it.
        createdAt: orgCreatedAt === undefined ? null : new Date(orgCreatedAt),
        // Only owners send invitations, so the sender's verified address is an owner's.
        isTrusted: byId.get(sender_id ?? '')?.isVerified === true,
        notifiedUserId: sender_id,
      };
    },
    findOrder: async ({ data: { orderId } }) => (await receipts).get(orderId!) ?? null,
  };
}

/** Looks up the facts of the mails' orders, by order. Several mails of one order cause one lookup. */
async function listOrderFacts(
  { db, peers }: Context,
  mails: readonly MailRow[],
): Promise<Map<string, OrderFacts>> {
  const facts = new Map<string, OrderFacts>();
  if (mails.length === 0) return facts;
  const stores = await listOpenStores(
    db,
    mails.map(({ data }) => data.storeId!),
  );
  const storesById = new Map(stores.map((store) => [store.id, store]));
  const requestedOrders = new Map(
    mails
      .map(({ data }) => ({ storeId: data.storeId!, orderId: data.orderId! }))
      .filter(({ storeId }) => storesById.has(storeId))
      .map((order) => [order.orderId, order]),
  );
  if (requestedOrders.size === 0) return facts;
  const orders = [...requestedOrders.values()];
  const reply = await peers.call<MailedReceipts>('orders', 'POST', '/internal/receipts/of-orders', {
    orders,
  });
  // The orders service runs the previous version; a later attempt will succeed.
  if (!reply) throw new Error('the orders service does not know of receipts');
  for (const [i, { storeId, orderId }] of orders.entries()) {
    const receipt = reply.receipts[i];
    if (receipt) facts.set(orderId, { ...receipt, store: storesById.get(storeId)! });
  }
  return facts;
}

/**
 * Composes a mail from the current data, with a fresh token, in its reader's language, or in its sender's if the reader
 * is no user. Returns null if the mail is no longer wanted. `decisions.md 15.1, 15.2`.
 */
export async function composeMail(
  context: Context,
  facts: MailFacts,
  mail: MailRow,
): Promise<OutgoingMail | Deferral | null> {
  const { address, template } = mail;
  if (isCustomerMail(mail)) {
    const decideCustomerDelivery: DecideDelivery = (to, options) =>
      decideDelivery(context, facts, mail, to, options);
    return composeCustomerMail(
      context,
      facts.customers,
      mail,
      facts.getParties(mail).reader,
      decideCustomerDelivery,
    );
  }
  // A newer version may have queued this mail; a copy of that version sends it at the next attempt.
  if (!isTemplate(template)) throw new MailRefused('unknown template', false);
  const { reader, sender } = facts.getParties(mail);
  const data = await readMailData(context, facts, { ...mail, template });
  if (!data || isDeferral(data)) return data;
  const to = data.to ?? reader?.email ?? address;
  if (!to) return null;
  const locale = ((reader ?? sender)?.locale ?? data.locale ?? 'en') as Locale;
  return { to, ...renderMail(template, locale, data) };
}

const isDeferral = (data: object): data is Deferral =>
  'inSeconds' in data && typeof data.inSeconds === 'number';

/** Decides whether an outside address may be mailed now; null means that the mail is dropped. */
async function decideDelivery(
  context: Context,
  facts: MailFacts,
  mail: MailRow,
  address: string,
  { isCounted }: { isCounted: boolean } = { isCounted: true },
): Promise<'send' | Deferral | null> {
  const sender = facts.findSender(mail);
  const verdict = sender
    ? await decideOutsiderDelivery(context, sender, { address, createdAt: mail.created_at, isCounted })
    : 'drop';
  return verdict === 'drop' ? null : verdict;
}

async function readMailData(
  context: Context,
  facts: MailFacts,
  mail: MailRow & { template: Template },
): Promise<Record<string, string> | Deferral | null> {
  const { template, data } = mail;
  const { reader, sender } = facts.getParties(mail);
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
      const verdict = await decideDelivery(context, facts, mail, mail.address!);
      if (verdict !== 'send') return verdict;
      const grant = {
        purpose: 'invitation',
        subject: invitationId!,
        invited_to: (storeId ?? orgId)!,
      } as const;
      return { ...data, sender: sender.name, link: await linkTo(context, 'invitation', grant) };
    }
    case 'orderCreated':
      return reader?.isVerified && facts.wantsOrders(mail) ? orderData(context, facts, mail, reader) : null;
    case 'accountDeleted':
      return data;
    default:
      return reader?.isVerified ? withLocalAmount(data, reader.locale) : null;
  }
}

/** Returns the data of a mail with its amount, if it has one, as the reader's language writes it. */
function withLocalAmount(data: Record<string, string>, locale: string): Record<string, string> {
  const { amountCents, currency } = data;
  return amountCents && currency
    ? { ...data, amount: moneyFormat(locale, currency)(Number(amountCents)) }
    : data;
}

/** Formatters by currency and language. They are expensive to create, and few exist. */
const moneyFormats = new LRUCache<string, (minorUnits: number) => string>({ max: 500 });

function moneyFormat(locale: string, currency: string): (minorUnits: number) => string {
  const key = `${locale} ${currency}`;
  const known = moneyFormats.get(key);
  if (known) return known;
  const amount = createMoneyFormat(locale, currency);
  moneyFormats.set(key, amount);
  return amount;
}

/** Returns the data of a mail about an order, for a member who still wants such mails. */
async function orderData(
  { cache, config }: Context,
  facts: MailFacts,
  mail: MailRow,
  { email, locale }: MailRecipient,
): Promise<Record<string, string> | null> {
  if (!(await canMailAddress(cache, 'orders', email))) return null;
  const found = await facts.findOrder(mail);
  if (!found) return null;
  const { store, order } = found;
  const { storeId, orderId } = mail.data;
  return {
    storeName: store.name,
    number: String(order.number),
    total: moneyFormat(locale, order.currency)(order.totalCents),
    link: `${config.consoleUrl}/stores/${storeId}/orders/${orderId}`,
  };
}

async function linkTo({ db, config }: Context, page: string, grant: Grant): Promise<string> {
  const { token } = await issueToken(db, grant);
  return `${config.consoleUrl}/${page}?token=${token}`;
}
