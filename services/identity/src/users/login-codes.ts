import { createHash } from 'node:crypto';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import {
  consumeToken,
  issueToken,
  type OneTimeToken,
  readToken,
} from '../one-time-tokens/one-time-tokens.ts';
import type { Device } from '../sign-ins/queries.ts';
import { startRecordedSession } from './login.ts';
import { findSessionEnd, findUserBySession } from './queries.ts';
import type { StartedSession } from './sessions.ts';

/**
 * Issues a code with which a program signs in once as the session's user. Only the program that made the challenge can
 * use it (RFC 7636, S256). `decisions.md 15.10`.
 */
export function issueLoginCode(
  { db }: Context,
  sessionId: string,
  codeChallenge: string,
): Promise<OneTimeToken> {
  return issueToken(db, { purpose: 'login', subject: sessionId }, codeChallenge);
}

/**
 * Signs in by a code. Neither the code nor the session that starts here outlives the session that issued the code.
 * Throws `invalid_token`. `decisions.md 15.10, 19.12`.
 */
export async function loginByCode(
  { db, transaction, cache }: Context,
  { code, codeVerifier }: { code: string; codeVerifier: string },
  device: Device,
): Promise<StartedSession> {
  const found = await readToken(db, 'login', code, createChallenge(codeVerifier));
  const { hasEndedOthers, ...entered } = await transaction(async (trx) => {
    await consumeToken(trx, found);
    const user = await findUserBySession(trx, found.subject);
    const end = await findSessionEnd(trx, found.subject);
    if (!user || !end || end <= new Date()) throw errors.invalid_token();
    return startRecordedSession(trx, user, device, found.subject);
  });
  if (hasEndedOthers) await cache.bumpEpoch(entered.user.id);
  return entered;
}

const createChallenge = (verifier: string) => createHash('sha256').update(verifier).digest('base64url');
