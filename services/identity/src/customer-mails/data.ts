import type { MailedOrder, MailKind } from '@waybill/contracts';
import { breakLinks } from '../mail/plain-names.ts';
import { cleanName } from '../mail/templates.ts';

/** The order and the part of it that a mail to a customer is about. */
export interface MailSubject extends Pick<MailedOrder, 'token' | 'part'> {
  /** Null: the mail is about no order. */
  order: MailedOrder['order'] | null;
}

/** A store as mails show it. */
export interface MailStore {
  name: string;
  /** URL of the store's pages, with a slash at the end. */
  url: string;
}

/** The template variable for the part of an order that a mail is about. */
const partNames: Partial<Record<MailKind, string>> = {
  orderShipped: 'fulfillment',
  orderDelivered: 'fulfillment',
  refunded: 'refund',
  returnUpdated: 'return',
  documentIssued: 'document',
};

/** Whether a key holds an address or a code, which stay unchanged. */
const isExempt = (key: string): boolean =>
  /(?:^id|Id|At|^url|Url|email|currency|locale|percent|number|trackingNumber|kind|state|status)$/.test(key);

/** Breaks links in texts that people wrote, so that no mail program makes them clickable: `decisions.md 19.12`. */
function withoutLinksIn(value: unknown, key = ''): unknown {
  if (typeof value === 'string') return isExempt(key) ? value : breakLinks(value.replace(/[^\P{C}\n]/gu, ''));
  if (Array.isArray(value)) return value.map((each) => withoutLinksIn(each, key));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutLinksIn(each, name)]));
}

/** Returns the data that templates of a kind may use. */
export function buildTemplateData(
  kind: MailKind,
  { order, token, part }: MailSubject,
  store: MailStore,
): object {
  const partName = partNames[kind];
  return {
    store: { name: cleanName(store.name), url: store.url },
    ...(order && {
      order: withoutLinksIn(order),
      name: cleanName(order.customer.name),
      orderUrl: token ? `${store.url}orders/${token}` : null,
    }),
    ...(partName && part && { [partName]: withoutLinksIn(part) }),
  };
}
