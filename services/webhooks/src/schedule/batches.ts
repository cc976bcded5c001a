import { newId } from '@waybill/contracts';
import {
  asyncCommit,
  compileUnprepared,
  deleteBatch,
  isDistributed,
  prepare,
  withinStore,
} from '@waybill/kernel';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Batch } from '../endpoints/settings.ts';
import { leaseSeconds } from '../lease.ts';
import type { Tables } from '../tables.ts';
import { callColumns, callJoins, type DueDelivery } from './queries.ts';

type Trx = Transaction<Tables>;

/** Maximum size of a batch, in bytes of its bodies; a single event always fits. */
const maxBytes = 4 * 1024 * 1024;

/** An endpoint that gets batches, and the number of batches that it has room for. */
export interface BatchEndpoint {
  storeId: string;
  endpointId: string;
  batch: Batch;
  capacity: number;
  /** Seconds until the endpoint's rate lets another call start. */
  wait: number;
}

interface OpenCall {
  id: string;
  attempts: number;
  bytes: number;
  isOld: boolean;
}

const selectDueBatches = compileUnprepared<{ id: string }>(
  `select distinct batch_id as id from webhook_due
   where store_id = $1 and endpoint_id = $2 and batch_id is not null and claimable_at <= now() limit $3`,
);
const selectOpenCalls = compileUnprepared<OpenCall>(
  withinStore(
    '$1',
    `select d.delivery_id as id, w.attempts, coalesce(octet_length(v.body), 0) as bytes,
     d.queued_at + make_interval(secs => $3) <= now() as "isOld"
   from (
     select store_id, delivery_id, queued_at, claimable_at from webhook_due
     where store_id = $1 and endpoint_id = $2 and batch_id is null and claimable_at <= now()
     order by claimable_at, delivery_id limit $4 for update skip locked
   ) d
   join webhook_delivery w on w.store_id = d.store_id and w.id = d.delivery_id
   left join webhook_event v on v.store_id = w.store_id and v.id = w.event_id
   order by d.claimable_at, d.delivery_id`,
  ),
);
const claimText = (isDistributed: boolean) =>
  withinStore(
    '$1',
    `with members as (
     select d.store_id, d.delivery_id, coalesce(i.batch_id, d.batch_id) as batch_id
     from webhook_due d left join unnest($2::text[], $3::text[]) as i (delivery_id, batch_id) using (delivery_id)
     where d.store_id = $1 and d.endpoint_id = $5 and (i.batch_id is not null or d.batch_id = any($4::text[]))
       and d.claimable_at <= now()
     order by d.delivery_id for update of d skip locked
   ), claimed as (
     update webhook_due d set claimable_at = now() + interval '${leaseSeconds} seconds', is_leased = true,
       batch_id = m.batch_id
     from members m where d.store_id = m.store_id and d.delivery_id = m.delivery_id
       and ${isDistributed ? 'true' : asyncCommit}
     returning d.store_id, d.delivery_id, d.queued_at, d.claimable_at, d.resource, d.batch_id
   )
   select ${callColumns}, false as "isMoreDue" from claimed c ${callJoins} order by d.id`,
  );
const claim = compileUnprepared<DueDelivery>(claimText(false));
const claimDistributed = compileUnprepared<DueDelivery>(claimText(true));
// Calls of a batch that is not full wait until its time is over. A new call has the endpoint looked at earlier.
const requeueEndpoint = prepare<object>(
  'webhook-batches-requeue',
  `with next as (
     select greatest(now() + make_interval(secs => $3), case when $5 then now() else (
       select min(case when d.batch_id is null and not d.is_leased then greatest(d.claimable_at, d.queued_at + make_interval(secs => $4))
         else d.claimable_at end)
       from (
         select * from webhook_due where store_id = $1 and endpoint_id = $2 order by claimable_at limit 500
       ) d
     ) end) as at
   )
   update endpoint_queue q set next_at = next.at from next where q.store_id = $1 and q.endpoint_id = $2`,
);
const dequeueEndpoint = prepare<object>(
  'webhook-batches-dequeue',
  `delete from endpoint_queue q where q.store_id = $1 and q.endpoint_id = $2 and not exists (
     select from webhook_due d where d.store_id = $1 and d.endpoint_id = $2
   )`,
);
const insertBatches = prepare<object>(
  'webhook-batches-store',
  `insert into webhook_batch as b (store_id, id, endpoint_id, event_ids)
   select store_id, id, endpoint_id, string_to_array(event_ids, ',')
   from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as i (store_id, id, endpoint_id, event_ids)
   on conflict (store_id, id) do update set event_ids = excluded.event_ids`,
);

/**
 * Leases the due batches of an endpoint: retried ones with their former members, and new ones that are full or have
 * waited long enough. Requires the lock of the endpoint's row of the queue (`decisions.md 24.1`).
 */
export async function claimBatches(
  trx: Trx,
  { storeId, endpointId, batch, capacity, wait }: BatchEndpoint,
): Promise<{ due: DueDelivery[]; isMore: boolean }> {
  const { maxEvents, maxSeconds } = batch;
  const { rows: retries } =
    capacity > 0 ? await trx.executeQuery(selectDueBatches([storeId, endpointId, capacity])) : { rows: [] };
  const remaining = capacity - retries.length;
  const limit = Math.max(1, remaining) * maxEvents;
  const { rows: calls } = await trx.executeQuery(selectOpenCalls([storeId, endpointId, maxSeconds, limit]));
  const batches = remaining > 0 ? groupIntoBatches(calls, maxEvents).slice(0, remaining) : [];
  const members = batches.flatMap((ids) => {
    const batchId = newId('webhookBatch');
    return ids.map((id) => ({ id, batchId }));
  });
  const { rows } =
    members.length + retries.length === 0
      ? { rows: [] }
      : await trx.executeQuery(
          (isDistributed(trx) ? claimDistributed : claim)([
            storeId,
            members.map(({ id }) => id),
            members.map(({ batchId }) => batchId),
            retries.map(({ id }) => id),
            endpointId,
          ]),
        );
  const unbatched = calls.filter(({ id }) => !members.some((member) => member.id === id));
  const isMore = calls.length === limit || groupIntoBatches(unbatched, maxEvents).length > 0;
  await trx.executeQuery(requeueEndpoint([storeId, endpointId, wait, maxSeconds, isMore]));
  await trx.executeQuery(dequeueEndpoint([storeId, endpointId]));
  const events = Map.groupBy(rows, ({ batchId }) => batchId!);
  if (events.size > 0) {
    await trx.executeQuery(
      insertBatches([
        [...events].map(() => storeId),
        [...events.keys()],
        [...events].map(() => endpointId),
        [...events.values()].map((each) => each.map(({ eventId }) => eventId).join()),
      ]),
    );
  }
  return { due: rows, isMore };
}

/** Returns the batches that can go now, oldest first. A retry from before batches existed goes alone. */
function groupIntoBatches(calls: readonly OpenCall[], maxEvents: number): string[][] {
  const singles = calls.filter(({ attempts }) => attempts > 0).map(({ id }) => [id]);
  const batches: OpenCall[][] = [];
  let bytes = 0;
  for (const call of calls.filter(({ attempts }) => attempts === 0)) {
    const last = batches.at(-1);
    if (last && last.length < maxEvents && bytes + call.bytes <= maxBytes) {
      last.push(call);
      bytes += call.bytes;
    } else {
      batches.push([call]);
      bytes = call.bytes;
    }
  }
  const ready = batches.filter(
    (batch, i) => i < batches.length - 1 || batch.length >= maxEvents || batch[0]!.isOld,
  );
  return [...singles, ...ready.map((batch) => batch.map(({ id }) => id))];
}

/** Deletes up to `limit` batches created more than `days` days ago. Returns whether there may be more. */
export const deleteOldBatches = (db: Kysely<Tables>, days: number, limit: number): Promise<boolean> =>
  deleteBatch(db, 'webhook_batch', sql`created_at < now() - make_interval(days => ${days})`, limit);
