import { createHmac, timingSafeEqual } from 'node:crypto';

/** Whether a call comes from Waybill: compares the HMAC of its raw bytes, keyed with the webhook's secret. */
export function isGenuine(
  secret: string,
  body: Buffer,
  { timestamp, signature }: { timestamp: string; signature: string },
): boolean {
  const seconds = Math.floor(Date.parse(timestamp) / 1000);
  const hmac = createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex');
  const [expected, received] = [Buffer.from(`sha256=${hmac}`), Buffer.from(signature)];
  return expected.length === received.length && timingSafeEqual(expected, received);
}
