import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

/** An endpoint's secret as keys of the two schemes. They are made once: that costs twice as much as signing with them. */
export interface SigningKeys {
  ours: KeyObject;
  standard: KeyObject;
}

/** The keys of a signing secret, `whsec_` and base64 (`decisions.md 6.7`). */
export function signingKeys(secret: string): SigningKeys {
  return {
    ours: createSecretKey(secret, 'utf8'),
    standard: createSecretKey(secret.slice('whsec_'.length), 'base64'),
  };
}

export interface Signers {
  keys: SigningKeys;
  /** While a secret is rotated: of the new one. `keys` are of the old one then. */
  nextKeys?: SigningKeys | undefined;
}

/** One attempt at a webhook call, as it goes over the wire. */
export interface Call extends Signers {
  /** Of the event, or of the batch. */
  eventId: string;
  /** Null: of a batch, whose events have types of their own. */
  eventType: string | null;
  /** 1 for the first. */
  attempt: number;
  /** The envelope's exact bytes (`store-api.md 6.2`). */
  body: string | Buffer;
  now: Date;
  isTest?: boolean | undefined;
  contentType?: string;
}

/**
 * The headers of a webhook call: those of `store-api.md 5.3, 6.2`, keyed with the whole secret, and beside
 * them those of Standard Webhooks, keyed with the bytes its base64 part stands for (`decisions.md 6.7`). While a secret
 * is rotated both verify, whichever of the two the receiver holds (`decisions.md 12.4`).
 */
export function sign(call: Call): Record<string, string> {
  const { keys, nextKeys, eventId, eventType, attempt, body, now, isTest, contentType } = call;
  const seconds = String(Math.floor(now.getTime() / 1000));
  const ours = ({ ours: key }: SigningKeys) =>
    `sha256=${createHmac('sha256', key).update(`${seconds}.`).update(body).digest('hex')}`;
  const standard = ({ standard: key }: SigningKeys) =>
    `v1,${createHmac('sha256', key).update(`${eventId}.${seconds}.`).update(body).digest('base64')}`;
  return {
    'Content-Type': contentType ?? 'application/json',
    'User-Agent': 'Waybill-Webhooks/1',
    'X-WB-Signature': ours(keys),
    ...(nextKeys && { 'X-WB-Signature-Next': ours(nextKeys) }),
    'X-WB-Timestamp': now.toISOString(),
    'X-WB-Event-Id': eventId,
    ...(eventType !== null && { 'X-WB-Event-Type': eventType }),
    'X-WB-Attempt': String(attempt),
    ...(isTest && { 'X-WB-Test': '1' }),
    'webhook-id': eventId,
    'webhook-timestamp': seconds,
    'webhook-signature': nextKeys ? `${standard(keys)} ${standard(nextKeys)}` : standard(keys),
  };
}
