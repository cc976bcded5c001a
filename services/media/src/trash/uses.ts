import type { MediaUse, MediaUser, MediaUsesQuery } from '@waybill/contracts';
import type { Peers } from '@waybill/kernel';
import { errors } from '../errors.ts';

/** The services that know what uses assets. */
const services = ['content', 'catalog', 'orders'];

/** Maximum number of users of one kind that an answer names. */
export const maxUsers = 500;

/**
 * Returns the users of these assets, including drafts unless `liveOnly`, at most `limit` of a kind for each asset in
 * each service. A service that is not part of the deployment has no users.
 * @throws resource_unavailable when a service cannot be asked, because assets in use would otherwise count as free
 */
export async function listUses(peers: Peers, query: MediaUsesQuery): Promise<MediaUse[]> {
  const presentServices = services.filter((service) => peers.has(service));
  const replies = await Promise.all(
    presentServices.map((service) =>
      peers.call<{ uses: MediaUse[] }>(service, 'POST', `/internal/${service}/media-uses`, query),
    ),
  );
  return replies.flatMap((reply) => {
    // An older copy of the service does not know the question yet.
    if (!reply) throw errors.resource_unavailable({ headers: { 'retry-after': '5' } });
    return reply.uses;
  });
}

/** Returns the users of any of the assets, each once, live ones first. */
export function mergeUsers(uses: readonly MediaUse[]): MediaUser[] {
  const found = new Map<string, MediaUser>();
  for (const { type, id, name, live } of uses) {
    found.set(id, { type, id, name, live: live || found.get(id)?.live === true });
  }
  return [...found.values()].sort((a, b) => Number(b.live) - Number(a.live));
}
