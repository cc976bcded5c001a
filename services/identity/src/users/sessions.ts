import { randomBytes } from 'node:crypto';
import { hashCredential } from '@waybill/contracts';
import type { Kysely } from 'kysely';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import type { Tables } from '../tables.ts';
import {
  deleteExpired,
  deleteSession,
  findRefreshToken,
  findSessionForUpdate,
  findUser,
  findUserOfSession,
  insertRefreshToken,
  insertSession,
  type UserRow,
  updateSession,
  updateTokenAsUsed,
} from './queries.ts';
import { isReviewer } from './reviewers.ts';

const lifeMs = 30 * 24 * 3_600_000;

interface NewToken {
  text: string;
  hash: string;
  expires_at: Date;
}

/** Only its hash is stored. */
function makeRefreshToken(): NewToken {
  const text = randomBytes(32).toString('base64url');
  return { text, hash: hashCredential(text), expires_at: new Date(Date.now() + lifeMs) };
}

/** Who entered, by which session, and the refresh token with which that goes on. */
export interface Entered {
  user: UserRow;
  sessionId: string;
  refreshToken: string;
}

/** Starts a session of the user and gives its first refresh token. */
export async function startSession(db: Kysely<Tables>, user: UserRow): Promise<Entered> {
  const id = randomBytes(16).toString('base64url');
  const { text, hash, expires_at } = makeRefreshToken();
  await insertSession(db, { id, user_id: user.id, expires_at });
  await insertRefreshToken(db, { hash, session_id: id, generation: 1, expires_at });
  return { user, sessionId: id, refreshToken: text };
}

/**
 * Exchanges a refresh token for its successor. An answer may get lost and several windows may refresh at once,
 * so the token may be exchanged again, every successor being good, until one of them is used: that use retires
 * the others. A token that comes back later than that is in two hands, and ends the session.
 * Throws `invalid_refresh_token`. `decisions.md 8.1`.
 */
export async function refreshSession(
  { transaction, cache }: Pick<Context, 'transaction' | 'cache'>,
  refreshToken: string,
): Promise<Entered> {
  const hash = hashCredential(refreshToken);
  const outcome = await transaction<Entered | { endedOf: string } | null>(async (trx) => {
    const known = await findRefreshToken(trx, hash);
    const session = known && (await findSessionForUpdate(trx, known.session_id));
    // Read again: a refresh that held the lock may have used the token.
    const token = session && (await findRefreshToken(trx, hash));
    if (!token) return null;
    const isNext = token.generation === session.used_generation + 1;
    const isRepeated = token.used && token.generation === session.used_generation;
    if (!isNext && !isRepeated) {
      await deleteSession(trx, session.id);
      return { endedOf: session.user_id };
    }
    if (token.expires_at <= new Date()) return null;
    if (isNext) await updateTokenAsUsed(trx, hash);
    const next = makeRefreshToken();
    const { generation } = token;
    await updateSession(trx, session.id, { used_generation: generation, expires_at: next.expires_at });
    await insertRefreshToken(trx, {
      hash: next.hash,
      session_id: session.id,
      generation: generation + 1,
      expires_at: next.expires_at,
    });
    const user = await findUser(trx, session.user_id);
    return user ? { user, sessionId: session.id, refreshToken: next.text } : null;
  });
  // Only now: the end of a session is to be committed.
  if (!outcome) throw errors.invalid_refresh_token();
  if (!('endedOf' in outcome)) return outcome;
  await cache.bumpEpoch(outcome.endedOf);
  throw errors.invalid_refresh_token();
}

/**
 * Ends the token's session, whichever of its tokens this is, and with it, from the next request on, the access tokens
 * of that session. An unknown token has none to end.
 */
export async function endSession(
  { db, cache }: Pick<Context, 'db' | 'cache'>,
  refreshToken: string,
): Promise<void> {
  const token = await findRefreshToken(db, hashCredential(refreshToken));
  const userId = token && (await deleteSession(db, token.session_id));
  if (userId) await cache.bumpEpoch(userId);
}

/**
 * Whose a session is, and what that user is beside the roles in stores, read under the epoch that is given with it.
 * Throws `not_found` for a session that has ended.
 */
export async function resolveSession(
  { db, cache, config }: Pick<Context, 'db' | 'cache' | 'config'>,
  { sessionId, userId }: { sessionId: string; userId: string },
): Promise<{ epoch: string; isReviewer: boolean }> {
  const epoch = await cache.epoch(userId);
  const user = await findUserOfSession(db, sessionId, userId);
  if (!user) throw errors.not_found();
  return { epoch, isReviewer: isReviewer(config, user) };
}

const sweepBatch = 1000;

/** Deletes what has run out, in small pieces; true: there may be more. */
export async function sweepSessions(db: Kysely<Tables>): Promise<boolean> {
  return (await deleteExpired(db, sweepBatch)) >= sweepBatch;
}
