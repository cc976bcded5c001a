import { claimByStore, ofStore } from '@waybill/kernel';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;

/**
 * Marks the waiting calls of endpoints for cancellation; a task cancels them in steps. Used for endpoints that are
 * disabled or deleted, also when this is noticed only at a hand-over.
 */
export async function markWaitingCalls(
  db: Db,
  endpoints: readonly { storeId: string; endpointId: string }[],
): Promise<void> {
  await sql`
    insert into endpoint_cancellation as c (store_id, endpoint_id, before)
    select distinct store_id, endpoint_id, clock_timestamp()
    from unnest(${endpoints.map(({ storeId }) => storeId)}::text[],
      ${endpoints.map(({ endpointId }) => endpointId)}::text[]) as i (store_id, endpoint_id)
    order by store_id, endpoint_id
    on conflict (store_id, endpoint_id) do update set before = greatest(c.before, excluded.before)`.execute(
    db,
  );
}

/** Marks the calls of an app's endpoints that have waited since before that moment for cancellation. */
export async function markWaitingCallsOfApp(
  db: Db,
  { storeId, appId, before }: { storeId: string; appId: string; before: string },
): Promise<void> {
  await sql`
    insert into endpoint_cancellation as c (store_id, endpoint_id, before)
    select store_id, id, ${before}::timestamptz from webhook_endpoint
    where store_id = ${storeId} and app_id = ${appId} order by id
    on conflict (store_id, endpoint_id) do update set before = greatest(c.before, excluded.before)`.execute(
    db,
  );
}

/**
 * Key of the advisory lock held while an endpoint's calls are cancelled. Locking the row of the mark instead would
 * block requests.
 */
const cancellationLockKey = 0x77620003;

/**
 * Cancels up to `limit` marked calls of one endpoint. Returns whether there may be more; false when others hold all the
 * rest, because asking again would be useless.
 */
export async function cancelMarkedCalls(db: Db, limit: number): Promise<boolean> {
  const cancelled = await claimByStore<{ isMore: boolean }>(db, {
    limit: storesPerStep,
    stores: (maxStores) => sql`select store_id as "storeId" from endpoint_cancellation limit ${maxStores}`,
    claim: (storeId) => cancelMarkedOfStore(db, storeId, limit),
  });
  return cancelled.some(({ isMore }) => isMore);
}

/** Number of stores in which a step cancels calls on Citus. */
const storesPerStep = 20;

/** Cancels marked calls of one store, or of any store when `storeId` is null. */
async function cancelMarkedOfStore(
  db: Db,
  storeId: string | null,
  limit: number,
): Promise<{ isMore: boolean }[]> {
  const { rows } = await sql<{ isMore: boolean }>`
    with mark as (
      select * from endpoint_cancellation
      where pg_try_advisory_xact_lock(hashtextextended(endpoint_id, ${cancellationLockKey})) and ${ofStore(storeId)} limit 1
    ), marked as (
      select u.store_id, u.delivery_id from mark join webhook_due u using (store_id, endpoint_id)
      where u.queued_at <= mark.before and ${ofStore(storeId, 'u.store_id')} limit ${limit} for update of u skip locked
    ), due as (
      delete from webhook_due u using marked m
      where u.store_id = m.store_id and u.delivery_id = m.delivery_id and ${ofStore(storeId, 'u.store_id')}
      returning u.store_id, u.delivery_id
    ), cancelled as (
      update webhook_delivery d set status = 'cancelled', next_attempt_at = null
      from due where d.store_id = due.store_id and d.id = due.delivery_id and ${ofStore(storeId, 'd.store_id')}
    ), done as (
      -- Rows that others have locked at this moment are left for the next step.
      delete from endpoint_cancellation c using mark
      where c.store_id = mark.store_id and c.endpoint_id = mark.endpoint_id and c.before = mark.before
        and ${ofStore(storeId, 'c.store_id')} and (select count(*) from due) = (
        select count(*) from (
          select 1 from webhook_due u where u.store_id = mark.store_id and u.endpoint_id = mark.endpoint_id
            and u.queued_at <= mark.before and ${ofStore(storeId, 'u.store_id')} limit ${limit + 1}
        ) waiting
      )
      returning c.endpoint_id
    )
    select exists (select 1 from due) or exists (select 1 from done) as "isMore"`.execute(db);
  return rows;
}
