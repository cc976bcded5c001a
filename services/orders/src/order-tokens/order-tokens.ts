import { createHash, timingSafeEqual } from 'node:crypto';
import { idPrefixes } from '@waybill/contracts';
import type { Context } from '../config.ts';
import { addReceiptHash, type ReceiptProof } from './queries.ts';

/** What of an order's address is stored. The secret has 128 random bits, so a plain hash keeps it. */
export const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** What of an order's address nobody can guess: derived, so that it can be given again while its hash alone is stored. */
const secretsOf = ({ deriveSecrets }: Pick<Context, 'deriveSecrets'>, orderId: string) =>
  deriveSecrets('receipts', orderId);

export const newSecret = (context: Pick<Context, 'deriveSecrets'>, orderId: string): string =>
  secretsOf(context, orderId)[0]!;

/** What an order is found by without an account: `decisions.md 17.4`. */
export const tokenOf = (orderId: string, secret: string): string =>
  `${orderId.slice(idPrefixes.order.length + 1)}-${secret}`;

/**
 * The token of an order, null of one that was placed before there were tokens. Where the hash of none that can be derived
 * is stored, another one is, and both are good from then on: links that were sent keep working.
 */
export async function giveToken(
  context: Pick<Context, 'db' | 'deriveSecrets'>,
  storeId: string,
  orderId: string,
  { secret, hashes }: ReceiptProof,
): Promise<string | null> {
  if (secret !== null) return tokenOf(orderId, secret);
  if (hashes === null) return null;
  const derived = secretsOf(context, orderId);
  const known = derived.find((each) => hashes.some((hash) => hash.equals(hashSecret(each))));
  if (!known) await addReceiptHash(context.db, storeId, orderId, hashSecret(derived[0]!));
  return tokenOf(orderId, known ?? derived[0]!);
}

/** The order that a token may be of, and what proves it; null: it is no token. */
export function readToken(token: string): { orderId: string; secret: string } | null {
  const [, digits, secret] = /^([0-9a-hjkmnp-tv-z]{26})-([\w-]{22})$/.exec(token) ?? [];
  return digits && secret ? { orderId: `${idPrefixes.order}_${digits}`, secret } : null;
}

/** Compares in constant time. */
export function isSecret({ secret, hashes }: ReceiptProof, given: string): boolean {
  const hash = hashSecret(given);
  const all = [...(hashes ?? []), ...(secret === null ? [] : [hashSecret(secret)])];
  return all.some((own) => own.length === hash.length && timingSafeEqual(own, hash));
}
