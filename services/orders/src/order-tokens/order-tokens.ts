import { createHash, timingSafeEqual } from 'node:crypto';
import { idPrefixes } from '@waybill/contracts';
import type { Context } from '../config.ts';
import { addReceiptHash, type ReceiptProof } from './queries.ts';

/** Returns the stored hash of a secret. The secret has 128 random bits, so it needs no slow hash. */
export const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** Derives the secrets of an order's address. They can be derived again, so only their hashes are stored. */
const deriveTokenSecrets = ({ deriveSecrets }: Pick<Context, 'deriveSecrets'>, orderId: string) =>
  deriveSecrets('receipts', orderId);

export const deriveOrderSecret = (context: Pick<Context, 'deriveSecrets'>, orderId: string): string =>
  deriveTokenSecrets(context, orderId)[0]!;

/** Returns the token that shows an order without an account: `decisions.md 17.4`. */
export const createOrderToken = (orderId: string, secret: string): string =>
  `${orderId.slice(idPrefixes.order.length + 1)}-${secret}`;

/**
 * Returns the token of an order; null if the order is older than tokens. If none of the stored hashes belongs to a
 * derivable secret, adds a hash that does. Both secrets are valid from then on, so links that were sent keep working.
 */
export async function ensureOrderToken(
  context: Pick<Context, 'db' | 'deriveSecrets'>,
  storeId: string,
  orderId: string,
  { secret, hashes }: ReceiptProof,
): Promise<string | null> {
  if (secret !== null) return createOrderToken(orderId, secret);
  if (hashes === null) return null;
  const derived = deriveTokenSecrets(context, orderId);
  const known = derived.find((each) => hashes.some((hash) => hash.equals(hashSecret(each))));
  if (!known) await addReceiptHash(context.db, storeId, orderId, hashSecret(derived[0]!));
  return createOrderToken(orderId, known ?? derived[0]!);
}

/** Returns the order id and the secret in a token; null if it is malformed. */
export function readToken(token: string): { orderId: string; secret: string } | null {
  const [, digits, secret] = /^([0-9a-hjkmnp-tv-z]{26})-([\w-]{22})$/.exec(token) ?? [];
  return digits && secret ? { orderId: `${idPrefixes.order}_${digits}`, secret } : null;
}

/** Compares in constant time. */
export function isSecret({ secret, hashes }: ReceiptProof, secretToCheck: string): boolean {
  const hash = hashSecret(secretToCheck);
  const all = [...(hashes ?? []), ...(secret === null ? [] : [hashSecret(secret)])];
  return all.some((own) => own.length === hash.length && timingSafeEqual(own, hash));
}
