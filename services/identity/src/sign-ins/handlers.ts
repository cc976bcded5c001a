import type { Handlers } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { listSignIns, type SignInRow } from './queries.ts';
import type { routes, SignIn } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes> => ({
  async listSignIns({ principal, query }) {
    const { rows, nextCursor } = await listSignIns(context.db, principal.userId, query);
    return { signIns: rows.map(toSignIn), nextCursor };
  },
});

function toSignIn({ id, created_at, ip, user_agent, outcome }: SignInRow): SignIn {
  return { id, at: created_at.toISOString(), ip, userAgent: user_agent, outcome };
}
