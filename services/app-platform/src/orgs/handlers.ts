import type { Handlers } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import type { Tables } from '../tables.ts';
import { changeMember, createOrg, removeMember, requireMember, requireOwner } from './orgs.ts';
import {
  findOrgMember,
  findOrgOfMember,
  listOrgMembers,
  listOrgsOfMember,
  listSoleOwnerships,
  listSomeOrgs,
  type OrgMemberRow,
  type OrgRow,
} from './queries.ts';
import type { Org, OrgMember, OrgRole, routes } from './routes.ts';

/** Maximum number of organisations in the answer for a user's own account. */
const maxListedOrgs = 100;

export const handlers = (context: Context): Handlers<typeof routes, Tables> => ({
  async listOrgs({ principal, query }) {
    const { rows, ...list } = await listOrgsOfMember(context.db, principal.userId, query);
    return { orgs: rows.map((row) => toOrg(row, row.role)), ...list };
  },
  createOrg: {
    write: async ({ principal, body }, write) => ({
      org: toOrg(await createOrg(write, principal, body.name), 'owner'),
    }),
  },
  async getOrg({ principal, params, db }) {
    const row = await findOrgOfMember(db, params.orgId, principal.userId);
    if (!row) throw errors.not_found();
    return { org: toOrg(row, row.role) };
  },
  async listOrgMembers({ principal, params, query }) {
    await requireMember(context, params.orgId, principal.userId);
    const { rows, ...list } = await listOrgMembers(context.db, params.orgId, query);
    return { members: rows.map(toMember), ...list };
  },
  async getOrgMember({ principal, params, db }) {
    await requireMember({ db }, params.orgId, principal.userId);
    const row = await findOrgMember(db, params.orgId, params.userId);
    if (!row) throw errors.not_found();
    return { member: toMember(row) };
  },
  changeOrgMember: {
    guard: ({ principal, params }) => requireOwner(context, params.orgId, principal.userId),
    write: async ({ principal, params: { orgId, userId }, body }, write) => ({
      member: toMember(await changeMember(write, orgId, principal.userId, userId, body.role)),
    }),
  },
  removeOrgMember: {
    write: ({ principal, params: { orgId, userId } }, write) =>
      removeMember(write, orgId, principal.userId, userId),
  },
  readOrgRole: async ({ body: { orgId, userId } }) => ({ role: await requireMember(context, orgId, userId) }),
  async listOrgsOfUser({ body }) {
    const orgs = await listSomeOrgs(context.db, body.userId, maxListedOrgs + 1);
    return { orgs: orgs.slice(0, maxListedOrgs), hasMore: orgs.length > maxListedOrgs };
  },
  listSoleOwnerships: async ({ body }) => ({ orgIds: await listSoleOwnerships(context.db, body.userId) }),
});

function toOrg({ id, name, created_at, updated_at }: OrgRow, role: OrgRole): Org {
  return { id, name, role, createdAt: created_at.toISOString(), updatedAt: updated_at.toISOString() };
}

function toMember({ user_id, email, role, created_at }: OrgMemberRow): OrgMember {
  return { userId: user_id, email, role, createdAt: created_at.toISOString() };
}
