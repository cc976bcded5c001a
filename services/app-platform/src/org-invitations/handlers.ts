import type { Handlers, RouteRequest } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { requireOwner, requireVerified } from '../orgs/orgs.ts';
import type { Tables } from '../tables.ts';
import { acceptInvitation, inviteMember, withdrawInvitation } from './org-invitations.ts';
import { findOpenOrgInvitation, listOrgInvitations, type OrgInvitationRow } from './queries.ts';
import type { OrgInvitation, routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes, Tables> => ({
  async listOrgInvitations({ principal, params, query }) {
    await requireOwner(context, params.orgId, principal.userId);
    const { rows, ...list } = await listOrgInvitations(context.db, params.orgId, query);
    return { invitations: rows.map(toInvitation), ...list };
  },
  createOrgInvitation: {
    // A request without the right to invite does not count against the limit of an address.
    guard: ({ principal, params }) => requireOwner(context, params.orgId, principal.userId),
    handle: inviteByRequest(context),
  },
  addOrgMember: {
    guard: ({ principal, params }) => requireOwner(context, params.orgId, principal.userId),
    handle: inviteByRequest(context),
  },
  async getOrgInvitation({ principal, params, db }) {
    await requireOwner({ db }, params.orgId, principal.userId);
    const row = await findOpenOrgInvitation(db, params.orgId, params.invitationId);
    if (!row) throw errors.not_found();
    return { invitation: toInvitation(row) };
  },
  withdrawOrgInvitation: {
    write: ({ principal, params }, write) =>
      withdrawInvitation(write, params.orgId, principal.userId, params.invitationId),
  },
  acceptOrgInvitation: ({ body }) => acceptInvitation(context, body),
});

/** Handles both routes that invite: `decisions.md 15.5, 19.12`. */
const inviteByRequest =
  (context: Context) =>
  async ({
    principal,
    params,
    body,
    idempotentWrite,
  }: Pick<
    RouteRequest<(typeof routes)['createOrgInvitation']>,
    'principal' | 'params' | 'body' | 'idempotentWrite'
  >) => {
    await idempotentWrite.begin(body);
    await requireVerified(context, principal);
    return idempotentWrite.commit(async (write) => ({
      invitation: toInvitation(await inviteMember(write, context, params.orgId, principal.userId, body)),
    }));
  };

function toInvitation({
  id,
  email,
  role,
  invited_by,
  created_at,
  expires_at,
}: OrgInvitationRow): OrgInvitation {
  const [createdAt, expiresAt] = [created_at.toISOString(), expires_at.toISOString()];
  return { id, email, role, invitedBy: invited_by, createdAt, expiresAt };
}
