import { type Handlers, jsonWithHeaders } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { createAccessTokens } from './access-tokens.ts';
import { createSlots } from './passwords.ts';
import { findUser, findUserByEmail, type UserRow } from './queries.ts';
import type { routes, SignedIn, User } from './routes.ts';
import { endSession, refreshSession } from './sessions.ts';
import { login, register } from './users.ts';

export function handlers(context: Context): Handlers<typeof routes> {
  const tokens = createAccessTokens(context.config);
  const slots = createSlots({ atOnce: 2, waiting: 256 });

  async function signedIn({
    user,
    refreshToken,
  }: {
    user: UserRow;
    refreshToken: string;
  }): Promise<SignedIn> {
    return { user: toUser(user), ...(await tokens.sign(user)), refreshToken };
  }

  return {
    register: async ({ body }) => signedIn(await register(context, slots, body)),
    login: async ({ body, address }) => signedIn(await login(context, slots, { ...body, address })),
    refresh: async ({ body }) => signedIn(await refreshSession(context, body.refreshToken)),
    async logout({ body }) {
      await endSession(context, body.refreshToken);
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
    getKeys: async () => jsonWithHeaders(await tokens.keySet(), { 'cache-control': 'public, max-age=300' }),
  };
}

function toUser({ id, email, name, created_at, updated_at }: UserRow): User {
  return { id, email, name, createdAt: created_at.toISOString(), updatedAt: updated_at.toISOString() };
}
