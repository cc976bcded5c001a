import type { Handlers } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { toStore } from '../stores/stores.ts';
import type { Tables } from '../tables.ts';
import { acceptInvitation, inviteMember, withdrawInvitation } from './invitations.ts';
import { findOpenInvitation, type InvitationRow, listInvitations } from './queries.ts';
import type { Invitation, routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes, Tables> => ({
  async listInvitations({ storeId, query }) {
    const { rows, ...list } = await listInvitations(context.db, storeId, query);
    return { invitations: rows.map(toInvitation), ...list };
  },
  createInvitation: {
    write: async ({ principal, storeId, body }, write) => ({
      invitation: toInvitation(await inviteMember(write, context, storeId, principal.userId, body)),
    }),
  },
  addMember: {
    write: async ({ principal, storeId, body }, write) => ({
      invitation: toInvitation(await inviteMember(write, context, storeId, principal.userId, body)),
    }),
  },
  async getInvitation({ storeId, params, db }) {
    const row = await findOpenInvitation(db, storeId, params.invitationId);
    if (!row) throw errors.not_found();
    return { invitation: toInvitation(row) };
  },
  withdrawInvitation: {
    write: ({ principal, storeId, params }, write) =>
      withdrawInvitation(write, context, storeId, principal.userId, params.invitationId),
  },
  async acceptInvitation({ principal, body }) {
    const joined = await acceptInvitation(context, principal.userId, body.token);
    if ('org' in joined) return joined;
    return { store: toStore(context.config, joined.store, joined.role), role: joined.role };
  },
});

/** Converts an invitation to the shape that the API uses. */
function toInvitation({ id, email, role, invited_by, created_at, expires_at }: InvitationRow): Invitation {
  const [createdAt, expiresAt] = [created_at.toISOString(), expires_at.toISOString()];
  return { id, email, role, invitedBy: invited_by, createdAt, expiresAt };
}
