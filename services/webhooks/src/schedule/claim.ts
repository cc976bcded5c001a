import {
  asyncCommit,
  claimByStore,
  compileUnprepared,
  eachStore,
  prepare,
  withinStore,
} from '@waybill/kernel';
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import { leaseSeconds } from '../lease.ts';
import { slowCapacity } from '../memory/sending-windows.ts';
import type { TargetHosts } from '../memory/target-hosts.ts';
import type { Tables } from '../tables.ts';
import { claimBatches } from './batches.ts';
import { type HostLimits, insertHostCalls, lockHostSlots } from './host-limits.ts';
import { callColumns, callJoins, type DueDelivery, type EndpointId } from './queries.ts';
import { countRateCalls, insertRateCalls } from './rates.ts';

type Db = Kysely<Tables>;
type Endpoint = Selectable<Tables['webhook_endpoint']>;

// The excluded endpoints are few, because each has calls of this process in flight.
const selectReadyText = (store: string) =>
  `select store_id as "storeId", endpoint_id as "endpointId" from endpoint_queue
   where next_at <= now() and endpoint_id <> all($1::text[]) ${store}
   order by next_at limit $2 for update skip locked`;
const lockReadyEndpoints = compileUnprepared<EndpointId>(selectReadyText(''));
const lockReadyEndpointsOfStore = compileUnprepared<EndpointId>(selectReadyText('and store_id = $3'));

/**
 * Locks the endpoints that have waited longest, except those in `fullEndpointIds`. Also returns whether these are all.
 */
async function lockEndpoints(trx: Db, fullEndpointIds: readonly string[], limit: number) {
  let isAll = true;
  const ready = await claimByStore<EndpointId>(trx, {
    limit,
    stores: (maxStores) => sql`select store_id as "storeId" from endpoint_queue
      where next_at <= now() and endpoint_id <> all(${fullEndpointIds}::text[]) order by next_at limit ${maxStores}`,
    async claim(storeId, maxRows) {
      const { rows } = await trx.executeQuery(
        storeId === null
          ? lockReadyEndpoints([fullEndpointIds, maxRows])
          : lockReadyEndpointsOfStore([fullEndpointIds, maxRows, storeId]),
      );
      if (rows.length === maxRows) isAll = false;
      return rows;
    },
  });
  return { ready, isAll };
}

// `services/webhooks/docs/calls.md` has a diagram of this statement. The rest of an endpoint begins after as many rows
// as were claimed: rows skipped because they are locked only make the endpoint due earlier. An endpoint with more due
// rows goes to the end of the queue.
const claimText = (isDistributed: boolean) =>
  `with ready as (
     select r.store_id, r.endpoint_id, case when e.is_slow then least(r.room, $5::int) else r.room end as room, r.wait
     from unnest($1::text[], $2::text[], $3::int[], $6::float8[]) as r (store_id, endpoint_id, room, wait)
     left join webhook_endpoint e on e.store_id = r.store_id and e.id = r.endpoint_id
   ), due as (
     select picked.* from ready r cross join lateral (
       select d.store_id, d.endpoint_id, d.delivery_id from webhook_due d
       where d.store_id = r.store_id and d.endpoint_id = r.endpoint_id and d.claimable_at <= now()
       order by d.claimable_at limit r.room for update skip locked
     ) picked
     limit $4
   ), claimed as (
     update webhook_due d set claimable_at = now() + interval '${leaseSeconds} seconds', is_leased = true
     from due where d.store_id = due.store_id and d.delivery_id = due.delivery_id
       and ${isDistributed ? 'true' : asyncCommit}
     returning d.store_id, d.delivery_id, d.queued_at, d.claimable_at, d.resource, d.batch_id
   ), counted as (
     select r.store_id, r.endpoint_id, r.room, r.wait, count(due.delivery_id)
     from ready r left join due using (store_id, endpoint_id) group by r.store_id, r.endpoint_id, r.room, r.wait
   ), rest as (
     select counted.*, earliest.claimable_at,
       -- An endpoint whose host has no room is not looked at before the host may have some.
       greatest(now() + make_interval(secs => counted.wait), least(earliest.claimable_at,
         case when counted.count > 0 then now() + interval '${leaseSeconds} seconds' end),
         -- An endpoint whose lane has no room does not stay in front.
         case when counted.room = 0 and counted.wait = 0 then now() + interval '1 second' end) as next_at
     from counted
     left join lateral (
       select d.claimable_at from webhook_due d
       where d.store_id = counted.store_id and d.endpoint_id = counted.endpoint_id
       order by d.claimable_at offset counted.count limit 1
     ) earliest on true
   ), queued as (
     update endpoint_queue q set next_at = rest.next_at
     from rest where q.store_id = rest.store_id and q.endpoint_id = rest.endpoint_id
       and (rest.count > 0 or rest.claimable_at > now() or rest.room = 0 and rest.claimable_at is not null)
   ), dequeued as (
     delete from endpoint_queue q using rest
     where q.store_id = rest.store_id and q.endpoint_id = rest.endpoint_id
       and rest.count = 0 and rest.claimable_at is null
   )
   select ${callColumns}, coalesce(rest.claimable_at <= now(), false) as "isMoreDue"
   from claimed c ${callJoins}
   join rest on rest.store_id = d.store_id and rest.endpoint_id = d.endpoint_id`;
const claim = compileUnprepared<DueDelivery>(claimText(false));
const claimOfStore = compileUnprepared<DueDelivery>(withinStore('$7', claimText(true)));

/** An endpoint of a turn, the number of calls that it has room for, and the seconds that it waits for its host. */
type EndpointCapacity = EndpointId & { capacity: number; wait: number };

/** Leases up to `limit` calls of these endpoints, and up to `slow` of each slow one. */
async function claimCalls(
  trx: Db,
  endpoints: readonly EndpointCapacity[],
  { limit, slow }: { limit: number; slow: number },
): Promise<DueDelivery[]> {
  let remaining = limit;
  const rows = await eachStore(trx, endpoints, async (group, store) => {
    const values = [
      group.map(({ storeId }) => storeId),
      group.map(({ endpointId }) => endpointId),
      group.map(({ capacity }) => capacity),
      remaining,
      slow,
      group.map(({ wait }) => wait),
    ];
    const { rows } = await trx.executeQuery(
      store === null ? claim(values) : claimOfStore([...values, store]),
    );
    remaining -= rows.length;
    return rows;
  });
  return [...rows];
}

type EndpointLimits = Pick<Endpoint, 'id' | 'url' | 'batch'> & {
  maxPerSecond: number | null;
  isSlow: boolean;
};
const selectLimits = prepare<EndpointLimits>(
  'webhook-endpoint-limits',
  `select e.id, e.url, e.batch, e.max_per_second as "maxPerSecond", e.is_slow as "isSlow"
   from unnest($1::text[], $2::text[]) as i (store_id, id)
   join webhook_endpoint e using (store_id, id)`,
);

/**
 * How long to wait for a host without room, in seconds: the minimum, the addition for each endpoint waiting for it, and
 * the maximum.
 */
const hostWait = { minSeconds: 1, secondsPerEndpoint: 0.02, maxSeconds: 5 };

/**
 * Shares the room of each host among its endpoints in a turn. An endpoint that gets none waits, longer the more others
 * wait with it, so that a full host takes no turns from others.
 */
export function shareHostCapacity(
  endpoints: readonly { host: string | null; capacity: number }[],
  hostCapacities: ReadonlyMap<string, number>,
): { capacity: number; wait: number }[] {
  const remaining = new Map(hostCapacities);
  const endpointsByHost = new Map<string | null, number>();
  for (const { host } of endpoints) endpointsByHost.set(host, (endpointsByHost.get(host) ?? 0) + 1);
  const unservedByHost = new Map(endpointsByHost);
  return endpoints.map(({ host, capacity }) => {
    if (host === null) return { capacity, wait: 0 };
    const free = remaining.get(host) ?? 0;
    const waitingForHost = unservedByHost.get(host)!;
    unservedByHost.set(host, waitingForHost - 1);
    if (free === 0)
      return {
        capacity: 0,
        wait: Math.min(
          hostWait.maxSeconds,
          hostWait.minSeconds + hostWait.secondsPerEndpoint * endpointsByHost.get(host)!,
        ),
      };
    const granted = Math.max(0, Math.min(capacity, Math.ceil(free / waitingForHost)));
    remaining.set(host, free - granted);
    return { capacity: granted, wait: 0 };
  });
}

/** The deliveries that a turn has leased. */
export interface Claim {
  due: DueDelivery[];
  /** Whether these are all due deliveries that had room. */
  isAll: boolean;
  /** Endpoints that wait for their host or their rate. */
  heldEndpoints: ReadonlySet<string>;
  /** Milliseconds until a rate or a batch lets another call go; null when none holds calls back. */
  waitMs: number | null;
}

/** Maximum numbers that one turn claims. */
const turnLimits = { endpoints: 200, deliveries: 500 };

/**
 * Reduces the capacity of each endpoint with a rate to the calls that its rate allows now. Adds the seconds until a rate
 * allows the next call to `waits`.
 */
function applyRates(
  ready: readonly EndpointId[],
  shares: ReturnType<typeof shareHostCapacity>,
  limits: ReadonlyMap<string, EndpointLimits>,
  counted: Awaited<ReturnType<typeof countRateCalls>>,
  waits: number[],
) {
  return ready.map((key, i) => {
    const { maxPerSecond = null, batch = null, isSlow = false } = limits.get(key.endpointId) ?? {};
    const share = shares[i]!;
    if (maxPerSecond === null || share.capacity === 0) return { ...key, ...share, batch, isSlow };
    const { calls = 0, waitSeconds = 0 } = counted.get(key.endpointId) ?? {};
    const free = Math.max(0, maxPerSecond - calls);
    const wait = free === 0 ? Math.max(0.001, waitSeconds) : 0;
    if (wait > 0) waits.push(wait);
    return { ...key, capacity: Math.min(share.capacity, free), wait, batch, isSlow };
  });
}

/** Leases batches of the endpoints that want them, adds their deliveries to `due` and their delays to `waits`. */
async function addBatches(
  trx: Transaction<Tables>,
  endpoints: ReturnType<typeof applyRates>,
  { due, waits, limit, slow }: { due: DueDelivery[]; waits: number[]; limit: number; slow: number },
): Promise<void> {
  let remaining = limit - due.length;
  let remainingSlow = slow - due.filter(({ isSlow }) => isSlow).length;
  for (const endpoint of endpoints) {
    if (endpoint.batch === null) continue;
    // Lease as many batches as fit into the deliveries left to this turn, and at least one if any are left.
    const granted = remaining > 0 ? Math.max(1, Math.floor(remaining / endpoint.batch.maxEvents)) : 0;
    const grantedByLane = endpoint.isSlow ? Math.max(0, Math.min(slowCapacity, remainingSlow)) : granted;
    const capacity = Math.min(endpoint.capacity, granted, grantedByLane);
    const claimed = await claimBatches(trx, { ...endpoint, capacity, batch: endpoint.batch });
    remaining -= claimed.due.length;
    if (endpoint.isSlow) remainingSlow -= new Set(claimed.due.map(({ batchId }) => batchId)).size;
    for (const delivery of claimed.due) due.push({ ...delivery, isMoreDue: claimed.isMore });
    waits.push(endpoint.batch.maxSeconds);
  }
}

/** Returns the deliveries that lead to a call: the first one of each batch, because a batch is one call. */
function listCalls(due: readonly DueDelivery[]): DueDelivery[] {
  const calledBatches = new Set<string | null>();
  return due.filter(({ batchId, ...delivery }) => {
    if (!delivery.endpointStatus || delivery.isMarked || delivery.isEventGone) return false;
    if (batchId !== null && calledBatches.has(batchId)) return false;
    calledBatches.add(batchId);
    return true;
  });
}

/**
 * Leases due deliveries: from the endpoints that have waited longest, the oldest of each, as far as the endpoint
 * (`limited`, otherwise `default`) and the lanes have room. The cost depends on the number of due deliveries, not of
 * waiting ones.
 */
export async function claimDueDeliveries(
  db: Db,
  limited: readonly { endpointId: string; capacity: number }[],
  capacity: { default: number; quick: number; slow: number },
  hosts: { of: TargetHosts; limits: HostLimits },
): Promise<Claim> {
  const capacities = new Map(limited.map(({ endpointId, capacity }) => [endpointId, capacity]));
  const limit = Math.min(turnLimits.deliveries, capacity.quick);
  const fullEndpointIds = limited.filter(({ capacity }) => capacity <= 0).map(({ endpointId }) => endpointId);
  // Needs a transaction, so that the later statements see everything committed before the first had its locks.
  return db.transaction().execute(async (trx) => {
    const { ready, isAll: areAllReady } = await lockEndpoints(trx, fullEndpointIds, turnLimits.endpoints);
    if (ready.length === 0) return { due: [], isAll: true, heldEndpoints: new Set(), waitMs: null };
    const { rows: found } = await trx.executeQuery(
      selectLimits([ready.map(({ storeId }) => storeId), ready.map(({ endpointId }) => endpointId)]),
    );
    const limits = new Map(found.map((each) => [each.id, each]));
    const hostById = new Map(found.map(({ id, url }) => [id, hosts.of.parseHost(url)]));
    const hostCapacities = await lockHostSlots(
      trx,
      [...hostById.values()].filter((host) => host !== null),
      hosts.limits,
    );
    const shares = shareHostCapacity(
      ready.map(({ endpointId }) => ({
        host: hostById.get(endpointId) ?? null,
        capacity: capacities.get(endpointId) ?? capacity.default,
      })),
      hostCapacities,
    );
    const withRate = ready.filter(({ endpointId }) => limits.get(endpointId)?.maxPerSecond != null);
    const counted = await countRateCalls(trx, withRate);
    const waits: number[] = [];
    const endpoints = applyRates(ready, shares, limits, counted, waits);
    const single = endpoints.filter(({ batch }) => batch === null);
    const due = await claimCalls(trx, single, { limit, slow: capacity.slow > 0 ? slowCapacity : 0 });
    await addBatches(trx, endpoints, { due, waits, limit, slow: capacity.slow });
    const isAll = areAllReady && due.length < limit;
    const madeCalls = listCalls(due);
    await insertHostCalls(
      trx,
      madeCalls.flatMap(({ id, endpointId }) => {
        const host = hostById.get(endpointId);
        return host ? [{ host, deliveryId: id }] : [];
      }),
    );
    const startsUntil = await insertRateCalls(
      trx,
      madeCalls.filter(({ endpointId }) => limits.get(endpointId)?.maxPerSecond != null),
    );
    const heldEndpoints = endpoints.filter(({ wait }) => wait > 0).map(({ endpointId }) => endpointId);
    return {
      due: due.map((delivery) => {
        const until = startsUntil.get(delivery.id);
        return until === undefined ? delivery : { ...delivery, startsUntil: until };
      }),
      isAll,
      heldEndpoints: new Set(heldEndpoints),
      waitMs: waits.length > 0 ? Math.min(...waits) * 1000 : null,
    };
  });
}
