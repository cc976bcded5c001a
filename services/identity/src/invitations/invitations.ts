import {
  invitationRules,
  managesStore,
  newId,
  type OrgMembership,
  type Role,
  storeLimits,
} from '@waybill/contracts';
import { countInvitation } from '@waybill/kernel';
import type { Context, Write } from '../config.ts';
import { errors } from '../errors.ts';
import { queueMail } from '../mail/mail.ts';
import { changeMembers } from '../members/members.ts';
import { countMembers, findRole } from '../members/queries.ts';
import { consumeToken, readToken } from '../one-time-tokens/one-time-tokens.ts';
import { deleteExpiredTokens, deleteTokens, type OneTimeTokenRow } from '../one-time-tokens/queries.ts';
import { findStore, findStoreForUpdate, insertMember, type StoreRow } from '../stores/queries.ts';
import { findUser } from '../users/queries.ts';
import {
  countOtherInvitations,
  deleteExpiredInvitations,
  deleteInvitation,
  findInviter,
  findOpenInvitation,
  type InvitationRow,
  isMemberAddress,
  upsertInvitation,
} from './queries.ts';

/**
 * Invites an address, or renews its invitation, and mails a link. Throws `email_unverified`, `already_member`,
 * `too_many_invitations`, `insufficient_role`, `rate_limited`. `decisions.md 15.5, 19.12`.
 */
export async function inviteMember(
  write: Write,
  context: Context,
  storeId: string,
  actorId: string,
  input: { email: string; role: Role },
): Promise<InvitationRow> {
  const { trx, audit } = write;
  const email = input.email.toLowerCase();
  // Checked before the limit is counted: an unverified account must not use up the mails that an address may receive.
  const inviter = await findInviter(trx, storeId, actorId);
  if (!inviter) throw errors.not_found();
  if (!managesStore(inviter.role)) throw errors.insufficient_role();
  if (!inviter.email_verified_at) throw errors.email_unverified();
  await countInvitation(context.cache, actorId, email);
  return changeMembers(write, context, storeId, actorId, async (actorRole) => {
    if (!managesStore(actorRole)) throw errors.insufficient_role();
    if (await isMemberAddress(trx, storeId, email)) throw errors.already_member();
    if ((await countOtherInvitations(trx, storeId, email)) >= invitationRules.maxOpen)
      throw errors.too_many_invitations();
    const invitation = await upsertInvitation(trx, storeId, {
      id: newId('invitation'),
      email,
      role: input.role,
      invited_by: actorId,
      expires_at: new Date(Date.now() + invitationRules.lifeMs),
    });
    await audit(storeId, 'invitation.created', { id: invitation.id });
    const { name } = (await findStore(trx, storeId))!;
    await queueMail(trx, {
      template: 'invitation',
      address: email,
      senderId: actorId,
      data: { storeId, invitationId: invitation.id, storeName: name, role: input.role },
    });
    return invitation;
  });
}

/** Withdraws an invitation and its links. Throws `not_found`, `insufficient_role`. */
export function withdrawInvitation(
  write: Write,
  context: Context,
  storeId: string,
  actorId: string,
  id: string,
): Promise<void> {
  const { trx, audit } = write;
  return changeMembers(write, context, storeId, actorId, async (actorRole) => {
    if (!managesStore(actorRole)) throw errors.insufficient_role();
    if (!(await deleteInvitation(trx, storeId, id))) throw errors.not_found();
    await deleteTokens(trx, 'invitation', id);
    await audit(storeId, 'invitation.withdrawn', { id });
  });
}

/** The membership that an accepted invitation leads to. */
export type AcceptedMembership = { store: StoreRow; role: Role } | OrgMembership;

/**
 * Makes a user a member of the store or organisation that the token invites to; an existing member keeps the role.
 * Throws `invalid_token`, `email_unverified`, `resource_unavailable`. `decisions.md 15.5`.
 */
export async function acceptInvitation(
  context: Context,
  userId: string,
  token: string,
): Promise<AcceptedMembership> {
  const found = await readToken(context.db, 'invitation', token);
  const user = await findUser(context.db, userId);
  if (!user) throw errors.user_token_required();
  if (!user.email_verified_at) throw errors.accept_unverified();
  return found.invited_to!.startsWith('org_')
    ? joinOrg(context, user, found)
    : joinStore(context, user, found);
}

interface Invited {
  id: string;
  email: string;
}

async function joinStore(
  { write, cache }: Context,
  { id: userId, email }: Invited,
  token: OneTimeTokenRow,
): Promise<AcceptedMembership> {
  const storeId = token.invited_to!;
  const joined = await write(async ({ trx, audit }) => {
    // The lock makes changes of a store's members run one after the other.
    const store = await findStoreForUpdate(trx, storeId);
    const invitation = await findOpenInvitation(trx, storeId, token.subject);
    if (!store || invitation?.email !== email) throw errors.invalid_token();
    if ((await countMembers(trx, storeId)) >= storeLimits.members) throw errors.too_many_members();
    await consumeToken(trx, token);
    await deleteInvitation(trx, storeId, invitation.id);
    await audit(storeId, 'invitation.accepted', { id: invitation.id });
    const isNew = await insertMember(trx, storeId, { user_id: userId, role: invitation.role });
    if (isNew) await audit(storeId, 'member.added', { id: userId });
    return { store, role: (await findRole(trx, storeId, userId))! };
  });
  await cache.bumpEpoch(storeId);
  return joined;
}

/**
 * Lets the app platform add the member, which it does once however often it is asked. The token is spent afterwards, so
 * a crash loses nothing.
 */
async function joinOrg(
  { transaction, peers }: Context,
  { id: userId, email }: Invited,
  token: OneTimeTokenRow,
): Promise<AcceptedMembership> {
  const joined = await peers.call<OrgMembership>('app-platform', 'POST', '/internal/org-invitations/accept', {
    orgId: token.invited_to,
    invitationId: token.subject,
    userId,
    email,
  });
  if (!joined) throw errors.invalid_token();
  await transaction((trx) => consumeToken(trx, token));
  return joined;
}

const sweepBatch = 1000;

/** Deletes expired links and invitations. Returns true if there may be more. */
export async function sweepInvitations({ db }: Context): Promise<boolean> {
  const areMore = [await deleteExpiredTokens(db, sweepBatch), await deleteExpiredInvitations(db, sweepBatch)];
  return areMore.includes(true);
}
