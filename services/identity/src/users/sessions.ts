import { randomBytes } from 'node:crypto';
import { hashCredential } from '@waybill/contracts';
import type { RouteRequest } from '@waybill/kernel';
import type { Kysely, Transaction } from 'kysely';
import type { Context, Write } from '../config.ts';
import { errors } from '../errors.ts';
import type { Device } from '../sign-ins/queries.ts';
import type { Tables } from '../tables.ts';
import {
  deleteExpired,
  deleteOldSessions,
  deleteOldTokens,
  deleteSession,
  deleteSessionOfUser,
  deleteSessionsOfUser,
  findRefreshToken,
  findSessionEnd,
  findSessionForUpdate,
  findUser,
  findUserOfSession,
  insertRefreshToken,
  insertSession,
  type RefreshTokenRow,
  type UserRow,
  updateSession,
  updateTokenAsUsed,
} from './queries.ts';
import { isReviewer } from './reviewers.ts';

/** Lifetime of a refresh token, and thus of an unused session. */
export const lifeMs = 30 * 24 * 3_600_000;
/** Maximum number of sessions per user: `decisions.md 15.3`. */
const maxSessions = 100;
/**
 * Number of tokens that a session remembers as used. The limit is needed because a client may refresh as often as it
 * likes.
 */
const maxTokens = 1_000;
const trimmedEvery = 16;
/** How late a tab may send the cookie that another tab has already used: `decisions.md 15.8`. */
export const tabsLeewayMs = 10_000;

interface NewToken {
  text: string;
  hash: string;
  expires_at: Date;
}

/** Creates a refresh token. Only its hash is stored. */
function createRefreshToken(): NewToken {
  const text = randomBytes(32).toString('base64url');
  return { text, hash: hashCredential(text), expires_at: new Date(Date.now() + lifeMs) };
}

/** Returns the milliseconds since a token was first used or, if it is unused, since it was created. */
function computeTokenAge({ used_at, expires_at }: RefreshTokenRow): number {
  return Math.max(0, Date.now() - (used_at?.getTime() ?? expires_at.getTime() - lifeMs));
}

/** A signed-in user, the session, and the refresh token that extends it. */
export interface StartedSession {
  user: UserRow;
  sessionId: string;
  refreshToken: string;
  /** When the session ends, unless it or the session that it was made from is refreshed. */
  endsAt: Date;
}

/** Maximum length of a stored address or user agent. */
const longestText = 200;
const truncate = (text: string) => [...text].slice(0, longestText).join('');

/**
 * Returns the device that a request comes from, with the printable part of the user agent, at most 200 characters.
 * `decisions.md 15.3`.
 */
export function readDevice(address: string, headers: RouteRequest['headers']): Device {
  const agent = headers['user-agent'];
  const printable = typeof agent === 'string' && agent.replace(/[\p{C}\p{Z}]+/gu, ' ').trim();
  return { ip: truncate(address), user_agent: printable ? truncate(printable) : null };
}

/**
 * Starts a session and returns its first refresh token. Ends the least recently used sessions beyond 100;
 * `hasEndedOthers` says whether there were any, so that the caller must bump the user's epoch. A session that was made
 * from another one, its parent, ends with it. `decisions.md 15.3, 19.12`.
 */
export async function startSession(
  trx: Transaction<Tables>,
  user: UserRow,
  device: Device,
  parentId: string | null = null,
): Promise<StartedSession & { hasEndedOthers: boolean }> {
  const id = randomBytes(16).toString('base64url');
  const { text, hash, expires_at } = createRefreshToken();
  await insertSession(trx, { id, user_id: user.id, expires_at, parent_id: parentId, ...device });
  await insertRefreshToken(trx, { hash, session_id: id, generation: 1, expires_at });
  const ended = await deleteOldSessions(trx, user.id, maxSessions);
  const endsAt = (await findSessionEnd(trx, id)) ?? expires_at;
  return { user, sessionId: id, refreshToken: text, endsAt, hasEndedOthers: ended > 0 };
}

/**
 * Exchanges a refresh token for its successor. Answers may get lost and several windows may refresh at once, so a token
 * may be exchanged again, and all its successors are valid, until one of them is used. A token that arrives after that
 * may have been stolen and ends the session, unless it was created or first used less than `leewayMs` ago. Throws
 * `invalid_refresh_token`. `decisions.md 8.1, 15.8`.
 */
export async function refreshSession(
  { transaction, cache }: Pick<Context, 'transaction' | 'cache'>,
  refreshToken: string,
  device: Device,
  leewayMs = 0,
): Promise<StartedSession> {
  const hash = hashCredential(refreshToken);
  const outcome = await transaction<StartedSession | { endedUserId: string } | null>(async (trx) => {
    const known = await findRefreshToken(trx, hash);
    const session = known && (await findSessionForUpdate(trx, known.session_id));
    // Read again under the lock, because another refresh may have used the token.
    const token = session && (await findRefreshToken(trx, hash));
    if (!token) return null;
    const isNext = token.generation === session.used_generation + 1;
    const isRepeated = token.used && token.generation === session.used_generation;
    if (!isNext && !isRepeated && computeTokenAge(token) >= leewayMs) {
      await deleteSession(trx, session.id);
      return { endedUserId: session.user_id };
    }
    const end = await findSessionEnd(trx, session.id);
    if (token.expires_at <= new Date() || !end || end <= new Date()) return null;
    if (isNext) await updateTokenAsUsed(trx, hash);
    const next = createRefreshToken();
    // A late token counts for the session's current generation.
    const generation = isNext ? token.generation : session.used_generation;
    await updateSession(trx, session.id, {
      used_generation: generation,
      expires_at: next.expires_at,
      ...device,
    });
    await insertRefreshToken(trx, {
      hash: next.hash,
      session_id: session.id,
      generation: generation + 1,
      expires_at: next.expires_at,
    });
    if (!isNext || generation % trimmedEvery === 0) await deleteOldTokens(trx, session.id, maxTokens);
    const user = await findUser(trx, session.user_id);
    const endsAt = await findSessionEnd(trx, session.id);
    return user && endsAt ? { user, sessionId: session.id, refreshToken: next.text, endsAt } : null;
  });
  // Thrown only here, because the transaction that ends the session must commit.
  if (!outcome) throw errors.invalid_refresh_token();
  if (!('endedUserId' in outcome)) return outcome;
  await cache.bumpEpoch(outcome.endedUserId);
  throw errors.invalid_refresh_token();
}

/**
 * Ends the session of any of its refresh tokens and, from the next request on, the session's access tokens. Does
 * nothing for an unknown token.
 */
export async function endSession(
  { db, cache }: Pick<Context, 'db' | 'cache'>,
  refreshToken: string,
): Promise<void> {
  const token = await findRefreshToken(db, hashCredential(refreshToken));
  const userId = token && (await deleteSession(db, token.session_id));
  if (userId) await cache.bumpEpoch(userId);
}

/** Ends one of the user's sessions from the next request on. Throws `not_found`. `decisions.md 15.3`. */
export async function endSessionOfUser(
  { trx, afterCommit }: Write,
  { cache }: Context,
  userId: string,
  id: string,
): Promise<void> {
  if (!(await deleteSessionOfUser(trx, userId, id))) throw errors.not_found();
  afterCommit(() => cache.bumpEpoch(userId));
}

/** Ends all of the user's sessions from the next request on. `decisions.md 15.3`. */
export async function endAllSessions(
  { trx, afterCommit }: Write,
  { cache }: Context,
  userId: string,
): Promise<void> {
  await deleteSessionsOfUser(trx, userId);
  afterCommit(() => cache.bumpEpoch(userId));
}

/**
 * Returns whether the user of a session is a reviewer, with the epoch under which this was read. Throws `not_found` if
 * the session has ended or belongs to another user.
 */
export async function resolveSession(
  { db, cache, config }: Pick<Context, 'db' | 'cache' | 'config'>,
  { sessionId, userId }: { sessionId: string; userId: string },
): Promise<{ epoch: string; isReviewer: boolean }> {
  const epoch = await cache.epoch(userId);
  const [user, end] = await Promise.all([
    findUserOfSession(db, sessionId, userId),
    findSessionEnd(db, sessionId),
  ]);
  if (!user || !end || end <= new Date()) throw errors.not_found();
  return { epoch, isReviewer: isReviewer(config, user) };
}

const sweepBatch = 1000;

/** Deletes expired rows in small batches. Returns true if there may be more. */
export const sweepSessions = (db: Kysely<Tables>): Promise<boolean> => deleteExpired(db, sweepBatch);
