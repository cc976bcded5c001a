import { newId, ownerLimits, type UserFacts } from '@waybill/contracts';
import type { AuthorizeKeyed } from '@waybill/kernel';
import type { Transaction } from 'kysely';
import type { Context, Write } from '../config.ts';
import { errors } from '../errors.ts';
import type { Tables } from '../tables.ts';
import {
  deleteOrgMember,
  findOrgMember,
  findOrgRole,
  hasOtherOwner,
  hasReachedOrgLimit,
  insertOrg,
  insertOrgMember,
  lockOrg,
  type OrgMemberRow,
  type OrgRow,
  updateOrgRole,
} from './queries.ts';
import type { OrgRole } from './routes.ts';

/** Creates an organisation with this user as its owner. Throws `too_many_orgs` (`decisions.md 7.3`). */
export async function createOrg(
  { trx, audit }: Write,
  user: { userId: string; email: string },
  name: string,
): Promise<OrgRow> {
  if (await hasReachedOrgLimit(trx, user.userId, ownerLimits.orgs)) throw errors.too_many_orgs();
  const org = await insertOrg(trx, { id: newId('organisation'), name });
  await insertOrgMember(trx, org.id, { user_id: user.userId, email: user.email, role: 'owner' });
  await audit(org.id, 'organisation.created', org);
  return org;
}

/** Returns the user's role in the organisation. Throws `not_found` for an unknown organisation and for a non-member. */
export async function requireMember(
  { db }: Pick<Context, 'db'>,
  orgId: string,
  userId: string,
): Promise<OrgRole> {
  const role = await findOrgRole(db, orgId, userId);
  if (!role) throw errors.not_found();
  return role;
}

/** Throws `not_found` as `requireMember` does, and `insufficient_role` for a member who is not an owner. */
export async function requireOwner(
  context: Pick<Context, 'db'>,
  orgId: string,
  userId: string,
): Promise<void> {
  checkOwner(await requireMember(context, orgId, userId));
}

/** Matches the routes for members and invitations, which only owners may use. */
const ownersOnly = /^\/api\/orgs\/\{orgId\}\/(?:members|invitations)(?:\/|$)/;

/**
 * Throws unless the user who repeats a request may still make it: they may have left the organisation, or be no longer
 * an owner. A repeat of the request that ended this (leaving, deleting the organisation) gets its answer, which has no
 * body.
 */
export const authorizeMember =
  (context: Context): AuthorizeKeyed =>
  async ({ method, path, access }, { principal, params: { orgId, userId } }) => {
    if (access !== 'user' || principal?.kind !== 'user' || orgId === undefined) return;
    const endsRights = path === '/api/orgs/{orgId}' || userId === principal.userId;
    if (method === 'DELETE' && endsRights) return;
    if (ownersOnly.test(path)) await requireOwner(context, orgId, principal.userId);
    else await requireMember(context, orgId, principal.userId);
  };

/**
 * Checks with identity that a user has a verified address. Throws `email_unverified`, `user_token_required`,
 * `resource_unavailable` (`decisions.md 19.12`).
 */
export async function requireVerified(
  { peers }: Pick<Context, 'peers'>,
  { userId, email }: { userId: string; email: string },
): Promise<void> {
  const path = '/internal/users/lookup';
  const found = await peers.call<{ user: UserFacts }>('identity', 'POST', path, { email });
  // The address of a deleted user may now belong to another one.
  if (found?.user.id !== userId) throw errors.user_token_required();
  if (!found.user.isVerified) throw errors.email_unverified();
}

/** Changes the role of a member. Throws `not_found`, `insufficient_role`, `last_owner`. */
export function changeMember(
  write: Write,
  orgId: string,
  actorId: string,
  userId: string,
  role: OrgRole,
): Promise<OrgMemberRow> {
  const { trx, audit } = write;
  return changeMembers(write, orgId, actorId, async (actorRole) => {
    checkOwner(actorRole);
    const member = await findOrgMember(trx, orgId, userId);
    if (!member) throw errors.not_found();
    if (role !== 'owner') await checkOwnerRemains(trx, orgId, userId);
    if (role !== member.role) await audit(orgId, 'member.roleChanged', { id: userId });
    return updateOrgRole(trx, orgId, userId, role);
  });
}

/** Removes a member; all members may remove themselves. Throws `not_found`, `insufficient_role`, `last_owner`. */
export function removeMember(write: Write, orgId: string, actorId: string, userId: string): Promise<void> {
  const { trx, audit } = write;
  return changeMembers(write, orgId, actorId, async (actorRole) => {
    if (userId !== actorId) checkOwner(actorRole);
    if (!(await findOrgMember(trx, orgId, userId))) throw errors.not_found();
    await checkOwnerRemains(trx, orgId, userId);
    await deleteOrgMember(trx, orgId, userId);
    await audit(orgId, 'member.removed', { id: userId });
  });
}

/** Changes the members under the organisation's lock, with the current role of the acting member. */
export async function changeMembers<Result>(
  { trx }: Write,
  orgId: string,
  actorId: string,
  change: (actorRole: OrgRole) => Promise<Result>,
): Promise<Result> {
  await lockOrg(trx, orgId);
  const actorRole = await findOrgRole(trx, orgId, actorId);
  if (!actorRole) throw errors.not_found();
  return change(actorRole);
}

/** Throws `insufficient_role` for a member who is not an owner. */
export function checkOwner(role: OrgRole): void {
  if (role !== 'owner') throw errors.insufficient_role({ message: 'Only an owner can manage the members.' });
}

async function checkOwnerRemains(trx: Transaction<Tables>, orgId: string, userId: string): Promise<void> {
  if (!(await hasOtherOwner(trx, orgId, userId))) throw errors.last_owner();
}
