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

/** Of a refresh token, and so of a session that is not used. */
export const lifeMs = 30 * 24 * 3_600_000;
/** `decisions.md 15.3`. */
const mostSessions = 100;
/** Of a session, how many tokens are told from one that never was: who may refresh may do so as often as they like. */
const mostTokens = 1_000;
const trimmedEvery = 16;
/** How late a tab may be that sends the cookie that another tab has used, `decisions.md 15.8`. */
export const tabsLeewayMs = 10_000;

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

/** How long ago a token was used first, or made where it was not used, in milliseconds. */
function ageOf({ used_at, expires_at }: RefreshTokenRow): number {
  return Math.max(0, Date.now() - (used_at?.getTime() ?? expires_at.getTime() - lifeMs));
}

/** Who entered, by which session, and the refresh token with which that goes on. */
export interface Entered {
  user: UserRow;
  sessionId: string;
  refreshToken: string;
  /** When the session ends unless it is refreshed, or the one it was made from is. */
  endsAt: Date;
}

/** The longest text of either that is kept. */
const longestText = 200;
const cut = (text: string) => [...text].slice(0, longestText).join('');

/** The device that a request comes from; of the agent what can be printed, 200 characters at most. `decisions.md 15.3`. */
export function deviceOf(address: string, headers: RouteRequest['headers']): Device {
  const agent = headers['user-agent'];
  const printable = typeof agent === 'string' && agent.replace(/[\p{C}\p{Z}]+/gu, ' ').trim();
  return { ip: cut(address), user_agent: printable ? cut(printable) : null };
}

/**
 * Starts a session of the user and gives its first refresh token. Of more than 100 those end that were not used for
 * longest; `ended` says whether there were any, so that the user's epoch has to move on. One made from another session,
 * its parent, ends with that. `decisions.md 15.3, 19.12`.
 */
export async function startSession(
  trx: Transaction<Tables>,
  user: UserRow,
  device: Device,
  parentId: string | null = null,
): Promise<Entered & { ended: boolean }> {
  const id = randomBytes(16).toString('base64url');
  const { text, hash, expires_at } = makeRefreshToken();
  await insertSession(trx, { id, user_id: user.id, expires_at, parent_id: parentId, ...device });
  await insertRefreshToken(trx, { hash, session_id: id, generation: 1, expires_at });
  const ended = await deleteOldSessions(trx, user.id, mostSessions);
  const endsAt = (await findSessionEnd(trx, id)) ?? expires_at;
  return { user, sessionId: id, refreshToken: text, endsAt, ended: ended > 0 };
}

/**
 * Exchanges a refresh token for its successor. An answer may get lost and several windows may refresh at once,
 * so the token may be exchanged again, every successor being good, until one of them is used: that use retires
 * the others. A token that comes back later than that is in two hands, and ends the session; but not within `leewayMs`
 * of when it was made or used first. Throws `invalid_refresh_token`. `decisions.md 8.1, 15.8`.
 */
export async function refreshSession(
  { transaction, cache }: Pick<Context, 'transaction' | 'cache'>,
  refreshToken: string,
  device: Device,
  leewayMs = 0,
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
    if (!isNext && !isRepeated && ageOf(token) >= leewayMs) {
      await deleteSession(trx, session.id);
      return { endedOf: session.user_id };
    }
    const end = await findSessionEnd(trx, session.id);
    if (token.expires_at <= new Date() || !end || end <= new Date()) return null;
    if (isNext) await updateTokenAsUsed(trx, hash);
    const next = makeRefreshToken();
    // A late one is exchanged for what its session has come to.
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
    if (!isNext || generation % trimmedEvery === 0) await deleteOldTokens(trx, session.id, mostTokens);
    const user = await findUser(trx, session.user_id);
    const endsAt = await findSessionEnd(trx, session.id);
    return user && endsAt ? { user, sessionId: session.id, refreshToken: next.text, endsAt } : null;
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

/** Ends one of the user's sessions, from the next request on. Throws `not_found`. `decisions.md 15.3`. */
export async function endSessionOfUser(
  { trx, afterCommit }: Write,
  { cache }: Context,
  userId: string,
  id: string,
): Promise<void> {
  if (!(await deleteSessionOfUser(trx, userId, id))) throw errors.not_found();
  afterCommit(() => cache.bumpEpoch(userId));
}

/** Signs the user out everywhere, from the next request on. `decisions.md 15.3`. */
export async function endAllSessions(
  { trx, afterCommit }: Write,
  { cache }: Context,
  userId: string,
): Promise<void> {
  await deleteSessionsOfUser(trx, userId);
  afterCommit(() => cache.bumpEpoch(userId));
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
  const [user, end] = await Promise.all([
    findUserOfSession(db, sessionId, userId),
    findSessionEnd(db, sessionId),
  ]);
  if (!user || !end || end <= new Date()) throw errors.not_found();
  return { epoch, isReviewer: isReviewer(config, user) };
}

const sweepBatch = 1000;

/** Deletes what has run out, in small pieces; true: there may be more. */
export const sweepSessions = (db: Kysely<Tables>): Promise<boolean> => deleteExpired(db, sweepBatch);
