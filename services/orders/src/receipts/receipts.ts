import { randomBytes, timingSafeEqual } from 'node:crypto';
import { idPrefixes } from '@waybill/contracts';

/** What of an order's address nobody can guess. */
export const newSecret = (): string => randomBytes(16).toString('base64url');

/** What an order is found by without an account: `decisions.md 17.4`. */
export const tokenOf = (orderId: string, secret: string): string =>
  `${orderId.slice(idPrefixes.order.length + 1)}-${secret}`;

/** The order that a token may be of, and what proves it; null: it is no token. */
export function readToken(token: string): { orderId: string; secret: string } | null {
  const [, digits, secret] = /^([0-9a-hjkmnp-tv-z]{26})-([\w-]{22})$/.exec(token) ?? [];
  return digits && secret ? { orderId: `${idPrefixes.order}_${digits}`, secret } : null;
}

/** Compares in constant time. */
export function isSecret(secret: string, given: string): boolean {
  const [own, other] = [Buffer.from(secret), Buffer.from(given)];
  return own.length === other.length && timingSafeEqual(own, other);
}
