import { randomFillSync } from 'node:crypto';

/** The prefix of every kind of id, `store-api.md 2.1` and `decisions.md 1.1`. */
export const idPrefixes = {
  user: 'usr',
  store: 'str',
  apiKey: 'key',
  product: 'prd',
  variant: 'var',
  order: 'ord',
  customer: 'cus',
  page: 'pag',
  section: 'sec',
  mediaAsset: 'mda',
  mediaFolder: 'mdf',
  article: 'art',
  blogCategory: 'bct',
  category: 'cat',
  customField: 'cfd',
  webhookEndpoint: 'whe',
  webhookDelivery: 'whd',
  webhookReplay: 'whp',
  webhookBatch: 'whb',
  event: 'evt',
  organisation: 'org',
  app: 'app',
  appVersion: 'ver',
  install: 'ins',
  formSubmission: 'fsb',
  revision: 'rev',
  invitation: 'inv',
  signIn: 'sgn',
  auditEntry: 'aud',
  domain: 'dom',
  paymentMethod: 'pmm',
  discount: 'dsc',
  shippingZone: 'shz',
  shippingRate: 'shr',
  payment: 'pay',
  paymentEntry: 'pen',
  paymentSession: 'pss',
  paymentStep: 'pst',
  fulfillment: 'ful',
  refund: 'rfd',
  return: 'ret',
  note: 'nte',
  document: 'doc',
} as const;

export type IdKind = keyof typeof idPrefixes;

/** The name of each kind of thing in messages for people. */
export const kindNames: Readonly<Record<IdKind, string>> = {
  user: 'user',
  store: 'store',
  apiKey: 'API key',
  product: 'product',
  variant: 'variant',
  order: 'order',
  customer: 'customer',
  page: 'page',
  section: 'section',
  mediaAsset: 'media asset',
  mediaFolder: 'media folder',
  article: 'article',
  blogCategory: 'blog category',
  category: 'category',
  customField: 'custom field',
  webhookEndpoint: 'webhook',
  webhookDelivery: 'delivery',
  webhookReplay: 'replay',
  webhookBatch: 'batch',
  event: 'event',
  organisation: 'organisation',
  app: 'app',
  appVersion: 'app version',
  install: 'install',
  formSubmission: 'form submission',
  revision: 'revision',
  invitation: 'invitation',
  signIn: 'sign-in',
  auditEntry: 'audit entry',
  domain: 'domain',
  paymentMethod: 'payment method',
  discount: 'discount',
  shippingZone: 'shipping zone',
  shippingRate: 'shipping rate',
  payment: 'payment',
  paymentEntry: 'payment entry',
  paymentSession: 'payment session',
  paymentStep: 'payment step',
  fulfillment: 'fulfilment',
  refund: 'refund',
  return: 'return',
  note: 'note',
  document: 'document',
};

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const pool = Buffer.allocUnsafe(16 * 256);
let used = pool.length;
let lastMillis = 0;
const lastRandom = new Uint8Array(16);

/**
 * Creates an id: the kind's prefix, `_`, and a ULID in lower-case Crockford base32 (48 bits of milliseconds, 80 random
 * bits). Ids created by one process in one millisecond still sort in the order of their creation.
 */
export function newId(kind: IdKind, now: number = Date.now()): string {
  let text = firstIdAt(kind, now);
  if (now === lastMillis) increment(lastRandom);
  else {
    lastMillis = now;
    refill(lastRandom);
  }
  for (const digit of lastRandom) text += alphabet[digit];
  return text;
}

/**
 * Returns the common beginning of all ids of a millisecond: no earlier id sorts after it, and no id of that millisecond
 * or later sorts before it.
 */
export function firstIdAt(kind: IdKind, millis: number): string {
  let text = `${idPrefixes[kind]}_`;
  for (let shift = 2 ** 45; shift >= 1; shift /= 32) text += alphabet[Math.floor(millis / shift) % 32];
  return text;
}

/** Returns when an id was created, in milliseconds since 1970. */
export function getIdTime(id: string): number {
  const at = id.indexOf('_') + 1;
  return [...id.slice(at, at + 10)].reduce((millis, digit) => millis * 32 + alphabet.indexOf(digit), 0);
}

/** Fills in sixteen random base32 digits; the first is kept low so that counting up never overflows. */
function refill(digits: Uint8Array): void {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  for (let i = 0; i < 16; i++) digits[i] = pool[used++]! & 31;
  digits[0]! &= 15;
}

function increment(digits: Uint8Array): void {
  for (let i = 15; i >= 0; i--) {
    if (digits[i]! < 31) {
      digits[i]!++;
      return;
    }
    digits[i] = 0;
  }
}

/** Returns the JSON Schema pattern of one kind of id. */
export function idPattern(kind: IdKind): string {
  return `^${idPrefixes[kind]}_[0-9a-hjkmnp-tv-z]{26}$`;
}
