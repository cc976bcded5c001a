import type { MailedOrder, MailKind } from '@waybill/contracts';
import { withoutLinks } from '../mail/plain-names.ts';
import { cleanName } from '../mail/templates.ts';

/** What a mail to a customer is about. */
export interface MailSubject extends Pick<MailedOrder, 'token' | 'part'> {
  /** Null: about no order. */
  order: MailedOrder['order'] | null;
}

/** A store, as mails show it. */
export interface MailStore {
  name: string;
  /** Of its pages, with a slash at the end. */
  url: string;
}

/** The name under which templates know what a mail is about, besides the order. */
const partNames: Partial<Record<MailKind, string>> = {
  orderShipped: 'fulfillment',
  orderDelivered: 'fulfillment',
  refunded: 'refund',
  returnUpdated: 'return',
  documentIssued: 'document',
};

/** What is an address or a code by nature, and stays as it is. */
const isExempt = (key: string): boolean =>
  /(?:^id|Id|At|^url|Url|email|currency|locale|percent|number|trackingNumber|kind|state|status)$/.test(key);

/** Texts that people wrote, with nothing in them that a mail program makes a link of: `decisions.md 19.12`. */
function withoutLinksIn(value: unknown, key = ''): unknown {
  if (typeof value === 'string')
    return isExempt(key) ? value : withoutLinks(value.replace(/[^\P{C}\n]/gu, ''));
  if (Array.isArray(value)) return value.map((each) => withoutLinksIn(each, key));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutLinksIn(each, name)]));
}

/** What a template of a kind may speak of. */
export function dataOf(kind: MailKind, { order, token, part }: MailSubject, store: MailStore): object {
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
