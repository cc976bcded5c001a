import {
  enforceRateLimit,
  getNetwork,
  type Handlers,
  jsonWithHeaders,
  type RouteRequest,
} from '@waybill/kernel';
import Negotiator from 'negotiator';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { type Locale, locales } from '../mail/templates.ts';
import type { Tables } from '../tables.ts';
import { createAccessTokens } from './access-tokens.ts';
import { changePassword, changeProfile } from './account.ts';
import { login } from './login.ts';
import { issueLoginCode, loginByCode } from './login-codes.ts';
import { listMemberships, noMemberships } from './memberships.ts';
import { requestReset, resetPassword } from './password-resets.ts';
import { findUser, findUserByEmail, listSessions, listUserNames, type SessionRow } from './queries.ts';
import { addReviewer, isReviewer, removeReviewer } from './reviewers.ts';
import type { routes, Session } from './routes.ts';
import { createSessionAnswers, toUser } from './session-answers.ts';
import { createSessionCookie } from './session-cookie.ts';
import {
  endAllSessions,
  endSession,
  endSessionOfUser,
  readDevice,
  refreshSession,
  resolveSession,
  tabsLeewayMs,
} from './sessions.ts';
import { createVerifiedUser, register } from './users.ts';
import { requestVerification, verifyEmail } from './verification.ts';

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table of handlers that share one context
export function handlers(context: Context): Handlers<typeof routes, Tables> {
  const tokens = createAccessTokens(context.config);
  const cookie = createSessionCookie(context.config);
  const answers = createSessionAnswers(context, tokens, cookie);
  const { hashing } = context.state;

  /** Limits a public action per network, each action separately: `decisions.md 15.3`. */
  const limited =
    (action: string) =>
    ({ address }: Pick<RouteRequest, 'address'>) =>
      enforceRateLimit(context.cache, `${action}:${getNetwork(address)}`, context.config.accountLimit);

  return {
    register: {
      guard: limited('register'),
      handle: async (request) =>
        answers.start(request, () => {
          const { body, address, headers } = request;
          const input = { ...body, network: getNetwork(address), locale: readLocale(headers) };
          return register(context, hashing.other, input, readDevice(address, headers));
        }),
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
    login: async (request) =>
      answers.start(request, () => {
        const { body, address, headers } = request;
        const credentials = { ...body, network: getNetwork(address) };
        return login(context, hashing.login, credentials, readDevice(address, headers));
      }),
    async createLoginCode({ principal: { sessionId }, body }) {
      if (!sessionId) throw errors.user_token_required();
      const { token, expiresAt } = await issueLoginCode(context, sessionId, body.codeChallenge);
      return { code: token, expiresAt: expiresAt.toISOString() };
    },
    loginByCode: {
      guard: limited('login-code'),
      handle: async ({ body, address, headers }) =>
        answers.signedIn(await loginByCode(context, body, readDevice(address, headers)), false),
    },
    async refresh(request) {
      const { token, isByCookie } = answers.readRefreshToken(request);
      if (token === null) throw errors.invalid_refresh_token();
      const device = readDevice(request.address, request.headers);
      const leewayMs = isByCookie ? tabsLeewayMs : 0;
      return answers.signedIn(await refreshSession(context, token, device, leewayMs), isByCookie);
    },
    async logout(request) {
      const { token, isByCookie } = answers.readRefreshToken(request);
      if (token !== null) await endSession(context, token);
      return isByCookie ? jsonWithHeaders({}, { 'set-cookie': cookie.clear }) : {};
    },
    async resetPassword({ body, address }) {
      await resetPassword(context, hashing.other, { ...body, network: getNetwork(address) });
      return {};
    },
    async getMe({ principal, isForTag, db }) {
      const user = await findUser(db, principal.userId);
      if (!user) throw errors.user_token_required();
      const memberships = isForTag ? noMemberships : await listMemberships(context, user.id);
      return { user: toUser(user), ...memberships, isReviewer: isReviewer(context.config, user) };
    },
    changeMe: {
      write: async ({ principal, body }, write) => ({
        user: toUser(await changeProfile(write, principal.userId, body)),
      }),
    },
    async changePassword({ principal: { userId, email, sessionId }, body, address }) {
      const actor = { userId, email, sessionId, network: getNetwork(address) };
      await changePassword(context, hashing.login, actor, body);
      return {};
    },
    async listSessions({ principal: { userId, sessionId } }) {
      const rows = await listSessions(context.db, userId);
      return { sessions: rows.map((row) => toSession(row, sessionId)), total: rows.length };
    },
    endSession: {
      write: ({ principal, params }, write) => endSessionOfUser(write, context, principal.userId, params.id),
    },
    endAllSessions: { write: ({ principal }, write) => endAllSessions(write, context, principal.userId) },
    async lookUpUser({ body }) {
      const user = await findUserByEmail(context.db, body.email.toLowerCase());
      if (!user) throw errors.not_found();
      const { id, email, name, email_verified_at } = user;
      return { user: { id, email, name, isVerified: email_verified_at !== null } };
    },
    listUserNames: async ({ body }) => ({ users: await listUserNames(context.db, body.ids) }),
    vouchForUser: async ({ body }) => ({
      user: toUser(await createVerifiedUser(context, hashing.other, body)),
    }),
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

/** Returns the browser's preferred language among those with texts, or English. */
function readLocale(headers: RouteRequest['headers']): Locale {
  return (new Negotiator({ headers }).language([...locales]) as Locale | undefined) ?? 'en';
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
