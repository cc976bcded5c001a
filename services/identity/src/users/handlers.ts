import { type Handlers, jsonWithHeaders, networkOf, type RouteRequest, takeOrRefuse } from '@waybill/kernel';
import Negotiator from 'negotiator';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { type Locale, locales } from '../mail/templates.ts';
import { createAccessTokens } from './access-tokens.ts';
import { changePassword, changeProfile } from './account.ts';
import { login } from './login.ts';
import { requestReset, resetPassword } from './password-resets.ts';
import {
  findUser,
  findUserByEmail,
  listSessions,
  listUserNames,
  type SessionRow,
  type UserRow,
} from './queries.ts';
import { addReviewer, removeReviewer } from './reviewers.ts';
import type { routes, Session, SignedIn, User } from './routes.ts';
import {
  deviceOf,
  type Entered,
  endAllSessions,
  endSession,
  endSessionOfUser,
  refreshSession,
  resolveSession,
} from './sessions.ts';
import { register, vouchForUser } from './users.ts';
import { requestVerification, verifyEmail } from './verification.ts';

export function handlers(context: Context): Handlers<typeof routes> {
  const tokens = createAccessTokens(context.config);
  const { hashing } = context.state;

  async function signedIn({ user, sessionId, refreshToken }: Entered): Promise<SignedIn> {
    return { user: toUser(user), ...(await tokens.sign(user, sessionId)), refreshToken };
  }

  /** What anybody may ask for is limited by network, each for itself: `decisions.md 15.3`. */
  const limited =
    (what: string) =>
    ({ address }: Pick<RouteRequest, 'address'>) =>
      takeOrRefuse(context.cache, `${what}:${networkOf(address)}`, context.config.accountLimit);

  return {
    register: {
      guard: limited('register'),
      handle: async ({ body, address, headers }) =>
        signedIn(
          await register(
            context,
            hashing.other,
            { ...body, network: networkOf(address), locale: localeOf(headers) },
            deviceOf(address, headers),
          ),
        ),
    },
    verifyEmail: async ({ body }) => ({ user: toUser(await verifyEmail(context, body.token)) }),
    requestVerification: {
      guard: limited('verification'),
      async handle({ principal }) {
        await requestVerification(context, principal.userId);
        return {};
      },
    },
    requestReset: {
      guard: limited('forgot'),
      async handle({ body }) {
        await requestReset(context, body.email);
        return {};
      },
    },
    login: async ({ body, address, headers }) =>
      signedIn(
        await login(
          context,
          hashing.login,
          { ...body, network: networkOf(address) },
          deviceOf(address, headers),
        ),
      ),
    refresh: async ({ body, address, headers }) =>
      signedIn(await refreshSession(context, body.refreshToken, deviceOf(address, headers))),
    async logout({ body }) {
      await endSession(context, body.refreshToken);
      return {};
    },
    async resetPassword({ body, address }) {
      await resetPassword(context, hashing.other, { ...body, network: networkOf(address) });
      return {};
    },
    async getMe({ principal }) {
      const user = await findUser(context.db, principal.userId);
      if (!user) throw errors.user_token_required();
      return { user: toUser(user) };
    },
    changeMe: async ({ principal, body }) => ({
      user: toUser(await changeProfile(context, principal.userId, body)),
    }),
    async changePassword({ principal: { userId, email, sessionId }, body, address }) {
      const actor = { userId, email, sessionId, network: networkOf(address) };
      await changePassword(context, hashing.login, actor, body);
      return {};
    },
    async listSessions({ principal: { userId, sessionId } }) {
      const rows = await listSessions(context.db, userId);
      return { sessions: rows.map((row) => toSession(row, sessionId)), total: rows.length };
    },
    endSession: ({ principal, params }) => endSessionOfUser(context, principal.userId, params.id),
    endAllSessions: ({ principal }) => endAllSessions(context, principal.userId),
    async lookUpUser({ body }) {
      const user = await findUserByEmail(context.db, body.email.toLowerCase());
      if (!user) throw errors.not_found();
      const { id, email, name } = user;
      return { user: { id, email, name } };
    },
    listUserNames: async ({ body }) => ({ users: await listUserNames(context.db, body.ids) }),
    vouchForUser: async ({ body }) => ({ user: toUser(await vouchForUser(context, hashing.other, body)) }),
    resolveSession: ({ body }) => resolveSession(context, body),
    async addReviewer({ body }) {
      const { token, expiresAt } = await addReviewer(context, body.email);
      return { token, expiresAt: expiresAt.toISOString() };
    },
    async removeReviewer({ body }) {
      await removeReviewer(context, body.email);
      return {};
    },
    getKeys: async () => jsonWithHeaders(await tokens.keySet(), { 'cache-control': 'public, max-age=300' }),
  };
}

/** The language, of those that there are texts in, that a browser likes best; English where it likes none. */
function localeOf(headers: RouteRequest['headers']): Locale {
  return (new Negotiator({ headers }).language([...locales]) as Locale | undefined) ?? 'en';
}

function toUser(row: UserRow): User {
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

function toSession(
  { id, created_at, last_used_at, ip, user_agent }: SessionRow,
  current: string | undefined,
): Session {
  return {
    id,
    createdAt: created_at.toISOString(),
    lastUsedAt: last_used_at.toISOString(),
    ip,
    userAgent: user_agent,
    isCurrent: id === current,
  };
}
