import { Email, idPattern, invitationFields, roles } from '@waybill/contracts';
import { defineRoutes, pageSchema, paging } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../errors.ts';
import { Store } from '../stores/routes.ts';

const role = Type.Enum([...roles]);

export const Invitation = Type.Object({ ...invitationFields, role }, { $id: 'Invitation' });
export type Invitation = Static<typeof Invitation>;

/** The address to invite, and its role. */
const InvitationInput = Type.Object({ email: Email, role });

/** The membership that was accepted, of a store or of an organisation. */
const Accepted = Type.Union([
  Type.Object({ store: Store, role }),
  Type.Object({
    org: Type.Object({ id: Type.String({ pattern: idPattern('organisation') }), name: Type.String() }),
    role: Type.String({ description: '`owner` or `developer`.' }),
  }),
]);
export type Accepted = Static<typeof Accepted>;

const InvitationItem = Type.Object({ invitation: Invitation });

/** Errors of inviting, on both of its routes. */
const invitationErrors = [
  errors.email_unverified,
  errors.already_member,
  errors.too_many_invitations,
  errors.rate_limited,
];

const store = { storeId: 'store' } as const;

/** Routes of invitations: `decisions.md 15.5`. */
export const routes = defineRoutes({
  listInvitations: {
    method: 'GET',
    path: '/api/stores/{storeId}/invitations',
    access: { member: 'manager' },
    summary: "List a store's open invitations",
    description: 'Excludes expired invitations, and those whose inviter no longer manages the members.',
    ids: store,
    query: Type.Object(paging),
    answer: [200, pageSchema('invitations', Invitation)],
  },
  createInvitation: {
    method: 'POST',
    path: '/api/stores/{storeId}/invitations',
    access: { member: 'manager' },
    summary: 'Invite somebody to a store by mail',
    description:
      'The link works once within 7 days, for a user with that verified address. Inviting the same address ' +
      'again renews the invitation. At most 10,000 invitations can be open; at most 5 mails an hour go to one ' +
      'address, and 200 a day from one user. The inviter needs a verified address.',
    ids: store,
    body: InvitationInput,
    answer: [201, InvitationItem],
    errors: invitationErrors,
  },
  addMember: {
    method: 'POST',
    path: '/api/stores/{storeId}/members',
    access: { member: 'manager' },
    summary: 'Invite somebody to become a member of a store',
    description:
      'The same as `POST /api/stores/{storeId}/invitations`, for addresses with or without an account. The ' +
      'membership begins when a user with that verified address accepts the invitation.',
    ids: store,
    body: InvitationInput,
    answer: [201, InvitationItem],
    errors: invitationErrors,
  },
  getInvitation: {
    method: 'GET',
    path: '/api/stores/{storeId}/invitations/{invitationId}',
    access: { member: 'manager' },
    summary: 'Read an open invitation',
    description: 'The `ETag` is for a conditional withdrawal.',
    ids: { ...store, invitationId: 'invitation' },
    answer: [200, InvitationItem],
  },
  withdrawInvitation: {
    method: 'DELETE',
    path: '/api/stores/{storeId}/invitations/{invitationId}',
    access: { member: 'manager' },
    summary: 'Withdraw an invitation',
    description: 'Its link stops working at once.',
    ids: { ...store, invitationId: 'invitation' },
    answer: [204, null],
  },
  acceptInvitation: {
    method: 'POST',
    path: '/api/invitations/accept',
    access: 'user',
    summary: 'Accept an invitation to a store or an organisation, with the token of its link',
    description:
      'For the user whose verified address was invited. Existing members keep their role. `invalid_token` also ' +
      'for an invitation that was withdrawn, belongs to another address, or whose inviter can no longer invite.',
    body: Type.Object({ token: Type.String() }),
    answer: [200, Accepted],
    errors: [
      errors.invalid_token,
      errors.accept_unverified,
      errors.too_many_members,
      errors.resource_unavailable,
    ],
  },
});
