import type { OrgsOfUser } from '@waybill/contracts';
import { withTimeout } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { listSomeStores } from '../stores/queries.ts';
import type { Overview } from './routes.ts';

type Memberships = Omit<Overview, 'user' | 'isReviewer'>;

/** The places of a user without memberships. */
export const noMemberships: Memberships = { stores: [], hasMoreStores: false, orgs: [], hasMoreOrgs: false };

const maxStores = 100;
/** How long to wait for the app platform: a console needs this answer to start. */
const deadlineMs = 1_000;

/**
 * Lists the stores and organisations of a user. While the app platform does not answer, the organisations are unknown.
 * `decisions.md 15.9`.
 */
export async function listMemberships(context: Context, userId: string): Promise<Memberships> {
  const [found, orgs] = await Promise.all([
    listSomeStores(context.db, userId, maxStores + 1),
    readOrgs(context, userId),
  ]);
  return {
    stores: found
      .slice(0, maxStores)
      .map(({ org_id, ...store }) => ({ ...store, isDevelopment: org_id !== null })),
    hasMoreStores: found.length > maxStores,
    orgs: orgs?.orgs ?? [],
    hasMoreOrgs: orgs?.hasMore ?? false,
    ...(!orgs && { unavailable: ['orgs'] }),
  };
}

/**
 * Lists the organisations; null means that they are unknown at present. A system may run without apps, and thus without
 * organisations.
 */
async function readOrgs({ peers, log }: Context, userId: string): Promise<OrgsOfUser | null> {
  if (!peers.has('app-platform')) return { orgs: [], hasMore: false };
  const orgsRequest = peers.call<OrgsOfUser>('app-platform', 'POST', '/internal/orgs/of-user', { userId });
  return withTimeout(orgsRequest, deadlineMs).catch((err) => {
    log.debug({ err }, 'a user’s organisations are not known');
    return null;
  });
}
