import { claimByStore, deleteBatch, isDistributed, ofStore } from '@waybill/kernel';
import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import type { Tables } from '../tables.ts';

/** The id of an endpoint and of its store. */
export interface EndpointKey {
  storeId: string;
  endpointId: string;
}

/**
 * Returns those of some endpoints whose admins got no mail about them within a day, and records that they get one now.
 */
export async function claimAlerts(
  trx: Transaction<Tables>,
  kind: 'failing' | 'dead',
  endpoints: readonly EndpointKey[],
): Promise<(EndpointKey & { url: string })[]> {
  const column = sql.ref(`told_${kind}_at`);
  // One statement covers all stores on a single server; Citus needs one for each store.
  const groups = isDistributed(trx)
    ? [...Map.groupBy(endpoints, ({ storeId }) => storeId).values()]
    : [endpoints];
  const alerted: (EndpointKey & { url: string })[] = [];
  for (const group of groups) {
    const { rows } = await sql<EndpointKey & { url: string }>`
    with unalerted as (
      select store_id, id
      from unnest(${group.map(({ storeId }) => storeId)}::text[], ${group.map(({ endpointId }) => endpointId)}::text[])
        as failed (store_id, id)
      join webhook_endpoint e using (store_id, id)
      where ${ofStore(isDistributed(trx) ? group[0]!.storeId : null, 'e.store_id')}
        and coalesce(greatest(told_failing_at, told_dead_at) <= now() - interval '1 day', true)
      order by store_id, id for update of e
    )
    update webhook_endpoint e set ${column} = now()
    from unalerted u where e.store_id = u.store_id and e.id = u.id
      and ${ofStore(isDistributed(trx) ? group[0]!.storeId : null, 'e.store_id')}
    returning e.store_id as "storeId", e.id as "endpointId", e.url`.execute(trx);
    alerted.push(...rows);
  }
  return alerted;
}

/** Minimum number of attempts for an alert. */
const minAttempts = 10;

interface Alert extends EndpointKey {
  url: string;
}

/**
 * Returns endpoints whose share of failed attempts exceeds their alert's limit, each at most once a day
 * (`decisions.md 24.4`).
 */
export async function claimFailureRates(
  trx: Transaction<Tables>,
): Promise<(Alert & { percent: number; minutes: number })[]> {
  const selectFailing = (storeId: string | null) => sql`webhook_endpoint e cross join lateral (
      select sum(m.attempts) as attempts, sum(m.failed) as failed from webhook_attempt_minute m
      where m.store_id = e.store_id and m.endpoint_id = e.id and ${ofStore(storeId, 'm.store_id')}
        and m.minute > now() - make_interval(mins => (e.failure_alerts ->> 'minutes')::int)
    ) recent
    where e.failure_alerts is not null and coalesce(e.told_failure_rate_at <= now() - interval '1 day', true)
      and recent.attempts >= ${minAttempts}
      and recent.failed * 100 > recent.attempts * (e.failure_alerts ->> 'percent')::int`;
  return claimByStore<Alert & { percent: number; minutes: number }>(trx, {
    limit: 100,
    stores: (maxStores) => sql`
      select e.store_id as "storeId" from ${selectFailing(null)} order by e.store_id, e.id limit ${maxStores}`,
    async claim(storeId, maxRows) {
      const { rows } = await sql<Alert & { percent: number; minutes: number }>`
        with failing as (
          select e.store_id, e.id from ${selectFailing(storeId)} and ${ofStore(storeId, 'e.store_id')}
          order by e.store_id, e.id limit ${maxRows} for update of e skip locked
        )
        update webhook_endpoint e set told_failure_rate_at = now()
        from failing f where e.store_id = f.store_id and e.id = f.id and ${ofStore(storeId, 'e.store_id')}
        returning e.store_id as "storeId", e.id as "endpointId", e.url,
          (e.failure_alerts ->> 'percent')::int as percent, (e.failure_alerts ->> 'minutes')::int as minutes`.execute(
        trx,
      );
      return rows;
    },
  });
}

/** Returns endpoints that will be disabled in a day if they keep failing, each once. */
export function claimWarnings(trx: Transaction<Tables>): Promise<Alert[]> {
  return claimFailing(trx, {
    where: sql`disable_after_days is not null and status <> 'disabled' and told_disabling_at is null
      and failing_since <= now() - make_interval(days => disable_after_days - 1)`,
    set: sql`told_disabling_at = now()`,
  });
}

/** Disables endpoints whose attempts have failed for the set number of days and still failed after the warning. */
export function disableFailing(trx: Transaction<Tables>): Promise<Alert[]> {
  return claimFailing(trx, {
    where: sql`disable_after_days is not null and status <> 'disabled'
      and told_disabling_at <= now() - interval '1 day' and last_failed_at > told_disabling_at
      and failing_since <= now() - make_interval(days => disable_after_days)`,
    set: sql`status = 'disabled', failures = 0, failing_since = null, told_disabling_at = null, updated_at = now()`,
  });
}

/** Changes and returns up to 100 endpoints that match `where`. */
function claimFailing(
  trx: Transaction<Tables>,
  { where, set }: { where: RawBuilder<unknown>; set: RawBuilder<unknown> },
): Promise<Alert[]> {
  return claimByStore<Alert>(trx, {
    limit: 100,
    stores: (maxStores) => sql`
      select store_id as "storeId" from webhook_endpoint where ${where} order by store_id, id limit ${maxStores}`,
    async claim(storeId, maxRows) {
      const { rows } = await sql<Alert>`
        with failing as (
          select store_id, id from webhook_endpoint where ${where} and ${ofStore(storeId)}
          order by store_id, id limit ${maxRows} for update skip locked
        )
        update webhook_endpoint e set ${set}
        from failing f where e.store_id = f.store_id and e.id = f.id and ${ofStore(storeId, 'e.store_id')}
        returning e.store_id as "storeId", e.id as "endpointId", e.url`.execute(trx);
      return rows;
    },
  });
}

/** Deletes up to `limit` minute counts that no alert needs any more. Returns whether there may be more. */
export const deleteOldMinutes = (db: Kysely<Tables>, limit: number): Promise<boolean> =>
  deleteBatch(db, 'webhook_attempt_minute', sql`minute < now() - interval '25 hours'`, limit);
