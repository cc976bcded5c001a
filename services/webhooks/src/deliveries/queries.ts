import {
  type DeliveryJob,
  type DeliveryOutcome,
  type EventType,
  type ReceivedReply,
  slowMs,
} from '@waybill/contracts';
import { prepare, timestamp, withoutWaitingForDisk } from '@waybill/kernel';
import { CompiledQuery, type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import type { PublicEvent } from '../events/public-event.ts';
import type { Tables } from '../tables.ts';
import { slowRoom } from './sending-windows.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;
export type DeliveryRow = Selectable<Tables['webhook_delivery']>;

/** How an attempt ended: an entry of `attempt_log`. */
export interface AttemptRecord {
  attempt: number;
  statusCode: number | null;
  error: string;
  durationMs: number;
  startedAt: string;
  reply: ReceivedReply | null;
  /** In entries of before replies were kept, in place of the last two. */
  endedAt?: string;
}

/** A body up to this size stands in the message of each call; a larger one is fetched. */
export const inlineBytes = 16 * 1024;

/** How long a delivery that was handed over may take before it is handed over again. */
const leaseSeconds = 30;
export const leaseMs = leaseSeconds * 1000;

/**
 * A statement over whole batches: planned each time for the tables as they are. A plan kept from when they were
 * empty reads them from end to end; planning costs a batch about a millisecond.
 */
function planned<Row>(text: string): (values: readonly unknown[]) => CompiledQuery<Row> {
  return (values) => CompiledQuery.raw(text, [...values]) as CompiledQuery<Row>;
}

/**
 * Puts endpoints into the queue, for no later than what `rows` (a table of a statement) says is due for them. Whoever
 * adds to `webhook_due`, or makes a row of it due earlier, does this in the same statement: it waits for a turn of the
 * dispatcher that has the endpoint in hand, and one that comes after sees both. In order, as two that lock the same
 * ones in different orders would wait for each other.
 */
export const queueEndpointsOf = (rows: string) =>
  `insert into endpoint_queue as q (store_id, endpoint_id, next_at)
   select store_id, endpoint_id, min(claimable_at) from ${rows} group by store_id, endpoint_id order by store_id, endpoint_id
   on conflict (store_id, endpoint_id) do update set next_at = excluded.next_at where excluded.next_at < q.next_at`;

/** What decides over a call at the moment when it is made. */
export interface Callee {
  /** Whether its last call took long: it has a lane of its own. */
  isSlow: boolean;
  /** Whose rights say what it is told; null: nobody's, so it is told ids alone. */
  ownerId: string | null;
  /** The app that has to be available; null: none has to. */
  appId: string | null;
}

/** What a call needs of its endpoint. */
export interface Subscriber extends Callee {
  id: string;
  url: string;
  sealedSecret: string;
  previousSecret: DeliveryJob['previousSecret'];
  /** When its owner last changed it; text, to be compared only. */
  changedAt: string;
}

/** The secret before the last rotation, of endpoint `e`; null where it does not count any more. */
const previousSecret = `case when e.previous_secret_expires_at > now() then jsonb_build_object(
     'sealed', e.sealed_previous_secret, 'expiresAt', ${timestamp('e.previous_secret_expires_at')}) end`;

const subscribers = prepare<Subscriber & { index: number }>(
  'webhook-subscribers',
  `select i.index::int, e.id, e.url, e.sealed_secret as "sealedSecret", ${previousSecret} as "previousSecret",
     e.is_slow as "isSlow", e.owner_id as "ownerId", e.app_id as "appId", e.updated_at::text as "changedAt"
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

const endpointsNow = prepare<Omit<Subscriber, 'url' | 'sealedSecret' | 'previousSecret'>>(
  'webhook-endpoints-now',
  `select e.id, e.is_slow as "isSlow", e.owner_id as "ownerId", e.app_id as "appId", e.updated_at::text as "changedAt"
   from unnest($1::text[], $2::text[]) as i (store_id, id)
   join webhook_endpoint e using (store_id, id)`,
);

/** How endpoints are now, by id; those that are gone are missing. */
export async function findEndpointsNow(
  db: Db,
  endpoints: readonly { storeId: string; endpointId: string }[],
) {
  const { rows } = await db.executeQuery(
    endpointsNow([endpoints.map(({ storeId }) => storeId), endpoints.map(({ endpointId }) => endpointId)]),
  );
  return new Map(rows.map((row) => [row.id, row]));
}

export interface NewDelivery {
  id: string;
  event: PublicEvent;
  endpoint: Subscriber;
  body: string;
  /** From the start: this process sees to it that it goes to delivery. */
  isLeased: boolean;
}

// A body stands once, however many endpoints are called with it: deliveries name their event by its place.
const insertAll = prepare<{ id: string }>(
  'webhook-delivery-insert',
  `with incoming as (
     select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::timestamptz[])
       with ordinality as v (store_id, id, type, body, committed_at, place)
   ), event as (
     insert into webhook_event (store_id, id, type, body, created_at)
     select store_id, id, type, body, committed_at from incoming
     on conflict do nothing
   ), wanted as (
     select i.id, v.store_id, i.endpoint_id, v.id as event_id, v.type as event_type, i.leased
     from unnest($6::text[], $7::text[], $8::int[], $9::bool[]) as i (id, endpoint_id, place, leased)
     join incoming v using (place)
   ), delivery as (
     insert into webhook_delivery (store_id, id, endpoint_id, event_id, event_type, status, next_attempt_at)
     select i.store_id, i.id, i.endpoint_id, i.event_id, i.event_type, 'pending', now()
     from wanted i
     -- Once more, now that it counts: the endpoint may have been disabled or deleted since it was looked up.
     join webhook_endpoint e on e.store_id = i.store_id and e.id = i.endpoint_id and e.status <> 'disabled'
     on conflict (store_id, event_id, endpoint_id) do nothing
     returning store_id, endpoint_id, id
   ), due as (
     insert into webhook_due (store_id, endpoint_id, delivery_id, claimable_at, is_leased)
     select d.store_id, d.endpoint_id, d.id, now() + case when i.leased then interval '${leaseSeconds} seconds'
       else interval '0' end, i.leased
     from delivery d join wanted i on i.id = d.id
     returning store_id, endpoint_id, delivery_id, claimable_at
   ), queued as (
     ${queueEndpointsOf('due')}
   )
   select delivery_id as id from due`,
);

/** Inserts deliveries with their events, in one statement; gives the ids of those that were new. */
export async function insertDeliveries(
  db: Db,
  deliveries: readonly NewDelivery[],
): Promise<ReadonlySet<string>> {
  const column = <T>(value: (delivery: NewDelivery) => T) => deliveries.map(value);
  // By its id: the bus may hand over one event twice.
  const events = new Map(
    deliveries.map((delivery) => [`${delivery.event.storeId} ${delivery.event.id}`, delivery]),
  );
  const places = new Map([...events.keys()].map((key, i) => [key, i + 1]));
  const ofEvent = <T>(value: (delivery: NewDelivery) => T) => [...events.values()].map(value);
  const { rows } = await db.executeQuery(
    insertAll([
      ofEvent(({ event }) => event.storeId),
      ofEvent(({ event }) => event.id),
      ofEvent(({ event }) => event.type),
      ofEvent(({ body }) => body),
      ofEvent(({ event }) => event.createdAt),
      column(({ id }) => id),
      column(({ endpoint }) => endpoint.id),
      column(({ event }) => places.get(`${event.storeId} ${event.id}`)),
      column(({ isLeased }) => isLeased),
    ]),
  );
  return new Set(rows.map(({ id }) => id));
}

/** A delivery that is due, with what a call needs. `endpointStatus` is null when the endpoint is gone. */
export interface DueDelivery extends Callee {
  id: string;
  storeId: string;
  endpointId: string;
  eventId: string;
  eventType: EventType;
  attempts: number;
  isTest: boolean;
  /** Null where it is large. */
  body: string | null;
  bytes: number;
  committedAt: number;
  endpointStatus: Tables['webhook_endpoint']['status'] | null;
  url: string;
  sealedSecret: string;
  previousSecret: DeliveryJob['previousSecret'];
  /** Whether its endpoint has more that is due. */
  isMoreDue: boolean;
  /** Whether it is to be cancelled. */
  isMarked: boolean;
}

// Those that are passed over are few: they have calls of this process in hand.
const lockReady = planned<{ storeId: string; endpointId: string }>(
  `select store_id as "storeId", endpoint_id as "endpointId" from endpoint_queue
   where next_at <= now() and endpoint_id <> all($1::text[])
   order by next_at limit $2 for update skip locked`,
);

// What is left of an endpoint begins after as many rows as were taken: rows that were passed over because somebody
// has them locked only make that one due earlier. An endpoint with more that is due goes to the end of the line.
const claim = planned<DueDelivery>(
  `with ready as (
     select r.store_id, r.endpoint_id, case when e.is_slow then least(r.room, ${slowRoom}) else r.room end as room
     from unnest($1::text[], $2::text[], $3::int[]) as r (store_id, endpoint_id, room)
     left join webhook_endpoint e on e.store_id = r.store_id and e.id = r.endpoint_id
   ), due as (
     select picked.* from ready r cross join lateral (
       select d.store_id, d.endpoint_id, d.delivery_id from webhook_due d
       where d.store_id = r.store_id and d.endpoint_id = r.endpoint_id and d.claimable_at <= now()
       order by d.claimable_at limit r.room for update skip locked
     ) picked
     limit $4
   ), claimed as (
     update webhook_due d set claimable_at = now() + interval '${leaseSeconds} seconds', is_leased = true
     from due where d.store_id = due.store_id and d.delivery_id = due.delivery_id and ${withoutWaitingForDisk}
     returning d.store_id, d.delivery_id, d.queued_at
   ), taken as (
     select r.store_id, r.endpoint_id, count(due.delivery_id)
     from ready r left join due using (store_id, endpoint_id) group by r.store_id, r.endpoint_id
   ), rest as (
     select taken.*, earliest.claimable_at from taken
     left join lateral (
       select d.claimable_at from webhook_due d
       where d.store_id = taken.store_id and d.endpoint_id = taken.endpoint_id
       order by d.claimable_at offset taken.count limit 1
     ) earliest on true
   ), queued as (
     update endpoint_queue q
     set next_at = greatest(now(), least(rest.claimable_at,
       case when rest.count > 0 then now() + interval '${leaseSeconds} seconds' end))
     from rest where q.store_id = rest.store_id and q.endpoint_id = rest.endpoint_id
       and (rest.count > 0 or rest.claimable_at > now())
   ), settled as (
     delete from endpoint_queue q using rest
     where q.store_id = rest.store_id and q.endpoint_id = rest.endpoint_id
       and rest.count = 0 and rest.claimable_at is null
   )
   select d.id, d.store_id as "storeId", d.endpoint_id as "endpointId", d.event_id as "eventId",
     d.event_type as "eventType", d.attempts, d.is_test as "isTest",
     case when octet_length(v.body) <= ${inlineBytes} then v.body end as body, octet_length(v.body) as bytes,
     extract(epoch from v.created_at)::float8 * 1000 as "committedAt",
     e.status as "endpointStatus", e.url, e.sealed_secret as "sealedSecret", ${previousSecret} as "previousSecret",
     e.is_slow as "isSlow",
     e.owner_id as "ownerId", e.app_id as "appId",
     coalesce(rest.claimable_at <= now(), false) as "isMoreDue",
     coalesce(c.queued_at <= mark.before, false) as "isMarked"
   from claimed c
   join webhook_delivery d on d.store_id = c.store_id and d.id = c.delivery_id
   join lateral (
     select v.body, v.created_at from webhook_event v where v.store_id = d.store_id and v.id = d.event_id
     -- A test call has no event; its body is made of its row.
     union all
     select '', d.created_at where d.is_test
   ) v on true
   join rest on rest.store_id = d.store_id and rest.endpoint_id = d.endpoint_id
   left join webhook_endpoint e on e.store_id = d.store_id and e.id = d.endpoint_id
   left join endpoint_cancellation mark on mark.store_id = d.store_id and mark.endpoint_id = d.endpoint_id`,
);

/** How much one turn takes at most. */
const turnLimits = { endpoints: 200, deliveries: 500 };

/**
 * Leases deliveries that are due: of the endpoints that have waited longest, from each the oldest, as many as it has
 * room for (`usualRoom` where `tight` says nothing). What it costs follows what is due, not what waits.
 */
export async function claimDueDeliveries(
  db: Db,
  tight: readonly { endpointId: string; room: number }[],
  usualRoom: number,
): Promise<{ due: DueDelivery[]; isAll: boolean }> {
  const rooms = new Map(tight.map(({ endpointId, room }) => [endpointId, room]));
  const full = tight.filter(({ room }) => room <= 0).map(({ endpointId }) => endpointId);
  // The second statement sees what was committed before the first had its locks.
  return db.transaction().execute(async (trx) => {
    const { rows: ready } = await trx.executeQuery(lockReady([full, turnLimits.endpoints]));
    if (ready.length === 0) return { due: [], isAll: true };
    const { rows: due } = await trx.executeQuery(
      claim([
        ready.map(({ storeId }) => storeId),
        ready.map(({ endpointId }) => endpointId),
        ready.map(({ endpointId }) => rooms.get(endpointId) ?? usualRoom),
        turnLimits.deliveries,
      ]),
    );
    const isAll = ready.length < turnLimits.endpoints && due.length < turnLimits.deliveries;
    return { due, isAll };
  });
}

const missing = planned<EndpointPlace>(
  `with recursive waiting as (
     (select store_id, endpoint_id from webhook_due where (store_id, endpoint_id) > ($1, $2)
       order by store_id, endpoint_id limit 1)
     union all
     select next.store_id, next.endpoint_id from waiting, lateral (
       select d.store_id, d.endpoint_id from webhook_due d
       where (d.store_id, d.endpoint_id) > (waiting.store_id, waiting.endpoint_id)
       order by d.store_id, d.endpoint_id limit 1
     ) next
   ), step as (
     select * from waiting limit $3
   ), late as (
     select s.store_id, s.endpoint_id, first.claimable_at from step s
     cross join lateral (
       select d.claimable_at from webhook_due d
       where d.store_id = s.store_id and d.endpoint_id = s.endpoint_id
       order by d.claimable_at limit 1
     ) first
     left join endpoint_queue q on q.store_id = s.store_id and q.endpoint_id = s.endpoint_id
     where q.next_at is null or q.next_at > greatest(first.claimable_at, now())
   ), queued as (
     ${queueEndpointsOf('late')}
   )
   select store_id as "storeId", endpoint_id as "endpointId" from step order by store_id desc, endpoint_id desc limit 1`,
);

/** A place among the endpoints. */
export interface EndpointPlace {
  storeId: string;
  endpointId: string;
}

/**
 * Sees to it that the next so many endpoints after `place` that have something unsettled are in the queue; gives the
 * last of them, null at the end.
 */
export async function queueMissingEndpoints(
  db: Db,
  place: EndpointPlace | null,
  limit: number,
): Promise<EndpointPlace | null> {
  const { rows } = await db.executeQuery(missing([place?.storeId ?? '', place?.endpointId ?? '', limit]));
  return rows[0] ?? null;
}

const leasedOf = prepare<{ id: string }>(
  'webhook-leased',
  `select u.delivery_id as id from unnest($1::text[], $2::text[]) as i (store_id, delivery_id)
   join webhook_due u using (store_id, delivery_id)
   left join endpoint_cancellation mark on mark.store_id = u.store_id and mark.endpoint_id = u.endpoint_id
   where u.is_leased and (mark.before is null or u.queued_at > mark.before)`,
);

/** Which of some deliveries are handed out, by id: of the others the attempt has ended, or they are to be cancelled. */
export async function findLeased(
  db: Db,
  deliveries: readonly { storeId: string; deliveryId: string }[],
): Promise<ReadonlySet<string>> {
  const { rows } = await db.executeQuery(
    leasedOf([deliveries.map(({ storeId }) => storeId), deliveries.map(({ deliveryId }) => deliveryId)]),
  );
  return new Set(rows.map(({ id }) => id));
}

/** How many endpoints, and how many deliveries of each, are looked at for the metrics. */
const measured = { endpoints: 50, deliveries: 200 };

/**
 * How many calls are due and not in hand, and for how long the oldest has been: of the endpoints that have waited
 * longest, and of each no more than so many, which is what an alert needs and costs no more with millions waiting.
 */
export async function measureDue(db: Db): Promise<{ due: number; oldestSeconds: number }> {
  const { rows } = await sql<{ due: number; oldestSeconds: number }>`
    with late as (
      select store_id, endpoint_id from endpoint_queue where next_at <= now()
      order by next_at limit ${measured.endpoints}
    )
    select count(*) as due, coalesce(extract(epoch from now() - min(claimable_at)), 0)::float8 as "oldestSeconds"
    from late cross join lateral (
      select claimable_at from webhook_due d
      where d.store_id = late.store_id and d.endpoint_id = late.endpoint_id and claimable_at <= now()
      order by claimable_at limit ${measured.deliveries}
    ) waiting`.execute(db);
  return rows[0]!;
}

/** Ends the leases of a process that is no more. */
export async function releaseLeases(db: Db): Promise<void> {
  await sql`
    with due as (
      update webhook_due set claimable_at = now(), is_leased = false where is_leased
      returning store_id, endpoint_id, claimable_at
    ) ${sql.raw(queueEndpointsOf('due'))}`.execute(db);
}

/** How long a call that was held back waits until it is looked at again. */
const holdSeconds = 2;

/** Takes leases back for a while: what the calls may tell could not be found out. */
export async function holdBack(db: Db, jobs: readonly DeliveryJob[]): Promise<void> {
  await sql`
    with due as (
      update webhook_due d set claimable_at = now() + make_interval(secs => ${holdSeconds}), is_leased = false
      from ${dueOf(jobs)} where d.store_id = i.store_id and d.delivery_id = i.delivery_id
      returning d.store_id, d.endpoint_id, d.claimable_at
    ) ${sql.raw(queueEndpointsOf('due'))}`.execute(db);
}

/** The body of an event, null when there is none. */
export async function findBody(
  db: Db,
  storeId: string,
  id: string,
): Promise<{ type: EventType; body: string } | null> {
  const row = await db
    .selectFrom('webhook_event')
    .select(['type', 'body'])
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row ?? null;
}

/** Cancels deliveries that were to be handed over. */
export async function cancelDeliveries(db: Db, jobs: readonly DeliveryJob[]): Promise<void> {
  await sql`
    with due as (
      delete from webhook_due d using ${dueOf(jobs)}
      where d.store_id = i.store_id and d.delivery_id = i.delivery_id
      returning d.store_id, d.delivery_id
    )
    update webhook_delivery d set status = 'cancelled', next_attempt_at = null
    from due where d.store_id = due.store_id and d.id = due.delivery_id`.execute(db);
}

const dueOf = (jobs: readonly DeliveryJob[]) =>
  sql`unnest(${jobs.map(({ storeId }) => storeId)}::text[], ${jobs.map(({ deliveryId }) => deliveryId)}::text[])
    as i (store_id, delivery_id)`;

const settle = planned<{ id: string; isTest: boolean }>(
  `with outcome as (
     select o.*, coalesce(e.status, 'disabled') = 'disabled' or coalesce(u.queued_at <= mark.before, false) as is_unwanted,
       not o.delivered and o.attempt <= cardinality($9::float8[]) as may_retry
     from unnest($1::text[], $2::text[], $3::text[], $4::int[], $5::bool[], $6::int[], $7::text[], $8::text[])
       as o (store_id, endpoint_id, id, attempt, delivered, status_code, error, entry)
     left join webhook_endpoint e on e.store_id = o.store_id and e.id = o.endpoint_id
     left join endpoint_cancellation mark on mark.store_id = o.store_id and mark.endpoint_id = o.endpoint_id
     left join webhook_due u on u.store_id = o.store_id and u.delivery_id = o.id
   ), settled as (
     update webhook_delivery d set
       attempts = o.attempt,
       attempt_log = d.attempt_log || o.entry::jsonb,
       -- Cancelled while this attempt was made, it stays so: the schedule holds no row of it any more.
       status = case
         when o.delivered then 'delivered'
         when o.is_unwanted and not d.is_test or d.status = 'cancelled' then 'cancelled'
         when o.may_retry and not d.is_last_attempt then 'retrying'
         else 'dead'
       end,
       next_attempt_at = case
         when o.may_retry and not (o.is_unwanted or d.status = 'cancelled' or d.is_last_attempt)
         then now() + make_interval(secs => ($9::float8[])[o.attempt]) end,
       last_status_code = o.status_code,
       last_error = o.error,
       delivered_at = case when o.delivered then now() else d.delivered_at end
     from outcome o
     -- An attempt ends once, however often its outcome is reported.
     where d.store_id = o.store_id and d.id = o.id and d.attempts = o.attempt - 1
       -- Lost with a crash of the server, the call is made again: at least once.
       and ${withoutWaitingForDisk}
     returning d.store_id, d.id, d.next_attempt_at, d.is_test
   ), done as (
     delete from webhook_due u using settled s
     where u.store_id = s.store_id and u.delivery_id = s.id and s.next_attempt_at is null
   ), again as (
     update webhook_due u set claimable_at = s.next_attempt_at, is_leased = false from settled s
     where u.store_id = s.store_id and u.delivery_id = s.id and s.next_attempt_at is not null
     returning u.store_id, u.endpoint_id, u.claimable_at
   ), queued as (
     ${queueEndpointsOf('again')}
   )
   select id, is_test as "isTest" from settled`,
);

/**
 * Records how attempts ended and schedules what comes next; gives the ids of those that were news, and whether they
 * were test calls.
 */
export async function settleDeliveries(
  trx: Trx,
  outcomes: readonly DeliveryOutcome[],
  retryDelays: readonly number[],
): Promise<ReadonlyMap<string, { isTest: boolean }>> {
  const column = <T>(value: (outcome: DeliveryOutcome) => T) => outcomes.map(value);
  const { rows } = await trx.executeQuery(
    settle([
      column(({ storeId }) => storeId),
      column(({ endpointId }) => endpointId),
      column(({ deliveryId }) => deliveryId),
      column(({ attempt }) => attempt),
      column(({ delivered }) => delivered),
      column(({ statusCode }) => statusCode),
      column(({ error }) => error),
      column((outcome) => JSON.stringify(recordOf(outcome))),
      retryDelays,
    ]),
  );
  return new Map(rows.map(({ id, isTest }) => [id, { isTest }]));
}

function recordOf({ attempt, statusCode, error, startedAt, reply = null, ...more }: DeliveryOutcome) {
  const durationMs = Math.round(more.durationMs);
  const started = startedAt ?? new Date(Date.now() - durationMs).toISOString();
  return { attempt, statusCode, error, durationMs, startedAt: started, reply } satisfies AttemptRecord;
}

/** How the calls of one endpoint went, in their order: whether one succeeded, how many have failed since, how the last was. */
export interface Streak {
  storeId: string;
  endpointId: string;
  succeeded: boolean;
  failures: number;
  lastMs: number;
}

/** `store-api.md 6.3`: three failures in a row make an endpoint `failing`. */
const failingThreshold = 3;

const count = prepare(
  'webhook-endpoint-count',
  `update webhook_endpoint e set failures = next.failures, is_slow = s.is_slow, status = case
     when e.status = 'disabled' then e.status
     when next.failures >= ${failingThreshold} then 'failing'
     when s.succeeded then 'active'
     else e.status
   end
   from unnest($1::text[], $2::text[], $3::bool[], $4::int[], $5::bool[]) as s (store_id, id, succeeded, failures, is_slow)
   join webhook_endpoint before using (store_id, id)
   cross join lateral (
     select case when s.succeeded then 0 else before.failures end + s.failures as failures
   ) next
   where e.store_id = s.store_id and e.id = s.id and (s.failures > 0 or before.failures > 0 or before.status = 'failing' or before.is_slow <> s.is_slow)`,
);

/** Counts failures in a row by endpoint, sets or clears the label `failing`, and notes who is slow. */
export async function countStreaks(trx: Trx, streaks: readonly Streak[]): Promise<void> {
  await trx.executeQuery(
    count([
      streaks.map(({ storeId }) => storeId),
      streaks.map(({ endpointId }) => endpointId),
      streaks.map(({ succeeded }) => succeeded),
      streaks.map(({ failures }) => failures),
      streaks.map(({ lastMs }) => lastMs > slowMs),
    ]),
  );
}

/**
 * Marks what waits for endpoints as not to be called from now on; a task cancels it in steps. For endpoints that are
 * disabled, deleted, or were so when something of theirs was to be handed over.
 */
export async function markWaiting(
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

/** Marks what has waited for an app's endpoints since before that moment. */
export async function markWaitingOfApp(
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

/** Cancels up to `limit` of what is marked, of one endpoint; whether there may be more. */
export async function cancelMarked(db: Db, limit: number): Promise<boolean> {
  const { rows } = await sql<{ isMore: boolean }>`
    with mark as (
      select * from endpoint_cancellation limit 1 for update skip locked
    ), marked as (
      select u.store_id, u.delivery_id from mark join webhook_due u using (store_id, endpoint_id)
      where u.queued_at <= mark.before limit ${limit} for update of u skip locked
    ), due as (
      delete from webhook_due u using marked m
      where u.store_id = m.store_id and u.delivery_id = m.delivery_id
      returning u.store_id, u.delivery_id
    ), cancelled as (
      update webhook_delivery d set status = 'cancelled', next_attempt_at = null
      from due where d.store_id = due.store_id and d.id = due.delivery_id
    ), done as (
      -- What somebody else has locked at this moment is still to come.
      delete from endpoint_cancellation c using mark
      where c.store_id = mark.store_id and c.endpoint_id = mark.endpoint_id and (select count(*) from due) = (
        select count(*) from (
          select from webhook_due u where u.store_id = mark.store_id and u.endpoint_id = mark.endpoint_id
            and u.queued_at <= mark.before limit ${limit + 1}
        ) waiting
      )
    )
    select exists (select from mark) as "isMore"`.execute(db);
  return rows[0]!.isMore;
}

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

/** Which deliveries of an endpoint a list shows; each is left out where it does not matter. */
export interface DeliveryFilter {
  status?: DeliveryRow['status'] | undefined;
  eventType?: EventType | undefined;
  eventId?: string | undefined;
}

/** Deliveries of an endpoint, newest first, from after that one on; and how many there are in all. */
export async function listDeliveries(
  db: Db,
  storeId: string,
  endpointId: string,
  { status, eventType, eventId }: DeliveryFilter,
  { limit, after }: { limit: number; after: string | null },
) {
  let all = db
    .selectFrom('webhook_delivery')
    .where('store_id', '=', storeId)
    .where('endpoint_id', '=', endpointId);
  if (status) all = all.where('status', '=', status);
  if (eventType) all = all.where('event_type', '=', eventType);
  if (eventId) all = all.where('event_id', '=', eventId);
  // Ids sort by time, and an index has them in that order.
  const rows = await all
    .select(shown)
    .$if(after !== null, (page) => page.where('id', '<', after))
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

/** Makes a delivery due now. A settled one gets one last attempt; one that is being attempted stays as it is. */
export async function scheduleRedelivery(
  trx: Trx,
  storeId: string,
  endpointId: string,
  id: string,
): Promise<void> {
  await sql`
    with due as (
      insert into webhook_due as u (store_id, endpoint_id, delivery_id, claimable_at, is_leased)
      values (${storeId}, ${endpointId}, ${id}, now(), false)
      on conflict (store_id, delivery_id) do update set claimable_at = now() where not u.is_leased
      returning store_id, endpoint_id, claimable_at, xmax = 0 as was_settled
    ), queued as (
      ${sql.raw(queueEndpointsOf('due'))}
    )
    update webhook_delivery d set
      next_attempt_at = now(),
      status = case when due.was_settled then 'retrying' else d.status end,
      is_last_attempt = d.is_last_attempt or due.was_settled
    from due where d.store_id = ${storeId} and d.id = ${id}`.execute(trx);
}

/** Deletes deliveries, and events, of before the days they are kept: up to `limit` each; whether there may be more. */
export async function deleteOld(db: Db, days: number, limit: number): Promise<boolean> {
  const before = sql`now() - make_interval(days => ${days})`;
  const deliveries = await sql`
    with old as (
      select store_id, id from webhook_delivery where created_at < ${before} limit ${limit}
    ), due as (
      delete from webhook_due u using old
      where u.store_id = old.store_id and u.delivery_id = old.id
    )
    delete from webhook_delivery d using old
    where d.store_id = old.store_id and d.id = old.id`.execute(db);
  const events = await sql`delete from webhook_event where ctid in (
    select ctid from webhook_event where created_at < ${before} limit ${limit})`.execute(db);
  return (deliveries.numAffectedRows ?? 0n) + (events.numAffectedRows ?? 0n) >= limit;
}
