import type { CallType, DeliveryJob } from '@waybill/contracts';
import { type Columns, eachStore, prepare, withinStore } from '@waybill/kernel';
import type { Kysely } from 'kysely';
import type { PublicEvent } from '../bodies/public-event.ts';
import { insertDeliveryCounts, partitionOfRow } from '../deliveries/queries.ts';
import { epochMs, leaseSeconds } from '../lease.ts';
import { buildQueueEndpointsSql, type CurrentEndpoint, previousSecret } from '../schedule/queries.ts';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;

/** The columns of an endpoint that a call needs. */
export interface Subscriber
  extends CurrentEndpoint,
    Columns<
      Tables['webhook_endpoint'],
      {
        url: 'url';
        sealedSecret: 'sealed_secret';
        filter: 'filter';
        settings: 'call_settings';
        sealedSettings: 'sealed_settings';
      }
    > {
  previousSecret: DeliveryJob['previousSecret'];
  /** Whether calls go only through the schedule, which enforces rates, orders and batches. */
  isScheduled: boolean;
  /** Whether calls about one object go one after another. */
  isOrdered: boolean;
}

// Returns each endpoint once, however many events it wants, because its settings may be large.
const subscribers = prepare<Subscriber & { storeId: string; events: readonly string[] }>(
  'webhook-subscribers',
  `select e.store_id as "storeId", e.events, e.id, e.url, e.sealed_secret as "sealedSecret",
     ${previousSecret} as "previousSecret", e.is_slow as "isSlow", e.owner_id as "ownerId", e.app_id as "appId",
     e.updated_at::text as "changedAt", e.filter, e.call_settings as settings, e.sealed_settings as "sealedSettings",
     e.max_per_second is not null or e.ordering is not null or e.batch is not null as "isScheduled",
     e.ordering is not null as "isOrdered"
   from unnest($1::text[]) as i (store_id)
   join webhook_endpoint e on e.store_id = i.store_id and e.events && $2::text[] and e.status <> 'disabled'
   order by e.store_id, e.id`,
);

/** Pairs each event with each endpoint of its store that is subscribed to it. */
export async function listSubscribers(
  db: Db,
  events: readonly PublicEvent[],
): Promise<{ event: PublicEvent; endpoint: Subscriber }[]> {
  if (events.length === 0) return [];
  const { rows } = await db.executeQuery(
    subscribers([
      [...new Set(events.map(({ storeId }) => storeId))],
      [...new Set(events.map(({ type }) => type))],
    ]),
  );
  const found = Map.groupBy(
    rows.map(({ storeId, events: types, ...endpoint }) => ({ storeId, types: new Set(types), endpoint })),
    ({ storeId }) => storeId,
  );
  return events.flatMap((event) =>
    (found.get(event.storeId) ?? []).flatMap(({ types, endpoint }) =>
      types.has(event.type) ? [{ event, endpoint }] : [],
    ),
  );
}

/** An event with its body, and a delivery for each endpoint called for it. */
export interface NewEvent {
  event: PublicEvent;
  body: string;
  deliveries: readonly NewDelivery[];
}

export interface NewDelivery {
  id: string;
  endpoint: Subscriber;
  /** Whether the delivery is leased from the start, because this process hands it over itself. */
  isLeased: boolean;
  /** The object about which other calls wait for this one to end; null when the endpoint's calls are not ordered. */
  resource: string | null;
}

// A body is sent once, however many endpoints are called with it: deliveries refer to their event by its ordinal.
// Positions in the log increase with time. A repeated event leaves positions unused and makes no deliveries, because
// those of its first arrival were committed with it.
const insertText = (isDistributed: boolean) => `with incoming as (
     select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::timestamptz[])
       with ordinality as v (store_id, id, type, body, committed_at, ordinal)
   ), log as (
     insert into event_log as l (store_id, last_position)
     select store_id, count(*) + (extract(epoch from clock_timestamp()) * 1000000)::bigint
     from incoming group by store_id order by store_id
     on conflict (store_id) do update set last_position = greatest(
       -- As many as come at once, of any store: the positions of one may have gaps.
       excluded.last_position, l.last_position + cardinality($2::text[])
     )
     returning store_id, last_position
   ), event as (
     insert into webhook_event (store_id, id, type, body, created_at, position)
     select store_id, i.id, i.type, i.body, i.committed_at,
       log.last_position + 1 - row_number() over (partition by store_id order by i.ordinal desc)
     from incoming i join log using (store_id)
     on conflict do nothing
     returning store_id, id, type, position
   ), planned as (
     select i.id, event.store_id, i.endpoint_id, event.id as event_id, event.type as event_type, i.leased, i.resource,
       (extract(epoch from v.committed_at) * 1000000)::bigint as sequence,
       case when i.resource is not null and $11 > 0
         then least(v.committed_at, now()) + make_interval(secs => $11) end as not_before
     from unnest($6::text[], $7::text[], $8::int[], $9::bool[], $10::text[])
       as i (id, endpoint_id, ordinal, leased, resource)
     join incoming v using (ordinal)
     join event on event.store_id = v.store_id and event.id = v.id
   ), delivery as (
     insert into webhook_delivery (store_id, id, endpoint_id, event_id, event_type, status, next_attempt_at)
     select i.store_id, i.id, i.endpoint_id, i.event_id, i.event_type, 'pending', now()
     from planned i
     -- Once more, now that it counts: the endpoint may have been disabled or deleted since it was looked up.
     join webhook_endpoint e on e.store_id = i.store_id and e.id = i.endpoint_id and e.status <> 'disabled'
     returning store_id, endpoint_id, id, ${partitionOfRow(isDistributed)}
   ), due as (
     insert into webhook_due
       (store_id, endpoint_id, delivery_id, claimable_at, is_leased, resource, sequence, ordered_event_id,
        not_before)
     select d.store_id, d.endpoint_id, d.id, case
         -- The trigger due_ended makes it due when the call before has ended.
         when i.resource is not null and (
           row_number() over (partition by i.endpoint_id, i.resource order by i.sequence, i.event_id) > 1 or exists (
             select from webhook_due u
             where u.store_id = d.store_id and u.endpoint_id = d.endpoint_id and u.resource = i.resource
           )
         ) then 'infinity'
         when i.leased then now() + interval '${leaseSeconds} seconds'
         else greatest(now(), i.not_before) end, i.leased, i.resource, i.sequence,
       case when i.resource is not null then i.event_id end, i.not_before
     from delivery d join planned i on i.id = d.id
     returning store_id, endpoint_id, delivery_id, claimable_at
   ), queued as (
     ${buildQueueEndpointsSql('due')}
   ), counted as (
     ${insertDeliveryCounts('delivery')}
   )
   select delivery_id as id, ${epochMs('claimable_at')} as "claimableAt" from due`;
type Due = Columns<Tables['webhook_due'], { id: 'delivery_id' }> & { claimableAt: number };
const insertAll = prepare<Due>('webhook-event-insert', insertText(false));
const insertOfStore = prepare<Due>('webhook-event-insert-of-store', withinStore('$12', insertText(true)));

/**
 * Inserts events and deliveries in one statement. Returns the ids of new deliveries and when each can be claimed, which
 * for a leased one is the end of its lease. Ordered deliveries cannot be claimed until `orderSeconds` after their
 * commit.
 */
export async function insertEvents(
  db: Db,
  events: readonly NewEvent[],
  orderSeconds = 0,
): Promise<ReadonlyMap<string, number>> {
  const all = events.map((each) => ({ ...each, storeId: each.event.storeId }));
  const rows = await eachStore(db, all, (group, storeId) =>
    insertEventsOfStore(db, group, orderSeconds, storeId),
  );
  return new Map(rows.map(({ id, claimableAt }) => [id, claimableAt]));
}

async function insertEventsOfStore(
  db: Db,
  events: readonly NewEvent[],
  orderSeconds: number,
  storeId: string | null,
): Promise<readonly Due[]> {
  const column = <T>(value: (event: NewEvent) => T) => events.map(value);
  const deliveries = events.flatMap((event, i) =>
    event.deliveries.map((delivery) => ({ ...delivery, ordinal: i + 1 })),
  );
  const ofDelivery = <T>(value: (delivery: NewDelivery & { ordinal: number }) => T) => deliveries.map(value);
  const values = [
    column(({ event }) => event.storeId),
    column(({ event }) => event.id),
    column(({ event }) => event.type),
    column(({ body }) => body),
    column(({ event }) => event.createdAt),
    ofDelivery(({ id }) => id),
    ofDelivery(({ endpoint }) => endpoint.id),
    ofDelivery(({ ordinal }) => ordinal),
    ofDelivery(({ isLeased }) => isLeased),
    ofDelivery(({ resource }) => resource),
    orderSeconds,
  ];
  const statement = storeId === null ? insertAll(values) : insertOfStore([...values, storeId]);
  return (await db.executeQuery(statement)).rows;
}

/** Returns the body of an event, or null when there is none. */
export async function findBody(
  db: Db,
  storeId: string,
  id: string,
): Promise<{ type: CallType; body: string } | null> {
  const row = await db
    .selectFrom('webhook_event')
    .select(['type', 'body'])
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row ?? null;
}
