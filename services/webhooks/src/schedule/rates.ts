import type { DeliveryOutcome } from '@waybill/contracts';
import { deleteBatch, eachStore, prepare, withinStore } from '@waybill/kernel';
import { type Kysely, sql, type Transaction } from 'kysely';
import { epochMs } from '../lease.ts';
import type { Tables } from '../tables.ts';
import type { EndpointId } from './queries.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

/** A handed-over call starts within this time, or not at all. */
const startSeconds = 1;
/** How long a call counts after its start: one second, plus the delay between start and arrival. */
const countedSeconds = 1.05;

// Dispatchers of all replicas, and checks, take this lock while they count calls in order to add some.
const lockRates = prepare<object>(
  'webhook-rates-lock',
  `select pg_advisory_xact_lock(hashtextextended('rate ' || id, 0))
   from (select id from unnest($1::text[]) as e (id) order by id) sorted`,
);
// Outcomes lock rows of `endpoint_call` and then want rows of the queue, which the sweeping transaction holds. The
// sweep therefore skips locked rows.
const deleteOldCallsText = (store: string) =>
  `with old as (
     select c.store_id, c.endpoint_id, c.delivery_id, c.counts_until
     from unnest($1::text[], $2::text[]) as i (store_id, endpoint_id)
     join endpoint_call c on c.store_id = i.store_id and c.endpoint_id = i.endpoint_id
     where c.counts_until <= statement_timestamp() ${store} for update of c skip locked
   )
   delete from endpoint_call c using old
   where c.store_id = old.store_id and c.endpoint_id = old.endpoint_id and c.delivery_id = old.delivery_id
     and c.counts_until = old.counts_until`;
const deleteOldCalls = prepare<object>('webhook-rates-sweep', deleteOldCallsText(''));
const deleteOldCallsOfStore = prepare<object>(
  'webhook-rates-sweep-of-store',
  withinStore('$3', deleteOldCallsText('and c.store_id = $3')),
);
const countCallsOfEndpoints = prepare<EndpointId & { calls: number; waitSeconds: number }>(
  'webhook-rates-count',
  `select c.store_id as "storeId", c.endpoint_id as "endpointId", count(*)::int as calls,
     extract(epoch from min(c.counts_until) - clock_timestamp())::float8 as "waitSeconds"
   from unnest($1::text[], $2::text[]) as i (store_id, endpoint_id)
   join endpoint_call c on c.store_id = i.store_id and c.endpoint_id = i.endpoint_id
     and c.counts_until > clock_timestamp()
   group by c.store_id, c.endpoint_id`,
);
const insertCallsOfEndpoints = prepare<{ id: string; startsUntil: number }>(
  'webhook-rates-insert',
  `insert into endpoint_call (store_id, endpoint_id, delivery_id, counts_until)
   select store_id, endpoint_id, delivery_id,
     clock_timestamp() + interval '${startSeconds + countedSeconds} seconds'
   from unnest($1::text[], $2::text[], $3::text[]) as c (store_id, endpoint_id, delivery_id)
   returning delivery_id as id, ${epochMs(`counts_until - interval '${countedSeconds} seconds'`)} as "startsUntil"`,
);

/**
 * Returns, by endpoint, how many calls count for its rate now, and how long the next of them keeps counting. Keeps
 * others from adding any until the transaction ends.
 */
export async function countRateCalls(
  trx: Trx,
  endpoints: readonly EndpointId[],
): Promise<ReadonlyMap<string, { calls: number; waitSeconds: number }>> {
  if (endpoints.length === 0) return new Map();
  const listKeys = (endpointIds: readonly EndpointId[]) => [
    endpointIds.map(({ storeId }) => storeId),
    endpointIds.map(({ endpointId }) => endpointId),
  ];
  await trx.executeQuery(lockRates([endpoints.map(({ endpointId }) => endpointId)]));
  await eachStore(trx, endpoints, async (group, storeId) => {
    const keys = listKeys(group);
    const { rows } = await trx.executeQuery(
      storeId === null ? deleteOldCalls(keys) : deleteOldCallsOfStore([...keys, storeId]),
    );
    return rows;
  });
  const { rows } = await trx.executeQuery(countCallsOfEndpoints(listKeys(endpoints)));
  return new Map(rows.map(({ endpointId, ...rate }) => [endpointId, rate]));
}

/**
 * Counts calls for the rates of their endpoints. Returns the latest time at which each may start, by the database's
 * clock.
 */
export async function insertRateCalls(
  trx: Trx,
  calls: readonly (EndpointId & { id: string })[],
): Promise<ReadonlyMap<string, number>> {
  if (calls.length === 0) return new Map();
  const { rows } = await trx.executeQuery(
    insertCallsOfEndpoints([
      calls.map(({ storeId }) => storeId),
      calls.map(({ endpointId }) => endpointId),
      calls.map(({ id }) => id),
    ]),
  );
  return new Map(rows.map(({ id, startsUntil }) => [id, startsUntil]));
}

const recordStartsText = `with started as (
     update endpoint_call c set counts_until = i.counts_until
     from (
       select store_id, endpoint_id, delivery_id,
         (to_timestamp(started_by / 1000 + ${countedSeconds})) as counts_until
       from unnest($1::text[], $2::text[], $3::text[], $4::float8[])
         as o (store_id, endpoint_id, delivery_id, started_by)
     ) i
     where c.store_id = i.store_id and c.endpoint_id = i.endpoint_id and c.delivery_id = i.delivery_id
       and c.counts_until > i.counts_until
     returning c.store_id, c.endpoint_id, c.counts_until
   ), moved as (
     update endpoint_queue q set next_at = s.next_at
     from (select store_id, endpoint_id, min(counts_until) as next_at from started group by store_id, endpoint_id) s
     where q.store_id = s.store_id and q.endpoint_id = s.endpoint_id and q.next_at > s.next_at
   )
   select extract(epoch from min(counts_until) - clock_timestamp())::float8 * 1000 as "waitMs" from started`;
const recordStartsOfCalls = prepare<{ waitMs: number | null }>('webhook-rates-started', recordStartsText);
const recordStartsOfStore = prepare<{ waitMs: number | null }>(
  'webhook-rates-started-of-store',
  withinStore('$5', recordStartsText),
);

/**
 * Counts calls from their actual start, once it is known, instead of the latest possible one. Returns the milliseconds
 * until the first of them stops counting; null when none has a rate.
 */
export async function recordStarts(trx: Trx, outcomes: readonly DeliveryOutcome[]): Promise<number | null> {
  const started = outcomes.filter(({ startedBy }) => startedBy !== undefined);
  if (started.length === 0) return null;
  const rows = await eachStore(trx, started, async (group, storeId) => {
    const values = [
      group.map((each) => each.storeId),
      group.map(({ endpointId }) => endpointId),
      group.map(({ deliveryId }) => deliveryId),
      group.map(({ startedBy }) => startedBy!),
    ];
    const statement =
      storeId === null ? recordStartsOfCalls(values) : recordStartsOfStore([...values, storeId]);
    return (await trx.executeQuery(statement)).rows;
  });
  const waits = rows.flatMap(({ waitMs }) => (waitMs === null ? [] : [waitMs]));
  return waits.length > 0 ? Math.min(...waits) : null;
}

/**
 * Deletes up to `limit` calls that no longer count, of endpoints that are no longer called. Returns whether there may
 * be more.
 */
export const deleteOldRateCalls = (db: Db, limit: number): Promise<boolean> =>
  deleteBatch(db, 'endpoint_call', sql`counts_until < now() - interval '1 minute'`, limit);
