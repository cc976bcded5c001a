import { type Handlers, jsonWithHeaders, networkOf, takeOrRefuse } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { createAccessTokens } from './access-tokens.ts';
import { resetPassword } from './password-resets.ts';
import { createSlots } from './passwords.ts';
import { findUser, findUserByEmail, listUserNames, type UserRow } from './queries.ts';
import { addReviewer, removeReviewer } from './reviewers.ts';
import type { routes, SignedIn, User } from './routes.ts';
import { type Entered, endSession, refreshSession, resolveSession } from './sessions.ts';
import { login, register, vouchForUser } from './users.ts';

export function handlers(context: Context): Handlers<typeof routes> {
  const tokens = createAccessTokens(context.config);
  // Apart, so that no crowd that registers holds up those who sign in.
  const hashing = {
    login: createSlots({ atOnce: 2, waiting: 256 }),
    other: createSlots({ atOnce: 1, waiting: 128 }),
  };

  async function signedIn({ user, sessionId, refreshToken }: Entered): Promise<SignedIn> {
    return { user: toUser(user), ...(await tokens.sign(user, sessionId)), refreshToken };
  }

  return {
    register: {
      // Nobody is signed in to make an account: it is the address that is limited. `decisions.md 15.3`.
      guard: ({ address }) =>
        takeOrRefuse(context.cache, `register:${networkOf(address)}`, context.config.registerLimit),
      handle: async ({ body, address }) =>
        signedIn(await register(context, hashing.other, { ...body, network: networkOf(address) })),
    },
    login: async ({ body, address }) =>
      signedIn(await login(context, hashing.login, { ...body, network: networkOf(address) })),
    refresh: async ({ body }) => signedIn(await refreshSession(context, body.refreshToken)),
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

function toUser({ id, email, name, created_at, updated_at }: UserRow): User {
  return { id, email, name, createdAt: created_at.toISOString(), updatedAt: updated_at.toISOString() };
}
