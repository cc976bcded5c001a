import type { Principal, Role } from '@waybill/contracts';
import type { ServiceContext } from '@waybill/kernel';
import type { Bearer, UserPrincipal } from './user-tokens.ts';

type Peers = ServiceContext<unknown>['peers'];

/**
 * The owner's answer about a bearer, cached under the epoch of its subject. The owner is identity or the app platform.
 */
export interface Resolution {
  /** The store, or the user of a session. */
  subject: string;
  epoch: string;
  outcome: 'ok' | 'revoked' | 'unusable';
  principal: Principal;
  /** Expiry of an app token, in milliseconds since 1970. */
  expiresAt?: number;
}

/** Identity's answer about a user in a store. */
type Membership = { epoch: string; role: Role };

/** Identity's answer about a user's session. */
type Session = { epoch: string; isReviewer: boolean };

const owners = {
  apiKey: { name: 'identity', path: '/internal/credentials/resolve' },
  appToken: { name: 'app-platform', path: '/internal/app-tokens/resolve' },
} as const;

export type CredentialKind = keyof typeof owners;

/** Whether the owner of such credentials is part of this installation. */
export const hasOwner = (peers: Peers, kind: CredentialKind): boolean => peers.has(owners[kind].name);

/** Asks the owner of an API key or app token by its hash; null if it is unknown. */
export async function resolveCredential(
  peers: Peers,
  kind: CredentialKind,
  hash: string,
): Promise<Resolution | null> {
  const { name, path } = owners[kind];
  const found = await peers.call<Resolution & { storeId: string }>(name, 'POST', path, { hash });
  if (!found) return null;
  const { storeId, ...resolution } = found;
  return { ...resolution, subject: storeId };
}

/** Asks identity about a session; null if it has ended. */
export async function resolveSession(peers: Peers, { user, sessionId }: Bearer): Promise<Resolution | null> {
  const { userId } = user;
  const body = { sessionId, userId };
  const found = await peers.call<Session>('identity', 'POST', '/internal/sessions/resolve', body);
  if (!found) return null;
  const { epoch, isReviewer } = found;
  return {
    subject: userId,
    epoch,
    outcome: 'ok',
    principal: { ...user, sessionId, ...(isReviewer && { isReviewer }) },
  };
}

/** Asks identity about a member of a store; null if the user is none. */
export async function resolveMember(
  peers: Peers,
  user: UserPrincipal,
  storeId: string,
): Promise<Resolution | null> {
  const body = { userId: user.userId, storeId };
  const found = await peers.call<Membership>('identity', 'POST', '/internal/members/resolve', body);
  if (!found) return null;
  const { epoch, role } = found;
  return { subject: storeId, epoch, outcome: 'ok', principal: { ...user, storeId, role } };
}
