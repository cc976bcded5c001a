import { idPattern, Name, type OrgsOfUser, type SoleOwnerships, Timestamp } from '@waybill/contracts';
import { defineRoutes, pageSchema, paging } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../errors.ts';
import { orgRoles } from './roles.ts';

export { type OrgRole, orgRoles } from './roles.ts';

const role = Type.Enum([...orgRoles], {
  description: 'Owners can also manage members; both roles can do everything else.',
});

export const Org = Type.Object(
  {
    id: Type.String({ pattern: idPattern('organisation') }),
    name: Type.String(),
    role: Type.Enum([...orgRoles], { description: "The caller's role." }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'Org' },
);
export type Org = Static<typeof Org>;

export const OrgMember = Type.Object(
  {
    userId: Type.String({ pattern: idPattern('user') }),
    email: Type.String(),
    role,
    createdAt: Timestamp,
  },
  { $id: 'OrgMember' },
);
export type OrgMember = Static<typeof OrgMember>;

const Item = Type.Object({ org: Org });
const MemberItem = Type.Object({ member: OrgMember });
const org = { orgId: 'organisation' } as const;
const member = { orgId: 'organisation', userId: 'user' } as const;

/** `decisions.md 7.3`. */
export const routes = defineRoutes({
  listOrgs: {
    method: 'GET',
    path: '/api/orgs',
    access: 'user',
    summary: 'List the organisations that you are a member of',
    description: 'Each organisation includes your role. Newest first.',
    query: Type.Object(paging),
    answer: [200, pageSchema('orgs', Org)],
  },
  createOrg: {
    method: 'POST',
    path: '/api/orgs',
    access: 'user',
    summary: 'Create an organisation, with you as its owner',
    description:
      'Organisations develop apps, which their members share; invite others as `developer` or `owner`.',
    body: Type.Object({ name: Name() }),
    answer: [201, Item],
    errors: [errors.too_many_orgs],
  },
  getOrg: {
    method: 'GET',
    path: '/api/orgs/{orgId}',
    access: 'user',
    summary: 'Read an organisation',
    description: 'Its name and your role in it, which its ETag does not cover.',
    ids: org,
    computed: ['org.role'],
    isRevalidated: true,
    answer: [200, Item],
  },
  listOrgMembers: {
    method: 'GET',
    path: '/api/orgs/{orgId}/members',
    access: 'user',
    summary: "List an organisation's members",
    description: 'Each member includes the role: `owner` or `developer`.',
    ids: org,
    query: Type.Object(paging),
    answer: [200, pageSchema('members', OrgMember)],
  },
  getOrgMember: {
    method: 'GET',
    path: '/api/orgs/{orgId}/members/{userId}',
    access: 'user',
    summary: 'Read a member of an organisation',
    description: 'Includes the role; the `ETag` is for conditional changes.',
    ids: member,
    answer: [200, MemberItem],
  },
  changeOrgMember: {
    method: 'PATCH',
    path: '/api/orgs/{orgId}/members/{userId}',
    access: 'user',
    summary: "Change a member's role",
    description: 'For owners.',
    ids: member,
    body: Type.Object({ role }),
    answer: [200, MemberItem],
    errors: [errors.insufficient_role, errors.last_owner],
  },
  removeOrgMember: {
    method: 'DELETE',
    path: '/api/orgs/{orgId}/members/{userId}',
    access: 'user',
    summary: 'Remove a member, or leave an organisation',
    description: 'Only owners can remove other members.',
    ids: member,
    answer: [204, null],
    errors: [errors.insufficient_role, errors.last_owner],
  },
  readOrgRole: {
    method: 'POST',
    path: '/internal/orgs/role',
    access: 'service',
    summary:
      "Read a user's role in an organisation, for the gateway and identity; 404 for others than members",
    body: Type.Object({ orgId: Type.String(), userId: Type.String() }),
    answer: [200, Type.Object({ role })],
  },
  listOrgsOfUser: {
    method: 'POST',
    path: '/internal/orgs/of-user',
    access: 'service',
    summary: 'List the organisations of a user, for identity',
    body: Type.Object({ userId: Type.String() }),
    answer: [200, Type.Unsafe<OrgsOfUser>({})],
  },
  listSoleOwnerships: {
    method: 'POST',
    path: '/internal/org-members/sole-ownerships',
    access: 'service',
    summary: 'List the organisations with other members whose only owner is a user',
    body: Type.Object({ userId: Type.String() }),
    answer: [200, Type.Unsafe<SoleOwnerships>({})],
  },
});
