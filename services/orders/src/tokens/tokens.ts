import { createHash, timingSafeEqual } from 'node:crypto';
import { idPrefixes } from '@waybill/contracts';
import type { Context } from '../config.ts';
import { addSecretHash, type SecretProof, type TokenKind } from './queries.ts';

/** The name under which the secrets of each kind are derived. Links that were sent depend on it. */
const purposes: Readonly<Record<TokenKind, string>> = { order: 'receipts', document: 'documents' };

/** Returns the stored hash of a secret. The secret has 128 random bits, so it needs no slow hash. */
export const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** Derives the secrets in the token of a thing. They can be derived again, so only their hashes are stored. */
const deriveTokenSecrets = ({ deriveSecrets }: Pick<Context, 'deriveSecrets'>, kind: TokenKind, id: string) =>
  deriveSecrets(purposes[kind], id);

/** Returns the secret in the token of a new thing. */
export const deriveTokenSecret = (
  context: Pick<Context, 'deriveSecrets'>,
  kind: TokenKind,
  id: string,
): string => deriveTokenSecrets(context, kind, id)[0]!;

/** Returns the token that shows an order or a document without an account: `decisions.md 17.4, 23.5`. */
export const createToken = (kind: TokenKind, id: string, secret: string): string =>
  `${id.slice(idPrefixes[kind].length + 1)}-${secret}`;

/**
 * Returns the token of a thing; null if the thing is older than tokens. If none of the stored hashes belongs to a
 * derivable secret, adds a hash that does. Both secrets are valid from then on, so links that were sent keep working.
 */
export async function ensureToken(
  context: Pick<Context, 'db' | 'deriveSecrets'>,
  kind: TokenKind,
  storeId: string,
  id: string,
  { secret, hashes }: SecretProof,
): Promise<string | null> {
  if (secret !== null) return createToken(kind, id, secret);
  if (hashes === null) return null;
  const derived = deriveTokenSecrets(context, kind, id);
  const known = derived.find((each) => hashes.some((hash) => hash.equals(hashSecret(each))));
  if (!known) await addSecretHash(context.db, kind, storeId, id, hashSecret(derived[0]!));
  return createToken(kind, id, known ?? derived[0]!);
}

/** Returns the id and the secret in a token; null if it is malformed. */
export function readToken(kind: TokenKind, token: string): { id: string; secret: string } | null {
  const [, digits, secret] = /^([0-9a-hjkmnp-tv-z]{26})-([\w-]{22})$/.exec(token) ?? [];
  return digits && secret ? { id: `${idPrefixes[kind]}_${digits}`, secret } : null;
}

/** Compares in constant time. */
export function isSecret({ secret, hashes }: SecretProof, secretToCheck: string): boolean {
  const hash = hashSecret(secretToCheck);
  const all = [...(hashes ?? []), ...(secret === null ? [] : [hashSecret(secret)])];
  return all.some((own) => own.length === hash.length && timingSafeEqual(own, hash));
}
