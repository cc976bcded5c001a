import { Email, invitationFields, type OrgMembership } from '@waybill/contracts';
import { defineRoutes, pageSchema, paging } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../errors.ts';
import { orgRoles } from '../orgs/roles.ts';

const role = Type.Enum([...orgRoles]);

export const OrgInvitation = Type.Object({ ...invitationFields, role }, { $id: 'OrgInvitation' });
export type OrgInvitation = Static<typeof OrgInvitation>;

const OrgInvitationItem = Type.Object({ invitation: OrgInvitation });

/** The address to invite, and its role. */
const OrgInvitationInput = Type.Object({ email: Email, role });

/** The errors of both routes that invite. */
const orgInvitationErrors = [
  errors.insufficient_role,
  errors.email_unverified,
  errors.already_member,
  errors.too_many_invitations,
  errors.rate_limited,
  errors.resource_unavailable,
];

const org = { orgId: 'organisation' } as const;

/** `decisions.md 15.5`. */
export const routes = defineRoutes({
  listOrgInvitations: {
    method: 'GET',
    path: '/api/orgs/{orgId}/invitations',
    access: 'user',
    summary: "List an organisation's open invitations",
    description: 'For owners. Excludes expired invitations, and those whose inviter is no longer an owner.',
    ids: org,
    query: Type.Object(paging),
    answer: [200, pageSchema('invitations', OrgInvitation)],
    errors: [errors.insufficient_role],
  },
  createOrgInvitation: {
    method: 'POST',
    path: '/api/orgs/{orgId}/invitations',
    access: 'user',
    summary: 'Invite somebody to an organisation by mail',
    description:
      'For owners. The link works once within 7 days, for a user with that verified address, at `POST ' +
      '/api/invitations/accept`. Inviting the same address again renews the invitation. At most 10,000 ' +
      'invitations can be open; at most 5 mails an hour go to one address, and 200 a day from one user. The ' +
      'inviter needs a verified address.',
    ids: org,
    body: OrgInvitationInput,
    // Identity answers before the transaction begins.
    idempotency: 'handler',
    answer: [201, OrgInvitationItem],
    errors: orgInvitationErrors,
  },
  addOrgMember: {
    method: 'POST',
    path: '/api/orgs/{orgId}/members',
    access: 'user',
    summary: 'Invite a person to an organisation',
    description:
      'The same as `POST /api/orgs/{orgId}/invitations`, for addresses with or without an account. The ' +
      'membership begins when a user with that verified address accepts the invitation.',
    ids: org,
    body: OrgInvitationInput,
    // Identity answers before the transaction begins.
    idempotency: 'handler',
    answer: [201, OrgInvitationItem],
    errors: orgInvitationErrors,
  },
  getOrgInvitation: {
    method: 'GET',
    path: '/api/orgs/{orgId}/invitations/{invitationId}',
    access: 'user',
    summary: 'Read an open invitation to an organisation',
    description: 'For owners. The `ETag` is for a conditional withdrawal.',
    ids: { ...org, invitationId: 'invitation' },
    answer: [200, OrgInvitationItem],
    errors: [errors.insufficient_role],
  },
  withdrawOrgInvitation: {
    method: 'DELETE',
    path: '/api/orgs/{orgId}/invitations/{invitationId}',
    access: 'user',
    summary: 'Withdraw an invitation',
    description: 'For owners. Its link stops working at once.',
    ids: { ...org, invitationId: 'invitation' },
    answer: [204, null],
    errors: [errors.insufficient_role],
  },
  acceptOrgInvitation: {
    method: 'POST',
    path: '/internal/org-invitations/accept',
    access: 'service',
    summary: 'Make the user with this verified address a member; repeating is harmless',
    body: Type.Object({
      orgId: Type.String(),
      invitationId: Type.String(),
      userId: Type.String(),
      email: Type.String(),
    }),
    answer: [200, Type.Unsafe<OrgMembership>({})],
  },
});
