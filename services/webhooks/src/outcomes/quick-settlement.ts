import type { DeliveryOutcome } from '@waybill/contracts';
import { slowMs } from '@waybill/contracts';
import { asyncCommit, prepare } from '@waybill/kernel';
import type { Kysely } from 'kysely';
import { maxLoggedAttempts } from '../deliveries/attempt-record.ts';
import { findDurationStep } from '../stats/steps.ts';
import type { Tables } from '../tables.ts';
import { toAttempt } from './queries.ts';

/** A successful delivery as it was recorded. */
export interface SettledDelivery {
  id: string;
  replayId: string | null;
}

// Planned once for each connection, perhaps while its tables are empty and every index costs the same. So the statement
// is written such that only one index offers the requested order: it finds each row once for each outcome (a limit
// keeps that subquery whole), locks it, and writes it in place.
const settle = prepare<SettledDelivery>(
  'webhook-settle-delivered',
  `with outcome as materialized (
     select o.*, d.row_ctid, d.partition, u.row_ctid as due_ctid, u.replay_id
     from unnest($1::text[], $2::text[], $3::text[], $4::int[], $5::int[], $6::text[], $7::bool[], $8::int[])
       with ordinality as o (store_id, endpoint_id, id, attempt, status_code, entry, is_slow, step, ordinal)
     cross join lateral (
       select from webhook_endpoint e
       where e.store_id = o.store_id and e.id = o.endpoint_id and e.failures = 0 and e.status <> 'failing'
         and e.failing_since is null and e.is_slow = o.is_slow and e.failure_alerts is null
       limit 1
     ) e
     cross join lateral (
       -- An attempt ends once, however often its outcome is reported.
       select d.ctid as row_ctid, d.tableoid as partition from webhook_delivery d
       where d.store_id = o.store_id and d.id between o.id and o.id and d.attempts = o.attempt - 1
         and d.id between $10 and $11
       order by d.id limit 1 for update
     ) d
     left join lateral (
       select u.ctid as row_ctid, u.replay_id from webhook_due u
       where u.store_id = o.store_id and u.delivery_id between o.id and o.id
       order by u.delivery_id limit 1 for update
     ) u on true
     where o.ordinal between 1 and $9
       and (select true from erased_subject s where s.store_id = o.store_id limit 1) is null
   ), settled as (
     update webhook_delivery d set
       attempts = o.attempt,
       attempt_log = case when jsonb_array_length(d.attempt_log) < ${maxLoggedAttempts} then d.attempt_log || o.entry::jsonb
         else jsonb_path_query_array(d.attempt_log || o.entry::jsonb, '$[last - ${maxLoggedAttempts - 1} to last]') end,
       status = 'delivered', next_attempt_at = null, last_status_code = o.status_code, last_error = '', delivered_at = now()
     from outcome o
     where d.ctid = o.row_ctid and d.tableoid = o.partition and d.store_id = o.store_id and d.id = o.id
       and d.id between $10 and $11
       -- Lost with a crash of the server, the call is made again: at least once.
       and ${asyncCommit}
     returning d.store_id, d.endpoint_id, d.id, o.replay_id, o.step, o.due_ctid
   ), done as (
     delete from webhook_due u using settled s
     where u.ctid = s.due_ctid and u.store_id = s.store_id and u.delivery_id = s.id
   ), counted as (
     insert into webhook_attempt_count as c (store_id, endpoint_id, hour, delivered, step, attempts)
     select store_id, endpoint_id, date_trunc('hour', now(), 'UTC'), true, step, count(*)
     from settled group by store_id, endpoint_id, step
     -- Always in this order: two replicas of the service wait for each other, not both for both.
     order by store_id, endpoint_id, step
     on conflict (store_id, endpoint_id, hour, delivered, step) do update set attempts = c.attempts + excluded.attempts
   ), freed as (
     update host_call set until = now() where delivery_id = any($12::text[]) and until > now()
   )
   select id, replay_id as "replayId" from settled`,
);

/** Whether a call needs only to be recorded, without further effects. */
const isPlain = ({ delivered, isOrdered, isNotStarted, batch, startedBy }: DeliveryOutcome): boolean =>
  delivered && !isOrdered && !isNotStarted && !batch && startedBy === undefined;

/**
 * Returns the outcomes that need only to be recorded: those of endpoints whose calls all succeeded, and were either all
 * quick or all slow. With failures in between, their order decides the state of the endpoint.
 */
export function plainOutcomes(outcomes: readonly DeliveryOutcome[]): DeliveryOutcome[] {
  const excluded = new Set<string>();
  const slownessByEndpoint = new Map<string, boolean>();
  for (const outcome of outcomes) {
    const { endpointId, durationMs } = outcome;
    const isSlow = durationMs > slowMs;
    if (!isPlain(outcome) || (slownessByEndpoint.get(endpointId) ?? isSlow) !== isSlow)
      excluded.add(endpointId);
    slownessByEndpoint.set(endpointId, isSlow);
  }
  return outcomes.filter(({ endpointId }) => !excluded.has(endpointId));
}

/**
 * Records successful calls with one statement that is its own transaction. It covers only endpoints whose own row stays
 * unchanged. Returns the recorded deliveries; all others are left to `settleDeliveries`.
 */
export async function settleDelivered(
  db: Kysely<Tables>,
  outcomes: readonly DeliveryOutcome[],
): Promise<SettledDelivery[]> {
  // Sort the rows, because two replicas that lock the same rows in different orders would deadlock.
  const plain = plainOutcomes(outcomes).sort((a, b) => (a.deliveryId < b.deliveryId ? -1 : 1));
  if (plain.length === 0) return [];
  const column = <T>(value: (outcome: DeliveryOutcome) => T) => plain.map(value);
  const ids = column(({ deliveryId }) => deliveryId);
  const { rows } = await db.executeQuery(
    settle([
      column(({ storeId }) => storeId),
      column(({ endpointId }) => endpointId),
      ids,
      column(({ attempt }) => attempt),
      column(({ statusCode }) => statusCode),
      column((outcome) => JSON.stringify(toAttempt(outcome))),
      column(({ durationMs }) => durationMs > slowMs),
      column(({ durationMs }) => findDurationStep(durationMs)),
      plain.length,
      ids.at(0),
      ids.at(-1),
      ids,
    ]),
  );
  return rows;
}
