import { WaybillError, type WebhookErrorCode } from './errors.ts';
import type { Model } from './models.ts';

/**
 * The event of a webhook call (`store-api.md 6.2`). Store its `id`: the same event may arrive twice, and in any order.
 */
export type WebhookEvent = Model<'Event'>;

/** Headers in the form that a server framework provides. */
export type ReceivedHeaders =
  | { get(name: string): string | null | undefined }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** Maximum distance of a call's time from now, in seconds; default 300. */
  tolerance?: number;
  /** Milliseconds since the epoch. */
  now?: number;
}

/** No call and no receiver has more; the limit matters because each one costs a MAC over the body. */
const maxSignatures = 8;
const maxSecrets = 8;

const encoder = new TextEncoder();

/**
 * Returns the event of a webhook call if one of its signatures was made with one of the secrets. Waybill's signature or
 * that of Standard Webhooks is enough (`store-api.md 5.3`, `decisions.md 6.7`). While a secret is rotated, pass both
 * secrets or either one (`decisions.md 12.4`). `rawBody` is the body before any parsing.
 * @throws WaybillError `webhook_not_signed`, `webhook_too_old`, `webhook_signature_invalid`, `webhook_body_invalid`
 */
export async function verify(
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: ReceivedHeaders,
  secrets: string | readonly string[],
  options: VerifyOptions = {},
): Promise<WebhookEvent> {
  return parseEvent(await verifyBody(rawBody, headers, secrets, options));
}

/**
 * Like `verify`, for an endpoint that receives batches (`decisions.md 24.1`): returns the events of a call, oldest
 * first. The header `X-WB-Event-Id` names the batch and is the same on each retry.
 * @throws WaybillError as `verify` does
 */
export async function verifyBatch(
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: ReceivedHeaders,
  secrets: string | readonly string[],
  options: VerifyOptions = {},
): Promise<WebhookEvent[]> {
  return parseEvents(await verifyBody(rawBody, headers, secrets, options));
}

async function verifyBody(
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: ReceivedHeaders,
  secrets: string | readonly string[],
  { tolerance = 300, now = Date.now() }: VerifyOptions,
): Promise<Uint8Array> {
  const body = toBytes(rawBody);
  const candidates = readSignatures(headers);
  if (candidates.length === 0)
    throw refused('webhook_not_signed', 'The call has no signature that is complete.');
  const timely = candidates.filter(({ seconds }) => Math.abs(now / 1000 - seconds) <= tolerance);
  if (timely.length === 0)
    throw refused('webhook_too_old', `The call was signed more than ${tolerance} seconds from now.`);
  for (const secret of toSecretList(secrets)) {
    for (const { scheme, prefix, computeMac } of timely) {
      const key = await importKey(scheme, secret);
      // Web Cryptography compares in constant time.
      if (key && (await crypto.subtle.verify('HMAC', key, computeMac, joinBytes(prefix, body)))) return body;
    }
  }
  throw refused('webhook_signature_invalid', 'The call is not signed with a secret that is held here.');
}

export interface SignOptions {
  /** Milliseconds since the epoch. */
  now?: number;
  attempt?: number;
  /** The new secret, while a secret is rotated. */
  nextSecret?: string;
}

/**
 * Builds a webhook call as Waybill makes it, for tests of a receiver: the event as a body, and the headers that sign it
 * (`store-api.md 6.2`, `decisions.md 6.7`). A string is sent as it is, to test bodies that are not events.
 */
export async function sign(
  event: WebhookEvent | string,
  secret: string,
  { now = Date.now(), attempt = 1, nextSecret }: SignOptions = {},
): Promise<{ body: string; headers: Record<string, string> }> {
  const body = typeof event === 'string' ? event : JSON.stringify(event);
  const { id, type } = typeof event === 'string' ? { id: 'evt_test', type: 'test' } : event;
  const seconds = Math.floor(now / 1000);
  const ours = async (key: string) => `sha256=${toHex(await computeMac('ours', key, `${seconds}.`, body))}`;
  const standard = async (key: string) =>
    `v1,${toBase64(await computeMac('standard', key, `${id}.${seconds}.`, body))}`;
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Waybill-Webhooks/1',
      'x-wb-signature': await ours(secret),
      ...(nextSecret && { 'x-wb-signature-next': await ours(nextSecret) }),
      'x-wb-timestamp': new Date(now).toISOString(),
      'x-wb-event-id': id,
      'x-wb-event-type': type,
      'x-wb-attempt': String(attempt),
      'webhook-id': id,
      'webhook-timestamp': String(seconds),
      'webhook-signature': nextSecret
        ? `${await standard(secret)} ${await standard(nextSecret)}`
        : await standard(secret),
    },
  };
}

/** Generates a secret in Waybill's format, for a receiver that is tried on this machine. */
export function newSecret(): string {
  return `whsec_${toBase64(crypto.getRandomValues(new Uint8Array(32)))}`;
}

/** The two signature schemes, each with its own key and signed text. */
type Scheme = 'ours' | 'standard';

interface Candidate {
  scheme: Scheme;
  /** The time of signing, in whole seconds since the epoch. */
  seconds: number;
  /** The text that was signed before the body. */
  prefix: string;
  computeMac: Uint8Array<ArrayBuffer>;
}

/** Returns the well-formed signatures of a call, each with the time that it covers. */
function readSignatures(headers: ReceivedHeaders): Candidate[] {
  const read = (name: string) => readHeader(headers, name);
  const found: Candidate[] = [];
  const add = (scheme: Scheme, seconds: number, prefix: string, computeMac: Uint8Array<ArrayBuffer>) => {
    if (Number.isSafeInteger(seconds) && computeMac.length === 32)
      found.push({ scheme, seconds, prefix, computeMac });
  };
  const at = Math.floor(Date.parse(read('x-wb-timestamp')) / 1000);
  for (const name of ['x-wb-signature', 'x-wb-signature-next'])
    add('ours', at, `${at}.`, fromHex(/^sha256=([0-9a-f]{64})$/.exec(read(name))?.[1]));
  const [id, seconds] = [read('webhook-id'), read('webhook-timestamp')];
  if (id !== '' && /^\d{1,12}$/.test(seconds))
    for (const each of read('webhook-signature').split(' ').slice(0, maxSignatures)) {
      const computeMac = fromBase64(/^v1,(.+)$/.exec(each)?.[1]);
      // Accepts only the canonical base64, because lenient decoders accept many texts for the same bytes.
      if (computeMac && each === `v1,${toBase64(computeMac)}`)
        add('standard', Number(seconds), `${id}.${seconds}.`, computeMac);
    }
  return found;
}

/** Returns a header, or '' if it is missing or was sent twice, since then neither value can be trusted. */
function readHeader(headers: ReceivedHeaders, name: string): string {
  if (typeof headers.get === 'function') return headers.get(name) ?? '';
  const record = headers as Readonly<Record<string, string | readonly string[] | undefined>>;
  const value = record[name] ?? Object.entries(record).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof value === 'string' ? value : '';
}

/**
 * Returns the secrets, and throws if one is missing: a receiver without a secret would accept calls signed with
 * nothing.
 */
function toSecretList(secrets: string | readonly string[]): readonly string[] {
  const secretList = typeof secrets === 'string' ? [secrets] : secrets;
  if (!Array.isArray(secretList) || secretList.length === 0 || secretList.some((secret) => !secret))
    throw new TypeError('Give the webhook’s secret (whsec_…): is the variable set that should hold it?');
  if (secretList.length > maxSecrets) throw new TypeError(`Give at most ${maxSecrets} secrets.`);
  return secretList;
}

function toBytes(body: string | Uint8Array | ArrayBuffer): Uint8Array {
  if (typeof body === 'string') return encoder.encode(body);
  if (body instanceof Uint8Array) return body;
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  throw new TypeError('Give the raw body as it came: once it is parsed, its signature cannot be checked.');
}

function joinBytes(prefix: string, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const first = encoder.encode(prefix);
  const all = new Uint8Array(first.length + body.length);
  all.set(first);
  all.set(body, first.length);
  return all;
}

/** Returns the key of a scheme: the whole secret as text for Waybill's, its decoded base64 for Standard Webhooks. */
async function importKey(scheme: Scheme, secret: string) {
  const bytes = scheme === 'ours' ? encoder.encode(secret) : fromBase64(secret.replace(/^whsec_/, ''));
  if (!bytes || bytes.length === 0) return null;
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);
}

async function computeMac(scheme: Scheme, secret: string, prefix: string, body: string): Promise<Uint8Array> {
  const key = await importKey(scheme, secret);
  if (!key) throw new TypeError('A signing secret is whsec_ and base64.');
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, joinBytes(prefix, encoder.encode(body))));
}

function parseEvent(body: Uint8Array): WebhookEvent {
  const event = parseJson(body);
  if (isEvent(event)) return event;
  throw refused('webhook_body_invalid', 'The call is signed, and its body is no event.');
}

function parseEvents(body: Uint8Array): WebhookEvent[] {
  const { events } = (parseJson(body) ?? {}) as { events?: unknown };
  if (Array.isArray(events) && events.every(isEvent)) return events;
  throw refused('webhook_body_invalid', 'The call is signed, and its body is no batch of events.');
}

function isEvent(value: unknown): value is WebhookEvent {
  const { id, type } = (value ?? {}) as Partial<WebhookEvent>;
  return typeof id === 'string' && typeof type === 'string';
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}

const refused = (code: WebhookErrorCode, message: string) => new WaybillError(code, message);

const toHex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
const toBase64 = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes));

const fromHex = (text = '') => Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

function fromBase64(text = ''): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    return null;
  }
}
