import type { Handlers } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import type { Tables } from '../tables.ts';
import { changeMember, removeMember } from './members.ts';
import { findMember, findRole, listMembers } from './queries.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes, Tables> => ({
  listMembers: ({ storeId, query }) => listMembers(context.db, storeId, query),
  async getMember({ storeId, params, db }) {
    const member = await findMember(db, storeId, params.userId);
    if (!member) throw errors.not_found();
    return { member };
  },
  changeMember: {
    write: async ({ principal, storeId, params, body }, write) => ({
      member: await changeMember(write, context, storeId, principal.userId, params.userId, body.role),
    }),
  },
  removeMember: {
    write: ({ principal, storeId, params }, write) =>
      removeMember(write, context, storeId, principal.userId, params.userId),
  },
  async resolveMember({ body: { userId, storeId } }) {
    const epoch = await context.cache.epoch(storeId);
    const role = await findRole(context.db, storeId, userId);
    if (!role) throw errors.not_found();
    return { epoch, role };
  },
});
