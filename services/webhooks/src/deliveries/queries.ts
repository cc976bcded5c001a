import type { CallType } from '@waybill/contracts';
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import { buildQueueEndpointsSql } from '../schedule/queries.ts';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;

type Trx = Transaction<Tables>;

export type DeliveryRow = Selectable<Tables['webhook_delivery']>;

const shown = [
  'id',
  'endpoint_id',
  'event_id',
  'event_type',
  'status',
  'attempts',
  'is_test',
  'next_attempt_at',
  'last_status_code',
  'last_error',
  'created_at',
  'delivered_at',
] as const;

export type ShownDelivery = Pick<DeliveryRow, (typeof shown)[number]>;

/**
 * Counts new deliveries in the statement that inserts them. `rows` is a table of that statement that names the
 * partition of each. Must come after `buildQueueEndpointsSql`, so that two statements that count for the same endpoints
 * do not deadlock.
 */
export const insertDeliveryCounts = (rows: string) =>
  `insert into webhook_delivery_count as c (store_id, endpoint_id, partition, deliveries)
   select store_id, endpoint_id, partition, count(*) from ${rows} where partition <> '${uncounted}'
   group by store_id, endpoint_id, partition order by store_id, endpoint_id
   on conflict (store_id, endpoint_id, partition) do update set deliveries = c.deliveries + excluded.deliveries`;

/**
 * Selects the partition of a row that was just inserted. On Citus, the shard's number at the end of the table name is
 * cut off.
 */
export const partitionOfRow = (isDistributed: boolean): string =>
  isDistributed
    ? `regexp_replace(tableoid::regclass::text, '_\\d+$', '') as partition`
    : 'tableoid::regclass::text as partition';
const uncounted = 'webhook_delivery_default';

/** Deletes the counts of partitions that no longer exist. */
export async function deleteOrphanedCounts(db: Db): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select inhrelid::regclass::text as name from pg_inherits where inhparent = 'webhook_delivery'::regclass`.execute(
    db,
  );
  const names = rows.map(({ name }) => name);
  await sql`delete from webhook_delivery_count where partition <> all(${names}::text[])`.execute(db);
}

/** Selects deliveries of an endpoint for a list; an absent field does not restrict it. */
export interface DeliveryFilter {
  status?: DeliveryRow['status'] | undefined;
  eventType?: CallType | undefined;
  eventId?: string | undefined;
}

/** Maximum number of unsettled deliveries of an endpoint that are examined one by one. */
const maxExaminedUnsettled = 2_000;

/** Returns deliveries of an endpoint, newest first, starting after `after`, and the total number of matches. */
export async function listDeliveries(
  db: Db,
  storeId: string,
  endpointId: string,
  filter: DeliveryFilter,
  { limit, after }: { limit: number; after: string | null },
) {
  const { status, eventType, eventId } = filter;
  // An event has few deliveries whatever their status, so a filter by event needs no other index.
  const unsettled =
    eventId === undefined && (status === 'pending' || status === 'retrying')
      ? await findUnsettled(db, storeId, endpointId, maxExaminedUnsettled + 1)
      : [];
  const areUnsettledFew = unsettled.length > 0 && unsettled.length <= maxExaminedUnsettled;
  const all = db
    .selectFrom('webhook_delivery as d')
    .where('d.store_id', '=', storeId)
    .where('d.endpoint_id', '=', endpointId)
    .$if(status !== undefined, (query) => query.where('d.status', '=', status!))
    .$if(eventType !== undefined, (query) => query.where('d.event_type', '=', eventType!))
    .$if(eventId !== undefined, (query) => query.where('d.event_id', '=', eventId!))
    .$if(areUnsettledFew, (query) => query.where('d.id', '=', sql<string>`any(${unsettled})`));
  const isUnsuccessfulStatus = eventId === undefined && (status === 'dead' || status === 'cancelled');
  // Ids sort by time, and an index has that order.
  const rows = isUnsuccessfulStatus
    ? await selectUnsuccessful(db, storeId, endpointId, status, eventType)
        .select(shownColumns)
        .$if(after !== null, (page) => page.where('u.delivery_id', '<', after))
        .orderBy('u.delivery_id', 'desc')
        .limit(limit)
        .execute()
    : await all
        .select(shownColumns)
        .$if(after !== null, (page) => page.where('d.id', '<', after))
        .orderBy('d.id', 'desc')
        .limit(limit)
        .execute();
  if (!eventType && !eventId && (!status || status === 'delivered' || isUnsuccessfulStatus))
    return { rows, total: await countDeliveries(db, storeId, endpointId, status ?? null) };
  const counted = isUnsuccessfulStatus ? selectUnsuccessful(db, storeId, endpointId, status, eventType) : all;
  const { total } = await counted
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return { rows, total };
}

const shownColumns = shown.map((name) => `d.${name}` as const);

/** Selects deliveries `d` that ended without success, through the rows `u` that the trigger `delivery_ended` writes. */
const selectUnsuccessful = (
  db: Db,
  storeId: string,
  endpointId: string,
  status: 'dead' | 'cancelled',
  eventType: CallType | undefined,
) =>
  db
    .selectFrom('webhook_unsuccessful as u')
    .innerJoin('webhook_delivery as d', (join) =>
      join.onRef('d.store_id', '=', 'u.store_id').onRef('d.id', '=', 'u.delivery_id'),
    )
    .where('u.store_id', '=', storeId)
    .where('u.endpoint_id', '=', endpointId)
    .where('u.status', '=', status)
    .$if(eventType !== undefined, (query) => query.where('d.event_type', '=', eventType!));

/** Returns the ids of up to `limit` unsettled deliveries of an endpoint. */
async function findUnsettled(db: Db, storeId: string, endpointId: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('webhook_due')
    .select('delivery_id')
    .where('store_id', '=', storeId)
    .where('endpoint_id', '=', endpointId)
    .limit(limit)
    .execute();
  return rows.map(({ delivery_id }) => delivery_id);
}

/** Counts all deliveries, or those of a settled status. A delivery of no other status is delivered. */
async function countDeliveries(
  db: Db,
  storeId: string,
  endpointId: string,
  status: DeliveryRow['status'] | null,
): Promise<number> {
  const { rows } = await sql<{ total: number; dead: number; cancelled: number; unsettled: number }>`
    select (select count(*) from ${sql.table(uncounted)} where store_id = ${storeId} and endpoint_id = ${endpointId})
      + coalesce((
        select sum(deliveries) from webhook_delivery_count
        where store_id = ${storeId} and endpoint_id = ${endpointId} and to_regclass(partition) is not null
      ), 0) as total, ${sql.join(
        (['dead', 'cancelled'] as const).map(
          (ended) => sql`case when ${status === ended || status === 'delivered'}::bool then (
            select count(*) from webhook_unsuccessful
            where store_id = ${storeId} and endpoint_id = ${endpointId} and status = ${ended}
          ) end as ${sql.ref(ended)}`,
        ),
      )}, case when ${status === 'delivered'}::bool then (
        select count(*) from webhook_due where store_id = ${storeId} and endpoint_id = ${endpointId}
      ) end as unsettled`.execute(db);
  const { total, dead, cancelled, unsettled } = rows[0]!;
  if (status === 'dead') return dead;
  if (status === 'cancelled') return cancelled;
  return status === null ? Number(total) : Number(total) - dead - cancelled - unsettled;
}

/** Returns a delivery of an endpoint, or null when there is none. */
export async function findDelivery(
  db: Db,
  storeId: string,
  endpointId: string,
  id: string,
): Promise<DeliveryRow | null> {
  const row = await db
    .selectFrom('webhook_delivery')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .where('endpoint_id', '=', endpointId)
    .executeTakeFirst();
  return row ?? null;
}

/** Makes a delivery due now. A settled one gets one last attempt; one that is being attempted stays as it is. */
export async function scheduleRedelivery(
  trx: Trx,
  storeId: string,
  endpointId: string,
  id: string,
  batchId: string | null = null,
): Promise<void> {
  await sql`
    with due as (
      insert into webhook_due as u (store_id, endpoint_id, delivery_id, claimable_at, is_leased, queued_at, batch_id)
      values (${storeId}, ${endpointId}, ${id}, now(), false, clock_timestamp(), ${batchId})
      -- Anew in the schedule: what waited is cancelled by a mark of before, this is not. One that waits for another
      -- call about the same thing does not wait any more; one that others wait for still has them wait.
      on conflict (store_id, delivery_id) do update set claimable_at = excluded.claimable_at, queued_at = excluded.queued_at,
        batch_id = excluded.batch_id, resource = case when u.claimable_at < 'infinity' then u.resource end
      where not u.is_leased
      returning store_id, endpoint_id, claimable_at, xmax = 0 as was_settled
    ), queued as (
      ${sql.raw(buildQueueEndpointsSql('due'))}
    )
    update webhook_delivery d set
      next_attempt_at = now(),
      status = case when due.was_settled then 'retrying' else d.status end,
      is_last_attempt = d.is_last_attempt or due.was_settled
    from due where d.store_id = ${storeId} and d.id = ${id}`.execute(trx);
}

/** Whether an event is still kept. */
export async function hasEvent(db: Db, storeId: string, id: string): Promise<boolean> {
  const event = db.selectFrom('webhook_event').where('store_id', '=', storeId).where('id', '=', id);
  return (await event.select('id').executeTakeFirst()) !== undefined;
}

/** Returns the body of an event, or null when it is no longer kept. */
export async function findEventBody(db: Db, storeId: string, id: string): Promise<string | null> {
  const event = db.selectFrom('webhook_event').where('store_id', '=', storeId).where('id', '=', id);
  return (await event.select('body').executeTakeFirst())?.body ?? null;
}

/** Returns the events of a batch as it was last sent, in order; null when some are no longer kept. */
export async function findBatchBodies(
  db: Db,
  storeId: string,
  batchId: string,
): Promise<{ type: CallType; body: string }[] | null> {
  const { rows } = await sql<{ type: CallType; body: string | null }>`
    select e.type, e.body from webhook_batch b
    cross join lateral unnest(b.event_ids) with ordinality as i (id, ordinal)
    left join webhook_event e on e.store_id = b.store_id and e.id = i.id
    where b.store_id = ${storeId} and b.id = ${batchId} order by i.ordinal`.execute(db);
  const events = rows.flatMap(({ type, body }) => (body === null ? [] : [{ type, body }]));
  return rows.length > 0 && events.length === rows.length ? events : null;
}
