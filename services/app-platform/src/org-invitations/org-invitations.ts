import { invitationRules, MailRequested, newId, type OrgMembership, ownerLimits } from '@waybill/contracts';
import { countInvitation, currentActor } from '@waybill/kernel';
import type { Context, Write } from '../config.ts';
import { errors } from '../errors.ts';
import { changeMembers, checkOwner } from '../orgs/orgs.ts';
import { countOrgMembers, findOrgOfMember, findOrgRole, insertOrgMember, lockOrg } from '../orgs/queries.ts';
import type { OrgRole } from '../orgs/routes.ts';
import {
  countOtherOrgInvitations,
  deleteExpiredOrgInvitations,
  deleteOpenOrgInvitation,
  findOrgInvitation,
  isOrgMemberAddress,
  markInvitationAccepted,
  type OrgInvitationRow,
  putOrgInvitation,
} from './queries.ts';

/**
 * Invites an address, or renews its invitation; identity mails the link. Throws `not_found`, `insufficient_role`,
 * `already_member`, `too_many_invitations`, `rate_limited` (`decisions.md 15.5`).
 */
export async function inviteMember(
  write: Write,
  { cache }: Context,
  orgId: string,
  actorId: string,
  input: { email: string; role: OrgRole },
): Promise<OrgInvitationRow> {
  const email = input.email.toLowerCase();
  await countInvitation(cache, actorId, email);
  const { trx, audit, emit } = write;
  return changeMembers(write, orgId, actorId, async (actorRole) => {
    checkOwner(actorRole);
    if (await isOrgMemberAddress(trx, orgId, email)) throw errors.already_member();
    if ((await countOtherOrgInvitations(trx, orgId, email)) >= invitationRules.maxOpen)
      throw errors.too_many_invitations();
    const invitation = await putOrgInvitation(trx, orgId, {
      id: newId('invitation'),
      email,
      role: input.role,
      invited_by: actorId,
      expires_at: new Date(Date.now() + invitationRules.lifeMs),
    });
    await audit(orgId, 'invitation.created', { id: invitation.id });
    const { name, created_at } = (await findOrgOfMember(trx, orgId, actorId))!;
    const data = {
      orgId,
      invitationId: invitation.id,
      orgName: name,
      orgCreatedAt: created_at.toISOString(),
      role: input.role,
    };
    // The empty store id: the mail concerns no store.
    await emit(MailRequested, '', {
      mail: { template: 'orgInvitation', data },
      audience: { address: email },
      senderId: actorId,
    });
    return invitation;
  });
}

/** Withdraws an open invitation. Throws `not_found`, `insufficient_role`. */
export function withdrawInvitation(write: Write, orgId: string, actorId: string, id: string): Promise<void> {
  const { trx, audit } = write;
  return changeMembers(write, orgId, actorId, async (actorRole) => {
    checkOwner(actorRole);
    if (!(await deleteOpenOrgInvitation(trx, orgId, id))) throw errors.not_found();
    await audit(orgId, 'invitation.withdrawn', { id });
  });
}

/**
 * Makes a user a member by an invitation to their address; an existing member keeps their role. A repeat for the same
 * user gets the same answer. Throws `not_found` when there is no valid invitation (`decisions.md 15.5`).
 */
export function acceptInvitation(
  { write }: Context,
  {
    orgId,
    invitationId,
    userId,
    email,
  }: { orgId: string; invitationId: string; userId: string; email: string },
): Promise<OrgMembership> {
  return write(async ({ trx, audit }) => {
    await lockOrg(trx, orgId);
    const invitation = await findOrgInvitation(trx, orgId, invitationId);
    if (invitation?.email !== email) throw errors.not_found();
    if (!invitation.accepted_by) {
      if ((await countOrgMembers(trx, orgId)) >= ownerLimits.orgMembers) throw errors.too_many_members();
      const member = { user_id: userId, email, role: invitation.role };
      const isNew = (await insertOrgMember(trx, orgId, member)) !== undefined;
      await markInvitationAccepted(trx, orgId, invitationId, userId);
      // Identity makes the request on behalf of the user.
      const by = { ...currentActor(), type: 'user', id: userId } as const;
      await audit(orgId, 'invitation.accepted', { id: invitationId }, { by });
      if (isNew) await audit(orgId, 'member.added', { id: userId }, { by });
    } else if (invitation.accepted_by !== userId || !(await findOrgRole(trx, orgId, userId)))
      throw errors.not_found();
    const { id, name, role } = (await findOrgOfMember(trx, orgId, userId))!;
    return { org: { id, name }, role };
  });
}

const sweepBatch = 1000;

/** Deletes expired invitations. Returns true when there may be more. */
export const sweepOrgInvitations = ({ db }: Context): Promise<boolean> =>
  deleteExpiredOrgInvitations(db, sweepBatch);
