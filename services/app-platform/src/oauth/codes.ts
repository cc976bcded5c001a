import { createHash, randomBytes } from 'node:crypto';
import { hashCredential } from '@waybill/contracts';
import type { Transaction } from 'kysely';
import type { Context } from '../config.ts';
import type { Tables } from '../tables.ts';
import { oauthErrors } from './errors.ts';
import {
  deleteFamily,
  findCode,
  findGrant,
  insertFamily,
  lockCode,
  markCodeUsed,
  replaceCode,
} from './queries.ts';
import type { TokenAnswer } from './routes.ts';
import { issueTokenPair, refreshTokenTtlMs } from './tokens.ts';

const lifeMs = 60_000;

/** Creates the code that a redirect carries to an app; only its hash is stored (`decisions.md 7.7, 14.1`). */
export async function issueCode(
  trx: Transaction<Tables>,
  storeId: string,
  install: { id: string; redirectUri: string; codeChallenge: string },
): Promise<string> {
  const code = randomBytes(32).toString('base64url');
  await replaceCode(trx, storeId, {
    install_id: install.id,
    hash: hashCredential(code),
    redirect_uri: install.redirectUri,
    code_challenge: install.codeChallenge,
    expires_at: new Date(Date.now() + lifeMs),
  });
  return code;
}

/**
 * Exchanges a code for an install's first tokens, or for new ones that replace them. A code is valid once: reusing it
 * revokes the tokens it gave.
 * @throws invalid_grant
 */
export async function exchangeCode(
  { db, transaction, cache }: Context,
  appId: string,
  {
    code,
    redirectUri,
    codeVerifier,
  }: { code: string; redirectUri: string; codeVerifier: string | undefined },
): Promise<TokenAnswer> {
  const known = await findCode(db, hashCredential(code));
  if (!known) throw oauthErrors.invalid_grant();
  const { storeId, installId } = known;
  const answer = await transaction(async (trx) => {
    const grant = await findGrant(trx, storeId, installId);
    if (grant?.appId !== appId) return null;
    const found = await lockCode(trx, storeId, installId, hashCredential(code));
    if (!found) return null;
    if (found.used_at) {
      await deleteFamily(trx, storeId, installId);
      return 'replayed';
    }
    const isValid =
      grant.isAvailable &&
      found.expires_at > new Date() &&
      found.redirect_uri === redirectUri &&
      verifyChallenge(codeVerifier, found.code_challenge);
    if (!isValid) return null;
    await markCodeUsed(trx, storeId, installId);
    await deleteFamily(trx, storeId, installId);
    await insertFamily(trx, storeId, {
      install_id: installId,
      pair: 1,
      from_pair: 0,
      expires_at: new Date(Date.now() + refreshTokenTtlMs),
    });
    return issueTokenPair(trx, grant, 1);
  });
  // Advance the epoch only after the revocation is committed.
  if (answer) await cache.bumpEpoch(storeId);
  if (!answer || answer === 'replayed') throw oauthErrors.invalid_grant();
  return answer;
}

/** Checks the verifier of a code: RFC 7636, 4.6. */
function verifyChallenge(verifier: string | undefined, challenge: string | null): boolean {
  return verifier !== undefined && createHash('sha256').update(verifier).digest('base64url') === challenge;
}
