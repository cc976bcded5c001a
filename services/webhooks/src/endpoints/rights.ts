import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Holder,
  idPrefixes,
  listPermissions,
  maxHolders,
  type Principal,
  type Rights,
} from '@waybill/contracts';
import type { ServiceContext } from '@waybill/kernel';
import type { RightsCache, RightsSource } from '../memory/rights-cache.ts';

type Context = Pick<ServiceContext, 'cache' | 'peers'> & { state: { rights: RightsCache } };

/** Deadline of a look-up. A service that did not answer is not asked again during the pause. */
const deadlineMs = 1_000;
const pauseMs = 1_000;

/** The route of each service that answers about rights. */
const routes: Record<RightsSource, string> = {
  identity: '/internal/rights/lookup',
  'app-platform': '/internal/app-rights/lookup',
};

/** Returns the principal as a holder with its current rights. */
export function toHolder(principal: Principal): { id: string; rights: Rights } {
  const rights = listPermissions(principal);
  if (principal.kind === 'app') return { id: principal.appId, rights };
  return { id: principal.kind === 'user' ? principal.userId : principal.keyId, rights };
}

/** Returns the rights of one of the requested holders; undefined when they could not be determined. */
export type RightsOf = (storeId: string, id: string | null) => Rights | undefined;

/**
 * Finds the current rights of holders; a null id has none. Answers are cached under the epochs of their stores. An
 * epoch advances before a change of role, member or install is answered, so every later request sees the change.
 */
export async function findRights(
  context: Context,
  requested: readonly { storeId: string; id: string | null }[],
): Promise<RightsOf> {
  const holders = requested.filter((holder): holder is Holder => holder.id !== null);
  if (holders.length === 0) return () => [];
  const { entries } = context.state.rights;
  const stores = [...new Set(holders.map(({ storeId }) => storeId))];
  // Read the epochs before the rights: a change in between then outdates the cached rights.
  const epochs = new Map(
    await Promise.all(stores.map(async (storeId) => [storeId, await context.cache.epoch(storeId)] as const)),
  );
  const getRights: RightsOf = (storeId, id) => {
    if (id === null) return [];
    const cached = entries.get(createCacheKey({ storeId, id }));
    return cached && cached.epoch === epochs.get(storeId) ? cached.rights : undefined;
  };
  const uncached = new Map(
    holders
      .filter(({ storeId, id }) => getRights(storeId, id) === undefined)
      .map((holder) => [createCacheKey(holder), holder]),
  );
  const byService = Map.groupBy(uncached.values(), chooseService);
  await Promise.all(
    [...byService].map(([service, serviceHolders]) =>
      requestRights(context, service, serviceHolders, (holder, rights) =>
        entries.set(createCacheKey(holder), { epoch: epochs.get(holder.storeId)!, rights }),
      ),
    ),
  );
  return getRights;
}

const createCacheKey = ({ storeId, id }: Holder) => `${storeId} ${id}`;

const chooseService = ({ id }: Holder): RightsSource =>
  id.startsWith(`${idPrefixes.app}_`) ? 'app-platform' : 'identity';

/** Asks a service for rights. An answer that misses the deadline is still cached for next time. */
async function requestRights(
  context: Context,
  service: RightsSource,
  holders: readonly Holder[],
  cacheRights: (holder: Holder, rights: Rights) => void,
): Promise<void> {
  const { unavailableUntil } = context.state.rights;
  if ((unavailableUntil.get(service) ?? 0) > performance.now()) return;
  const requestBatch = async (batch: readonly Holder[]) => {
    const reply = await context.peers.call<{ rights: Rights[] }>(service, 'POST', routes[service], {
      holders: batch,
    });
    for (const [i, rights] of reply?.rights.entries() ?? []) cacheRights(batch[i]!, rights);
    return reply !== null;
  };
  const batches = Array.from({ length: Math.ceil(holders.length / maxHolders) }, (_, i) =>
    holders.slice(i * maxHolders, (i + 1) * maxHolders),
  );
  const answers = Promise.all(batches.map(requestBatch)).then(
    (all) => all.every(Boolean),
    () => false,
  );
  const isAnswered = await Promise.race([answers, sleep(deadlineMs, false, { ref: false })]);
  if (!isAnswered) unavailableUntil.set(service, performance.now() + pauseMs);
}
