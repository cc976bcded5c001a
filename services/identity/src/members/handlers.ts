import type { Handlers } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { changeMember, removeMember } from './members.ts';
import { findMember, findRole, listMembers } from './queries.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes> => ({
  listMembers: ({ storeId, query }) => listMembers(context.db, storeId, query),
  async getMember({ storeId, params }) {
    const member = await findMember(context.db, storeId, params.userId);
    if (!member) throw errors.not_found();
    return { member };
  },
  changeMember: async ({ principal, storeId, params, body }) => ({
    member: await changeMember(context, storeId, principal.userId, params.userId, body.role),
  }),
  removeMember: ({ principal, storeId, params }) =>
    removeMember(context, storeId, principal.userId, params.userId),
  async resolveMember({ body: { userId, storeId } }) {
    const epoch = await context.cache.epoch(storeId);
    const role = await findRole(context.db, storeId, userId);
    if (!role) throw errors.not_found();
    return { epoch, role };
  },
});
