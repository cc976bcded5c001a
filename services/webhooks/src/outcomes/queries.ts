import { type DeliveryOutcome, slowMs } from '@waybill/contracts';
import {
  asyncCommit,
  type Columns,
  compileUnprepared,
  eachStore,
  prepare,
  withinStore,
} from '@waybill/kernel';
import type { Transaction } from 'kysely';
import { type AttemptRecord, maxLoggedAttempts } from '../deliveries/attempt-record.ts';
import type { EndpointKey } from '../endpoint-alerts/queries.ts';
import { buildQueueEndpointsSql } from '../schedule/queries.ts';
import type { Tables } from '../tables.ts';

type Trx = Transaction<Tables>;

/** The kind of delivery an attempt belongs to, and the state in which its outcome leaves the delivery. */
export interface AttemptEnd extends Columns<Tables['webhook_delivery'], { isTest: 'is_test' }> {
  replayId: string | null;
  isDead: boolean;
  /** Whether the endpoint's attempts are counted by the minute. */
  hasAlerts: boolean;
}

const settleText = (isDistributed: boolean) =>
  `with outcome as (
     select o.*, now() as at, coalesce(e.status, 'disabled') = 'disabled' or coalesce(u.queued_at <= mark.before, false)
         or coalesce(replay.state = 'cancelled', false) as is_unwanted,
       not o.delivered and not o.is_final -- Of a call without a reply there is no status.
         and not (coalesce(e.stops_on_gone, false) and o.status_code is not distinct from 410)
         and o.attempt <= cardinality(coalesce(e.retry_delays::float8[], $9::float8[])) as may_retry,
       now() + make_interval(secs => greatest((coalesce(e.retry_delays::float8[], $9::float8[]))[o.attempt],
         case when e.honors_retry_after then o.retry_after end)) as retry_at,
       u.replay_id, e.failure_alerts is not null as has_alerts
     from unnest($1::text[], $2::text[], $3::text[], $4::int[], $5::bool[], $6::int[], $7::text[], $8::text[],
         $12::bool[], $13::float8[])
       as o (store_id, endpoint_id, id, attempt, delivered, status_code, error, entry, is_final, retry_after)
     left join webhook_endpoint e on e.store_id = o.store_id and e.id = o.endpoint_id
     left join endpoint_cancellation mark on mark.store_id = o.store_id and mark.endpoint_id = o.endpoint_id
     left join webhook_due u on u.store_id = o.store_id and u.delivery_id = o.id
     left join webhook_replay replay on replay.store_id = u.store_id and replay.id = u.replay_id
   ), settled as (
     update webhook_delivery d set
       attempts = o.attempt,
       attempt_log = jsonb_path_query_array(d.attempt_log || o.entry::jsonb, '$[last - ${maxLoggedAttempts - 1} to last]'),
       -- Cancelled while this attempt was made, it stays so: the schedule holds no row of it any more.
       status = case
         when o.delivered then 'delivered'
         when o.is_unwanted and not d.is_test or d.status = 'cancelled' then 'cancelled'
         when o.may_retry and not d.is_last_attempt then 'retrying'
         else 'dead'
       end,
       next_attempt_at = case
         when o.may_retry and not (o.is_unwanted or d.status = 'cancelled' or d.is_last_attempt)
         then o.retry_at end,
       last_status_code = o.status_code,
       last_error = o.error,
       delivered_at = case when o.delivered then o.at else d.delivered_at end
     from outcome o
     -- An attempt ends once, however often its outcome is reported.
     where d.store_id = o.store_id and d.id = o.id and d.attempts = o.attempt - 1
       -- So that the other partitions are no part of the plan.
       and d.id between $10 and $11
       -- Lost with a crash of the server, the call is made again: at least once.
       and ${isDistributed ? 'true' : asyncCommit}
     returning d.store_id, d.endpoint_id, d.status, d.id, d.next_attempt_at, d.is_test, o.replay_id, o.has_alerts
   ), done as (
     delete from webhook_due u using settled s
     where u.store_id = s.store_id and u.delivery_id = s.id and s.next_attempt_at is null
   ), retried as (
     update webhook_due u set claimable_at = s.next_attempt_at, is_leased = false from settled s
     where u.store_id = s.store_id and u.delivery_id = s.id and s.next_attempt_at is not null
     returning u.store_id, u.endpoint_id, u.claimable_at
   ), queued as (
     ${buildQueueEndpointsSql('retried')}
   )
   select id, is_test as "isTest", replay_id as "replayId", status = 'dead' as "isDead",
     has_alerts as "hasAlerts" from settled`;
type End = AttemptEnd & Columns<Tables['webhook_delivery'], { id: 'id' }>;
const settle = compileUnprepared<End>(settleText(false));
const settleOfStore = compileUnprepared<End>(withinStore('$14', settleText(true)));

/**
 * Records the outcomes of attempts and schedules retries. Returns the deliveries whose attempt was not recorded before.
 */
export async function settleDeliveries(
  trx: Trx,
  outcomes: readonly DeliveryOutcome[],
  retryDelays: readonly number[],
): Promise<ReadonlyMap<string, AttemptEnd>> {
  const rows = await eachStore(trx, outcomes, async (group, store) => {
    const column = <T>(value: (outcome: DeliveryOutcome) => T) => group.map(value);
    const ids = column(({ deliveryId }) => deliveryId).sort();
    const values = [
      column(({ storeId }) => storeId),
      column(({ endpointId }) => endpointId),
      column(({ deliveryId }) => deliveryId),
      column(({ attempt }) => attempt),
      column(({ delivered }) => delivered),
      column(({ statusCode }) => statusCode),
      column(({ error }) => error),
      column((outcome) => JSON.stringify(toAttempt(outcome))),
      retryDelays,
      ids.at(0),
      ids.at(-1),
      column(({ isFinal }) => isFinal ?? false),
      column(({ retryAfterSeconds }) => retryAfterSeconds ?? null),
    ];
    const statement = store === null ? settle(values) : settleOfStore([...values, store]);
    return (await trx.executeQuery(statement)).rows;
  });
  return new Map(rows.map(({ id, ...kind }) => [id, kind]));
}

export function toAttempt({ attempt, statusCode, error, startedAt, reply = null, ...more }: DeliveryOutcome) {
  const { request, batch } = more;
  const durationMs = Math.round(more.durationMs);
  const started = startedAt ?? new Date(Date.now() - durationMs).toISOString();
  return {
    attempt,
    statusCode,
    error,
    durationMs,
    startedAt: started,
    reply,
    ...(request && { request }),
    ...(batch && { batchId: batch.id }),
  } satisfies AttemptRecord;
}

const countByMinute = prepare<object>(
  'webhook-minutes-count',
  `insert into webhook_attempt_minute as m (store_id, endpoint_id, minute, attempts, failed)
   select store_id, endpoint_id, date_trunc('minute', now()), count(*), count(*) filter (where not delivered)
   from unnest($1::text[], $2::text[], $3::bool[]) as o (store_id, endpoint_id, delivered)
   group by store_id, endpoint_id order by store_id, endpoint_id
   on conflict (store_id, endpoint_id, minute) do update
   set attempts = m.attempts + excluded.attempts, failed = m.failed + excluded.failed`,
);

/** Counts attempts of endpoints with alerts by the minute: `decisions.md 24.4`. */
export async function countMinutes(trx: Trx, calls: readonly DeliveryOutcome[]): Promise<void> {
  if (calls.length === 0) return;
  await trx.executeQuery(
    countByMinute([
      calls.map(({ storeId }) => storeId),
      calls.map(({ endpointId }) => endpointId),
      calls.map(({ delivered }) => delivered),
    ]),
  );
}

/**
 * The outcomes of one endpoint in order: whether a call succeeded, how many have failed since, and how long the last
 * one took.
 */
export interface Streak {
  storeId: string;
  endpointId: string;
  succeeded: boolean;
  failures: number;
  lastMs: number;
}

/** Number of failures in a row that make an endpoint `failing`: `store-api.md 6.3`. */
const failingThreshold = 3;

// Rows are locked as they are read, so counts of another replica are either included already or wait for this one.
const countText = (store: string) =>
  `with before as (
     select store_id, id, e.status, now() as at, s.succeeded, s.is_slow,
       case when s.succeeded then 0 else e.failures end + s.failures as failures
     from unnest($1::text[], $2::text[], $3::bool[], $4::int[], $5::bool[]) as s (store_id, id, succeeded, failures, is_slow)
     join webhook_endpoint e using (store_id, id)
     where (s.failures > 0 or e.failures > 0 or e.status = 'failing' or e.failing_since is not null
       or e.is_slow <> s.is_slow) ${store}
     order by store_id, id for update of e
   )
   update webhook_endpoint e set failures = before.failures, is_slow = before.is_slow,
     failing_since = case when before.failures = 0 then null when before.succeeded then before.at
       else coalesce(e.failing_since, before.at) end,
     last_failed_at = case when before.failures > 0 then before.at else e.last_failed_at end,
     told_disabling_at = case when before.succeeded then null else e.told_disabling_at end,
     status = case
     when e.status = 'disabled' then e.status
     when before.failures >= ${failingThreshold} then 'failing'
     when before.succeeded then 'active'
     else e.status
   end
   from before where e.store_id = before.store_id and e.id = before.id
   returning e.store_id as "storeId", e.id as "endpointId", e.status = 'failing' and before.status <> 'failing' as "turnedFailing"`;
type Counted = EndpointKey & { turnedFailing: boolean };
const count = prepare<Counted>('webhook-endpoint-count', countText(''));
const countOfStore = prepare<Counted>(
  'webhook-endpoint-count-of-store',
  withinStore('$6', countText('and e.store_id = $6')),
);

/**
 * Counts consecutive failures by endpoint, sets or clears the label `failing`, and records which endpoints are slow.
 * Returns those that have turned `failing`.
 */
export async function countStreaks(trx: Trx, streaks: readonly Streak[]): Promise<EndpointKey[]> {
  const rows = await eachStore(trx, streaks, async (group, store) => {
    const values = [
      group.map(({ storeId }) => storeId),
      group.map(({ endpointId }) => endpointId),
      group.map(({ succeeded }) => succeeded),
      group.map(({ failures }) => failures),
      group.map(({ lastMs }) => lastMs > slowMs),
    ];
    return (await trx.executeQuery(store === null ? count(values) : countOfStore([...values, store]))).rows;
  });
  return rows.filter(({ turnedFailing }) => turnedFailing);
}
