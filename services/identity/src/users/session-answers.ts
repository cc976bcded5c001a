import { type Answer, jsonWithHeaders, type RouteRequest } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import type { Locale } from '../mail/templates.ts';
import type { createAccessTokens } from './access-tokens.ts';
import type { UserRow } from './queries.ts';
import type { SignedIn, User } from './routes.ts';
import type { createSessionCookie } from './session-cookie.ts';
import { endSession, type StartedSession } from './sessions.ts';

/** Creates the functions by which routes start and continue sessions, in a cookie or by tokens: `decisions.md 15.8`. */
export function createSessionAnswers(
  context: Context,
  tokens: ReturnType<typeof createAccessTokens>,
  cookie: ReturnType<typeof createSessionCookie>,
) {
  /** Builds the answer to a sign-in. The refresh token is either in the body or in a cookie, never in both. */
  async function signedIn(entered: StartedSession, isByCookie: boolean): Promise<SignedIn | Answer> {
    const { user, sessionId, refreshToken, endsAt } = entered;
    const signed = { user: toUser(user), ...(await tokens.sign(user, { id: sessionId, endsAt })) };
    if (!isByCookie) return { ...signed, refreshToken };
    return jsonWithHeaders(signed, { 'set-cookie': cookie.serialize(refreshToken) });
  }

  /** Starts a session by `work`. A session that is kept in a cookie replaces the cookie's current session. */
  async function start(
    { body, headers }: Pick<RouteRequest, 'headers'> & { body: { session?: 'cookie' } },
    work: () => Promise<StartedSession>,
  ): Promise<SignedIn | Answer> {
    const isByCookie = body.session === 'cookie';
    const former = isByCookie ? cookie.read(headers) : null;
    const entered = await work();
    if (former) await endSession(context, former);
    return signedIn(entered, isByCookie);
  }

  /** Returns the refresh token of a request; null if a page of this origin sent the request without a token. */
  function readRefreshToken({
    body,
    headers,
  }: Pick<RouteRequest, 'headers'> & { body: { refreshToken?: string } }) {
    if (body.refreshToken !== undefined) return { token: body.refreshToken, isByCookie: false };
    // Programs that do not use cookies get an error about the body.
    if (!cookie.isSent(headers) && !cookie.isSameOrigin(headers)) {
      const details = [{ pointer: '/refreshToken', message: 'is missing' }];
      throw errors.invalid_body({ details });
    }
    return { token: cookie.read(headers), isByCookie: true };
  }

  return { signedIn, start, readRefreshToken };
}

/** Converts a row into the user as the API shows it. */
export function toUser(row: UserRow): User {
  const { id, email, name, created_at, updated_at } = row;
  return {
    id,
    email,
    emailVerified: row.email_verified_at !== null,
    totpEnabled: row.totp_confirmed_at !== null,
    name,
    locale: row.locale as Locale,
    createdAt: created_at.toISOString(),
    updatedAt: updated_at.toISOString(),
  };
}
