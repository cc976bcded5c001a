import { newId, type UserFacts } from '@waybill/contracts';
import { audit } from '@waybill/kernel';
import type { Transaction } from 'kysely';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import type { Tables } from '../tables.ts';
import {
  deleteOrgMember,
  findOrgMember,
  findOrgRole,
  hasOtherOwner,
  insertOrg,
  insertOrgMember,
  lockOrg,
  type OrgMemberRow,
  type OrgRow,
  ownsOrgsLocked,
  updateOrgRole,
} from './queries.ts';
import type { OrgRole } from './routes.ts';

/** More than these nobody looks after. */
const maxOwnOrgs = 1_000;

/** Makes an organisation with this user as its owner. Throws `too_many_orgs`. `decisions.md 7.3`. */
export function createOrg(
  { transaction }: Context,
  user: { userId: string; email: string },
  name: string,
): Promise<OrgRow> {
  return transaction(async (trx) => {
    if (await ownsOrgsLocked(trx, user.userId, maxOwnOrgs)) throw errors.too_many_orgs();
    const org = await insertOrg(trx, { id: newId('organisation'), name });
    await insertOrgMember(trx, org.id, { user_id: user.userId, email: user.email, role: 'owner' });
    await audit(trx, org.id, 'organisation.created', org);
    return org;
  });
}

/** The user's role in the organisation. Throws `not_found` for an unknown one and for who is no member. */
export async function requireMember({ db }: Context, orgId: string, userId: string): Promise<OrgRole> {
  const role = await findOrgRole(db, orgId, userId);
  if (!role) throw errors.not_found();
  return role;
}

/** Throws `not_found` like `requireMember`, and `insufficient_role` for a member who is no owner. */
export async function requireOwner(context: Context, orgId: string, userId: string): Promise<void> {
  checkOwner(await requireMember(context, orgId, userId));
}

/** The user with that e-mail address, as identity knows them. Throws `not_found`, `resource_unavailable`. */
export async function findUser({ peers }: Pick<Context, 'peers'>, email: string): Promise<UserFacts> {
  const path = '/internal/users/lookup';
  const found = await peers.call<{ user: UserFacts }>('identity', 'POST', path, { email });
  if (!found) throw errors.not_found({ message: 'No user has this e-mail address.' });
  return found.user;
}

/** Makes a user a member. Throws `not_found`, `insufficient_role`, `already_member`. `decisions.md 7.3`. */
export function addMember(
  context: Context,
  orgId: string,
  actorId: string,
  user: Pick<UserFacts, 'id' | 'email'>,
  role: OrgRole,
): Promise<OrgMemberRow> {
  return changeMembers(context, orgId, actorId, async (trx, actorRole) => {
    checkOwner(actorRole);
    const member = await insertOrgMember(trx, orgId, { user_id: user.id, email: user.email, role });
    if (!member) throw errors.already_member();
    await audit(trx, orgId, 'member.added', { id: user.id });
    return member;
  });
}

/** Gives a member another role. Throws `not_found`, `insufficient_role`, `last_owner`. */
export function changeMember(
  context: Context,
  orgId: string,
  actorId: string,
  userId: string,
  role: OrgRole,
): Promise<OrgMemberRow> {
  return changeMembers(context, orgId, actorId, async (trx, actorRole) => {
    checkOwner(actorRole);
    const member = await findOrgMember(trx, orgId, userId);
    if (!member) throw errors.not_found();
    if (role !== 'owner') await checkOwnerRemains(trx, orgId, userId);
    if (role !== member.role) await audit(trx, orgId, 'member.roleChanged', { id: userId });
    return updateOrgRole(trx, orgId, userId, role);
  });
}

/** Removes a member; everybody may leave. Throws `not_found`, `insufficient_role`, `last_owner`. */
export function removeMember(
  context: Context,
  orgId: string,
  actorId: string,
  userId: string,
): Promise<void> {
  return changeMembers(context, orgId, actorId, async (trx, actorRole) => {
    if (userId !== actorId) checkOwner(actorRole);
    if (!(await findOrgMember(trx, orgId, userId))) throw errors.not_found();
    await checkOwnerRemains(trx, orgId, userId);
    await deleteOrgMember(trx, orgId, userId);
    await audit(trx, orgId, 'member.removed', { id: userId });
  });
}

/** Runs a change of the members, one at a time, with the role that the acting member has at that moment. */
export function changeMembers<Result>(
  { transaction }: Context,
  orgId: string,
  actorId: string,
  change: (trx: Transaction<Tables>, actorRole: OrgRole) => Promise<Result>,
): Promise<Result> {
  return transaction(async (trx) => {
    await lockOrg(trx, orgId);
    const actorRole = await findOrgRole(trx, orgId, actorId);
    if (!actorRole) throw errors.not_found();
    return change(trx, actorRole);
  });
}

/** Throws `insufficient_role` for a member who does not manage the others. */
export function checkOwner(role: OrgRole): void {
  if (role !== 'owner') throw errors.insufficient_role({ message: 'Only an owner manages the members.' });
}

async function checkOwnerRemains(trx: Transaction<Tables>, orgId: string, userId: string): Promise<void> {
  if (!(await hasOtherOwner(trx, orgId, userId))) throw errors.last_owner();
}
