import type { UserName } from '@waybill/contracts';
import type { Peers } from './peers.ts';

const batchSize = 200;

/** Returns the names of users by their ids. Users who are gone, or whose names are unavailable, are missing. */
export async function findUserNames(
  peers: Peers,
  userIds: readonly (string | null)[],
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(userIds.filter((id) => id !== null))];
  if (ids.length === 0 || !peers.has('identity')) return new Map();
  const batches = Array.from({ length: Math.ceil(ids.length / batchSize) }, (_, i) =>
    ids.slice(i * batchSize, (i + 1) * batchSize),
  );
  const replies = await Promise.all(
    batches.map((batch) =>
      peers
        .call<{ users: UserName[] }>('identity', 'POST', '/internal/users/names', { ids: batch })
        .catch(() => null),
    ),
  );
  return new Map(replies.flatMap((reply) => reply?.users ?? []).map(({ id, name }) => [id, name]));
}
