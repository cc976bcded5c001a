import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

/** What an endpoint's secret is to the two schemes. Made once: that costs twice as much as signing with it. */
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

/** One attempt at a webhook call, as it goes over the wire. */
export interface Call {
  keys: SigningKeys;
  eventId: string;
  eventType: string;
  /** 1 for the first. */
  attempt: number;
  /** The envelope's exact bytes (`store-api.md 6.2`). */
  body: string | Buffer;
  now: Date;
}

/**
 * The headers of a webhook call: those of `store-api.md 5.3` and `6.2`, keyed with the whole secret, and beside
 * them those of Standard Webhooks, keyed with the bytes its base64 part stands for (`decisions.md 6.7`).
 */
export function sign({ keys, eventId, eventType, attempt, body, now }: Call): Record<string, string> {
  const seconds = String(Math.floor(now.getTime() / 1000));
  const ours = createHmac('sha256', keys.ours).update(`${seconds}.`).update(body).digest('hex');
  const standard = createHmac('sha256', keys.standard)
    .update(`${eventId}.${seconds}.`)
    .update(body)
    .digest('base64');
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'Waybill-Webhooks/1',
    'X-WB-Signature': `sha256=${ours}`,
    'X-WB-Timestamp': now.toISOString(),
    'X-WB-Event-Id': eventId,
    'X-WB-Event-Type': eventType,
    'X-WB-Attempt': String(attempt),
    'webhook-id': eventId,
    'webhook-timestamp': seconds,
    'webhook-signature': `v1,${standard}`,
  };
}
