import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

/**
 * An endpoint's secret as keys of the two signing schemes. They are created once, because that costs twice as much as
 * signing.
 */
export interface SigningKeys {
  signWaybill: KeyObject;
  signStandard: KeyObject;
}

/** Returns the keys of a signing secret, which is `whsec_` followed by base64 (`decisions.md 6.7`). */
export function createSigningKeys(secret: string): SigningKeys {
  return {
    signWaybill: createSecretKey(secret, 'utf8'),
    signStandard: createSecretKey(secret.slice('whsec_'.length), 'base64'),
  };
}

export interface Signers {
  keys: SigningKeys;
  /** The keys of the new secret during a rotation; `keys` are then those of the old one. */
  nextKeys?: SigningKeys | undefined;
}

/** One attempt at a webhook call, as it goes over the wire. */
export interface Call extends Signers {
  /** The id of the event, or of the batch. */
  eventId: string;
  /** Null for a batch, whose events have types of their own. */
  eventType: string | null;
  /** Starts at 1. */
  attempt: number;
  /** The envelope's exact bytes (`store-api.md 6.2`). */
  body: string | Buffer;
  now: Date;
  isTest?: boolean | undefined;
  contentType?: string;
}

/**
 * Returns the signature headers of a webhook call: those of `store-api.md 5.3, 6.2`, keyed with the whole secret, and
 * those of Standard Webhooks, keyed with the bytes that its base64 part encodes (`decisions.md 6.7`). During a rotation
 * both secrets verify, so the receiver may hold either (`decisions.md 12.4`).
 */
export function signCall(call: Call): Record<string, string> {
  const { keys, nextKeys, eventId, eventType, attempt, body, now, isTest, contentType } = call;
  const seconds = String(Math.floor(now.getTime() / 1000));
  const signWaybill = ({ signWaybill: key }: SigningKeys) =>
    `sha256=${createHmac('sha256', key).update(`${seconds}.`).update(body).digest('hex')}`;
  const signStandard = ({ signStandard: key }: SigningKeys) =>
    `v1,${createHmac('sha256', key).update(`${eventId}.${seconds}.`).update(body).digest('base64')}`;
  return {
    'Content-Type': contentType ?? 'application/json',
    'User-Agent': 'Waybill-Webhooks/1',
    'X-WB-Signature': signWaybill(keys),
    ...(nextKeys && { 'X-WB-Signature-Next': signWaybill(nextKeys) }),
    'X-WB-Timestamp': now.toISOString(),
    'X-WB-Event-Id': eventId,
    ...(eventType !== null && { 'X-WB-Event-Type': eventType }),
    'X-WB-Attempt': String(attempt),
    ...(isTest && { 'X-WB-Test': '1' }),
    'webhook-id': eventId,
    'webhook-timestamp': seconds,
    'webhook-signature': nextKeys ? `${signStandard(keys)} ${signStandard(nextKeys)}` : signStandard(keys),
  };
}
