import type { MediaUse, MediaUser, MediaUsesQuery } from '@waybill/contracts';
import type { Peers } from '@waybill/kernel';
import { errors } from '../errors.ts';

/** Who knows what shows assets. */
const services = ['content', 'catalog'];

/** How many of a kind one answer names. */
export const mostUsers = 500;

/**
 * What shows these assets, drafts included unless `liveOnly`, at most `limit` of a kind for each in each service. A
 * service that the deployment does not have shows nothing.
 * @throws resource_unavailable while one cannot be asked: what is in use would count as free
 */
export async function listUses(peers: Peers, query: MediaUsesQuery): Promise<MediaUse[]> {
  const asked = services.filter((service) => peers.has(service));
  const replies = await Promise.all(
    asked.map((service) =>
      peers.call<{ uses: MediaUse[] }>(service, 'POST', `/internal/${service}/media-uses`, query),
    ),
  );
  return replies.flatMap((reply) => {
    // A copy from before there was such a question.
    if (!reply) throw errors.resource_unavailable({ headers: { 'retry-after': '5' } });
    return reply.uses;
  });
}

/** Those who show any of the assets, each once, what is live first. */
export function usersOf(uses: readonly MediaUse[]): MediaUser[] {
  const found = new Map<string, MediaUser>();
  for (const { type, id, name, live } of uses) {
    found.set(id, { type, id, name, live: live || found.get(id)?.live === true });
  }
  return [...found.values()].sort((a, b) => Number(b.live) - Number(a.live));
}
