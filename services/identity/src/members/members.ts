import { managesStore, type Role } from '@waybill/contracts';
import type { Transaction } from 'kysely';
import type { Context, Write } from '../config.ts';
import { errors } from '../errors.ts';
import { findStoreForUpdate } from '../stores/queries.ts';
import type { Tables } from '../tables.ts';
import { deleteMember, findMember, findRole, listSomeOwners, updateRole } from './queries.ts';
import type { Member } from './routes.ts';

/**
 * Runs a change of a store's members, one at a time per store, with the role that the acting member has at that moment:
 * it may have changed since the request arrived. Bumps the store's epoch after the commit and before the answer, so the
 * change holds from the next request on (`decisions.md 8.3`).
 */
export async function changeMembers<Result>(
  { trx, afterCommit }: Write,
  { cache }: Context,
  storeId: string,
  actorId: string,
  change: (actorRole: Role) => Promise<Result>,
): Promise<Result> {
  await findStoreForUpdate(trx, storeId);
  const actorRole = await findRole(trx, storeId, actorId);
  if (!actorRole) throw errors.not_found();
  afterCommit(() => cache.bumpEpoch(storeId));
  return change(actorRole);
}

/** Changes a member's role. Throws `not_found`, `last_owner`, `insufficient_role`. `decisions.md 8.2`. */
export function changeMember(
  write: Write,
  context: Context,
  storeId: string,
  actorId: string,
  userId: string,
  role: Role,
): Promise<Member> {
  const { trx, audit } = write;
  return changeMembers(write, context, storeId, actorId, async (actorRole) => {
    if (!managesStore(actorRole)) throw errors.insufficient_role();
    const member = await findMember(trx, storeId, userId);
    if (!member) throw errors.not_found();
    if (role !== 'owner') await checkOwnerRemains(trx, storeId, userId);
    await updateRole(trx, storeId, userId, role);
    if (role !== member.role) await audit(storeId, 'member.roleChanged', { id: userId });
    return { ...member, role };
  });
}

/**
 * Removes a member; every member may leave. Throws `not_found`, `last_owner`, `insufficient_role`. `decisions.md 8.2`.
 */
export function removeMember(
  write: Write,
  context: Context,
  storeId: string,
  actorId: string,
  userId: string,
): Promise<void> {
  const { trx, audit } = write;
  return changeMembers(write, context, storeId, actorId, async (actorRole) => {
    if (userId !== actorId && !managesStore(actorRole)) throw errors.insufficient_role();
    if (!(await findRole(trx, storeId, userId))) throw errors.not_found();
    await checkOwnerRemains(trx, storeId, userId);
    await deleteMember(trx, storeId, userId);
    await audit(storeId, 'member.removed', { id: userId });
  });
}

async function checkOwnerRemains(trx: Transaction<Tables>, storeId: string, userId: string): Promise<void> {
  const owners = await listSomeOwners(trx, storeId);
  if (owners.length === 1 && owners[0] === userId) throw errors.last_owner();
}
