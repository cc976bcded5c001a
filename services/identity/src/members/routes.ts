import { idPattern, roles } from '@waybill/contracts';
import { defineRoutes, pageSchema, paging } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../errors.ts';

const role = Type.Enum([...roles]);

export const Member = Type.Object(
  {
    userId: Type.String({ pattern: idPattern('user') }),
    email: Type.String(),
    name: Type.String(),
    role,
  },
  { $id: 'Member' },
);
export type Member = Static<typeof Member>;

const Item = Type.Object({ member: Member });
const store = { storeId: 'store' } as const;
const member = { storeId: 'store', userId: 'user' } as const;

/** Routes of members: `decisions.md 8.2`. */
export const routes = defineRoutes({
  listMembers: {
    method: 'GET',
    path: '/api/stores/{storeId}/members',
    access: { member: 'any' },
    summary: "List a store's members",
    description: 'All members with access to the store, each with the role.',
    ids: store,
    query: Type.Object(paging),
    answer: [200, pageSchema('members', Member)],
  },
  getMember: {
    method: 'GET',
    path: '/api/stores/{storeId}/members/{userId}',
    access: { member: 'any' },
    summary: 'Read a member of a store',
    description: 'Includes the role; the `ETag` is for conditional changes.',
    ids: member,
    answer: [200, Item],
  },
  changeMember: {
    method: 'PATCH',
    path: '/api/stores/{storeId}/members/{userId}',
    access: { member: 'manager' },
    summary: "Change a member's role",
    description:
      'Effective from the member’s next request, also for their API keys. At least one owner must remain.',
    ids: member,
    body: Type.Object({ role }),
    answer: [200, Item],
    errors: [errors.last_owner],
  },
  removeMember: {
    method: 'DELETE',
    path: '/api/stores/{storeId}/members/{userId}',
    access: { member: 'any' },
    summary: 'Remove a member, or leave a store',
    description: 'Removing another member requires the role `admin` or `owner`.',
    ids: member,
    answer: [204, null],
    errors: [errors.insufficient_role, errors.last_owner],
  },
  resolveMember: {
    method: 'POST',
    path: '/internal/members/resolve',
    access: 'service',
    summary: "Read a user's current role in a store, for the gateway",
    description:
      'The epoch was read before the role, so a change in between invalidates entries cached under it.',
    body: Type.Object({ userId: Type.String(), storeId: Type.String() }),
    answer: [200, Type.Object({ epoch: Type.String(), role })],
  },
});
