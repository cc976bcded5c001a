import type { DeliveryOutcome, EventType } from '@waybill/contracts';
import { prepare, withoutWaitingForDisk } from '@waybill/kernel';
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import type { PublicEvent } from '../events/public-event.ts';
import type { EndpointStatus, Tables } from '../tables.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;
export type DeliveryRow = Selectable<Tables['webhook_delivery']>;

/** How long a delivery that was handed over may take before it is handed over again. */
export const leaseSeconds = 30;

/** What a call needs of its endpoint. */
export interface Subscriber {
  id: string;
  url: string;
  sealedSecret: string;
  failures: number;
}

const subscribers = prepare<Subscriber & { index: number }>(
  'webhook-subscribers',
  `select i.index::int, e.id, e.url, e.sealed_secret as "sealedSecret", e.failures
   from unnest($1::text[], $2::text[]) with ordinality as i (store_id, type, index)
   join webhook_endpoint e on e.store_id = i.store_id and i.type = any(e.events) and e.status <> 'disabled'
   order by i.index`,
);

/** Each event with each endpoint of its store that wants it. */
export async function listSubscribers(db: Db, events: readonly PublicEvent[]) {
  const { rows } = await db.executeQuery(
    subscribers([events.map(({ storeId }) => storeId), events.map(({ type }) => type)]),
  );
  return rows.map(({ index, ...endpoint }) => ({ event: events[index - 1]!, endpoint }));
}

export interface NewDelivery {
  id: string;
  event: PublicEvent;
  endpoint: Subscriber;
  body: string;
  /** Leased from the start: it goes to delivery right after the commit. */
  isHandedOver: boolean;
}

const insertAll = prepare<{ id: string }>(
  'webhook-delivery-insert',
  `with incoming as (
     select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[], $8::bool[])
       as i (id, store_id, endpoint_id, event_id, event_type, body, committed_at, handed_over)
   ), event as (
     insert into webhook_event (store_id, id, type, body, created_at)
     select distinct on (store_id, event_id) store_id, event_id, event_type, body, committed_at from incoming
     on conflict do nothing
   )
   insert into webhook_delivery (store_id, id, endpoint_id, event_id, event_type, status, next_attempt_at, claimable_at)
   select i.store_id, i.id, i.endpoint_id, i.event_id, i.event_type, 'pending', now(),
     case when i.handed_over then now() + interval '${leaseSeconds} seconds' else now() end
   from incoming i
   -- Once more, now that it counts: the endpoint may have been disabled or deleted since it was looked up.
   join webhook_endpoint e on e.store_id = i.store_id and e.id = i.endpoint_id and e.status <> 'disabled'
   on conflict (store_id, endpoint_id, event_id) do nothing
   returning id`,
);

/** Inserts deliveries with their events, in one statement; gives the ids of those that were new. */
export async function insertDeliveries(
  db: Db,
  deliveries: readonly NewDelivery[],
): Promise<ReadonlySet<string>> {
  const column = <T>(value: (delivery: NewDelivery) => T) => deliveries.map(value);
  const { rows } = await db.executeQuery(
    insertAll([
      column(({ id }) => id),
      column(({ event }) => event.storeId),
      column(({ endpoint }) => endpoint.id),
      column(({ event }) => event.id),
      column(({ event }) => event.type),
      column(({ body }) => body),
      column(({ event }) => event.createdAt),
      column(({ isHandedOver }) => isHandedOver),
    ]),
  );
  return new Set(rows.map(({ id }) => id));
}

/** A delivery that is due, with what a call needs. `endpointStatus` is null when the endpoint is gone. */
export interface DueDelivery {
  id: string;
  storeId: string;
  endpointId: string;
  eventId: string;
  eventType: EventType;
  attempts: number;
  body: string;
  committedAt: number;
  endpointStatus: EndpointStatus | null;
  url: string;
  sealedSecret: string;
  failures: number;
}

// The recursion steps from endpoint to endpoint through the index, so that a backlog of a million calls to one
// costs no more than the one row that is looked at; `room` then says how many of each may be taken.
const claim = prepare<DueDelivery>(
  'webhook-delivery-claim',
  `with recursive waiting as (
     (select store_id, endpoint_id from webhook_delivery where claimable_at is not null
      order by store_id, endpoint_id limit 1)
     union all
     select next.store_id, next.endpoint_id from waiting, lateral (
       select d.store_id, d.endpoint_id from webhook_delivery d
       where d.claimable_at is not null and (d.store_id, d.endpoint_id) > (waiting.store_id, waiting.endpoint_id)
       order by d.store_id, d.endpoint_id limit 1
     ) next
   ), due as (
     select picked.store_id, picked.id
     from waiting
     left join unnest($1::text[], $2::int[]) as tight (endpoint_id, room) using (endpoint_id)
     cross join lateral (
       select d.store_id, d.id from webhook_delivery d
       where d.store_id = waiting.store_id and d.endpoint_id = waiting.endpoint_id and d.claimable_at <= now()
       order by d.claimable_at limit coalesce(tight.room, $3) for update skip locked
     ) picked
     limit $4
   ), claimed as (
     update webhook_delivery d set claimable_at = now() + interval '${leaseSeconds} seconds'
     from due where d.store_id = due.store_id and d.id = due.id and ${withoutWaitingForDisk}
     returning d.*
   )
   select c.id, c.store_id as "storeId", c.endpoint_id as "endpointId", c.event_id as "eventId",
     c.event_type as "eventType", c.attempts, v.body, extract(epoch from v.created_at)::float8 * 1000 as "committedAt",
     e.status as "endpointStatus", e.url, e.sealed_secret as "sealedSecret", e.failures
   from claimed c
   join webhook_event v on v.store_id = c.store_id and v.id = c.event_id
   left join webhook_endpoint e on e.store_id = c.store_id and e.id = c.endpoint_id`,
);

/**
 * Leases deliveries that are due, oldest first within an endpoint: of each endpoint as many as it has room for
 * (`usualRoom` where `tight` says nothing), `limit` altogether.
 */
export async function claimDueDeliveries(
  db: Db,
  tight: readonly { endpointId: string; room: number }[],
  usualRoom: number,
  limit: number,
): Promise<DueDelivery[]> {
  const { rows } = await db.executeQuery(
    claim([tight.map(({ endpointId }) => endpointId), tight.map(({ room }) => room), usualRoom, limit]),
  );
  return rows;
}

/** Ends the leases of a process that is no more. */
export async function releaseLeases(db: Db): Promise<void> {
  await sql`update webhook_delivery set claimable_at = next_attempt_at
    where claimable_at is not null and claimable_at <> next_attempt_at`.execute(db);
}

const settle = prepare(
  'webhook-delivery-settle',
  `with outcome as (
     select * from unnest($1::text[], $2::text[], $3::int[], $4::bool[], $5::int[], $6::text[], $7::int[])
       as o (store_id, id, attempt, delivered, status_code, error, duration_ms)
   ), settled as (
     update webhook_delivery d set
       attempts = o.attempt,
       status = next.status,
       next_attempt_at = next.at,
       claimable_at = next.at,
       last_status_code = o.status_code,
       last_error = o.error,
       delivered_at = case when o.delivered then now() else d.delivered_at end
     from outcome o
     join webhook_delivery before on before.store_id = o.store_id and before.id = o.id
     left join webhook_endpoint e on e.store_id = before.store_id and e.id = before.endpoint_id
     cross join lateral (
       select case
         when o.delivered then 'delivered'
         when coalesce(e.status, 'disabled') = 'disabled' then 'cancelled'
         when before.is_last_attempt or o.attempt > cardinality($8::float8[]) then 'dead'
         else 'retrying'
       end as status
     ) verdict
     cross join lateral (
       select verdict.status,
         case when verdict.status = 'retrying' then now() + make_interval(secs => ($8::float8[])[o.attempt]) end as at
     ) next
     -- An attempt ends once, however often its outcome is reported.
     where d.store_id = o.store_id and d.id = o.id and d.attempts = o.attempt - 1
       -- Lost with a crash of the server, the call is made again: at least once.
       and ${withoutWaitingForDisk}
     returning d.store_id, d.id, o.attempt, o.status_code, o.error, o.duration_ms
   )
   insert into webhook_attempt (store_id, delivery_id, attempt, status_code, error, duration_ms)
   select store_id, id, attempt, status_code, error, duration_ms from settled
   on conflict do nothing
   returning delivery_id as id`,
);

/** Records how attempts ended and schedules what comes next; gives the ids of those that were news. */
export async function settleDeliveries(
  trx: Trx,
  outcomes: readonly DeliveryOutcome[],
  retryDelays: readonly number[],
): Promise<ReadonlySet<string>> {
  const column = <T>(value: (outcome: DeliveryOutcome) => T) => outcomes.map(value);
  const { rows } = await trx.executeQuery(
    settle([
      column(({ storeId }) => storeId),
      column(({ deliveryId }) => deliveryId),
      column(({ attempt }) => attempt),
      column(({ delivered }) => delivered),
      column(({ statusCode }) => statusCode),
      column(({ error }) => error),
      column(({ durationMs }) => Math.round(durationMs)),
      retryDelays,
    ]),
  );
  return new Set((rows as { id: string }[]).map(({ id }) => id));
}

/** How the calls of one endpoint went, in their order: whether one succeeded, and how many have failed since. */
export interface Streak {
  storeId: string;
  endpointId: string;
  succeeded: boolean;
  failures: number;
}

/** `store-api.md 6.3`: three failures in a row make an endpoint `failing`. */
const failingThreshold = 3;

const count = prepare(
  'webhook-endpoint-count',
  `update webhook_endpoint e set failures = next.failures, status = case
     when e.status = 'disabled' then e.status
     when next.failures >= ${failingThreshold} then 'failing'
     when s.succeeded then 'active'
     else e.status
   end
   from unnest($1::text[], $2::text[], $3::bool[], $4::int[]) as s (store_id, id, succeeded, failures)
   join webhook_endpoint before using (store_id, id)
   cross join lateral (
     select case when s.succeeded then 0 else before.failures end + s.failures as failures
   ) next
   where e.store_id = s.store_id and e.id = s.id and (s.failures > 0 or before.failures > 0 or before.status = 'failing')`,
);

/** Counts failures in a row by endpoint, and sets or clears the label `failing`. */
export async function countStreaks(trx: Trx, streaks: readonly Streak[]): Promise<void> {
  await trx.executeQuery(
    count([
      streaks.map(({ storeId }) => storeId),
      streaks.map(({ endpointId }) => endpointId),
      streaks.map(({ succeeded }) => succeeded),
      streaks.map(({ failures }) => failures),
    ]),
  );
}

/** Cancels what waits for an endpoint that was disabled or deleted. */
export async function cancelWaitingDeliveries(trx: Db, storeId: string, endpointId: string): Promise<void> {
  await trx
    .updateTable('webhook_delivery')
    .set({ status: 'cancelled', next_attempt_at: null, claimable_at: null })
    .where('store_id', '=', storeId)
    .where('endpoint_id', '=', endpointId)
    .where('claimable_at', 'is not', null)
    .execute();
}

/** The newest deliveries of an endpoint, and how many there are. */
export async function listDeliveries(db: Db, storeId: string, endpointId: string, limit: number) {
  const all = db
    .selectFrom('webhook_delivery')
    .where('store_id', '=', storeId)
    .where('endpoint_id', '=', endpointId);
  const rows = await all
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  const { total } = await all.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  return { rows, total };
}

/** A delivery of an endpoint, null when there is none. */
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

/** The attempts of a delivery that have ended, first to last. */
export async function listAttempts(db: Db, storeId: string, deliveryId: string) {
  const rows = await db
    .selectFrom('webhook_attempt')
    .select([
      'attempt',
      'status_code as statusCode',
      'error',
      'duration_ms as durationMs',
      'ended_at as endedAt',
    ])
    .where('store_id', '=', storeId)
    .where('delivery_id', '=', deliveryId)
    .orderBy('attempt')
    .execute();
  return rows.map((row) => ({ ...row, endedAt: row.endedAt.toISOString() }));
}

/** Makes a delivery due now. A settled one gets one last attempt; one that is being attempted stays as it is. */
export function scheduleRedelivery(trx: Trx, storeId: string, id: string): Promise<DeliveryRow> {
  return trx
    .updateTable('webhook_delivery')
    .set({
      is_last_attempt: sql`is_last_attempt or claimable_at is null`,
      status: sql`case when claimable_at is null then 'retrying' else status end`,
      claimable_at: sql`case when claimable_at is distinct from next_attempt_at then claimable_at else now() end`,
      next_attempt_at: sql`case when claimable_at is distinct from next_attempt_at then next_attempt_at else now() end`,
    })
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Deletes up to `limit` deliveries, and events, of before the days they are kept; whether there may be more. */
export async function deleteOld(db: Db, days: number, limit: number): Promise<boolean> {
  let deleted = 0n;
  for (const table of ['webhook_delivery', 'webhook_event']) {
    const result = await sql`delete from ${sql.table(table)} where (store_id, id) in (
      select store_id, id from ${sql.table(table)} where created_at < now() - make_interval(days => ${days})
      order by created_at limit ${limit})`.execute(db);
    deleted += result.numAffectedRows ?? 0n;
  }
  return deleted >= limit;
}
