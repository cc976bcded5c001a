import { randomBytes } from 'node:crypto';
import { hashCredential, invitationRules } from '@waybill/contracts';
import type { Kysely, Transaction } from 'kysely';
import { errors } from '../errors.ts';
import type { Tables } from '../tables.ts';
import { deleteTokens, findToken, insertToken, type OneTimeTokenRow } from './queries.ts';

const hourMs = 3_600_000;

/** Lifetimes of links and codes: `decisions.md 15.2, 15.3, 15.5, 15.10`. */
const livesMs: Record<OneTimeTokenRow['purpose'], number> = {
  verify: 7 * 24 * hourMs,
  reset: hourMs,
  invitation: invitationRules.lifeMs,
  login: 60_000,
};

export interface OneTimeToken {
  /** 256 random bits in base64url. Only its hash is stored. */
  token: string;
  expiresAt: Date;
}

/**
 * The rights of a token's bearer: the purpose, the user or other subject, and for an invitation the store or
 * organisation.
 */
export type Grant = Pick<OneTimeTokenRow, 'purpose' | 'subject'> & { invited_to?: string };

/**
 * Creates a token. Earlier tokens stay valid, because mails may arrive out of order. A token that is bound to a text is
 * valid only together with it; the text itself is not stored.
 */
export async function issueToken(db: Kysely<Tables>, grant: Grant, boundTo?: string): Promise<OneTimeToken> {
  const token = randomBytes(32).toString('base64url');
  const expiresAt = new Date(Date.now() + livesMs[grant.purpose]);
  await insertToken(db, { ...grant, hash: hashToken(token, boundTo), expires_at: expiresAt });
  return { token, expiresAt };
}

const hashToken = (token: string, boundTo?: string) =>
  hashCredential(boundTo === undefined ? token : `${token}.${boundTo}`);

/** Returns the grant of a token. Throws `invalid_token`. `decisions.md 15.2`. */
export async function readToken(
  db: Kysely<Tables>,
  purpose: OneTimeTokenRow['purpose'],
  token: string,
  boundTo?: string,
): Promise<OneTimeTokenRow> {
  const found = await findToken(db, purpose, hashToken(token, boundTo));
  if (!found) throw errors.invalid_token();
  return found;
}

/**
 * Spends a token together with all others of its purpose and subject. Of several concurrent uses only one succeeds,
 * once its transaction commits. Throws `invalid_token`. `decisions.md 15.2`.
 */
export async function consumeToken(
  trx: Transaction<Tables>,
  { purpose, subject, hash }: OneTimeTokenRow,
): Promise<void> {
  if (!(await deleteTokens(trx, purpose, subject)).has(hash)) throw errors.invalid_token();
}
