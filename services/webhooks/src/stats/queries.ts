import type { DeliveryOutcome } from '@waybill/contracts';
import { deleteBatch, prepare } from '@waybill/kernel';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Tables } from '../tables.ts';
import { findDurationStep } from './steps.ts';

type Db = Kysely<Tables>;

const addAttempts = prepare(
  'webhook-attempt-count',
  `insert into webhook_attempt_count as c (store_id, endpoint_id, hour, delivered, step, attempts)
  select store_id, endpoint_id, date_trunc('hour', now(), 'UTC'), delivered, step, count(*)
  from unnest($1::text[], $2::text[], $3::bool[], $4::int[]) as i (store_id, endpoint_id, delivered, step)
  group by store_id, endpoint_id, delivered, step
  -- Always in this order: two replicas of the service wait for each other, not both for both.
  order by store_id, endpoint_id, delivered, step
  on conflict (store_id, endpoint_id, hour, delivered, step) do update set attempts = c.attempts + excluded.attempts`,
);

/** Counts attempts that have just ended. */
export async function countAttempts(
  trx: Transaction<Tables>,
  ended: readonly DeliveryOutcome[],
): Promise<void> {
  if (ended.length === 0) return;
  await trx.executeQuery(
    addAttempts([
      ended.map(({ storeId }) => storeId),
      ended.map(({ endpointId }) => endpointId),
      ended.map(({ delivered }) => delivered),
      ended.map(({ durationMs }) => findDurationStep(durationMs)),
    ]),
  );
}

const since = (hours: number) => sql`date_trunc('hour', now(), 'UTC') - make_interval(hours => ${hours - 1})`;

/**
 * Counts how the attempts of an endpoint ended in the current hour and those before it. Returns every hour, oldest
 * first.
 */
export async function listHours(db: Db, storeId: string, endpointId: string, hours: number) {
  const { rows } = await sql<{ start: Date; delivered: number; failed: number }>`
    with counted as (
      select hour, sum(attempts) filter (where delivered) as delivered,
        sum(attempts) filter (where not delivered) as failed
      from webhook_attempt_count
      where store_id = ${storeId} and endpoint_id = ${endpointId} and hour >= ${since(hours)}
      group by hour
    )
    select hour as start, coalesce(delivered, 0)::int as delivered, coalesce(failed, 0)::int as failed
    from generate_series(${since(hours)}, now(), interval '1 hour') as series (hour)
    left join counted using (hour) order by hour`.execute(db);
  return rows;
}

/** Counts the attempts by step of duration. */
export async function listSteps(db: Db, storeId: string, endpointId: string, hours: number) {
  const { rows } = await sql<{ step: number; attempts: number }>`
    select step, sum(attempts)::int as attempts from webhook_attempt_count
    where store_id = ${storeId} and endpoint_id = ${endpointId} and hour >= ${since(hours)}
    group by step order by step`.execute(db);
  return rows;
}

/** Counts the unsettled deliveries of an endpoint, each of which has one row. */
export async function countPending(db: Db, storeId: string, endpointId: string): Promise<number> {
  const { pending } = await db
    .selectFrom('webhook_due')
    .select((eb) => eb.fn.countAll<number>().as('pending'))
    .where('store_id', '=', storeId)
    .where('endpoint_id', '=', endpointId)
    .executeTakeFirstOrThrow();
  return pending;
}

/** Deletes up to `limit` counts more than `days` days old. Returns whether there may be more. */
export const deleteOldCounts = (db: Db, days: number, limit: number): Promise<boolean> =>
  deleteBatch(db, 'webhook_attempt_count', sql`hour < now() - make_interval(days => ${days})`, limit);
