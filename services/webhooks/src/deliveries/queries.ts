import type { DeliveryJob, DeliveryOutcome, EventType, ReceivedReply } from '@waybill/contracts';
import { prepare, timestamp, withoutWaitingForDisk } from '@waybill/kernel';
import { CompiledQuery, type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import type { PublicEvent } from '../events/public-event.ts';
import type { Tables } from '../tables.ts';

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

/** What decides over a call at the moment when it is made. */
export interface Callee {
  /** Failed attempts since the last good one. */
  failures: number;
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
     e.failures, e.owner_id as "ownerId", e.app_id as "appId", e.updated_at::text as "changedAt"
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
  `select e.id, e.failures, e.owner_id as "ownerId", e.app_id as "appId", e.updated_at::text as "changedAt"
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

const insertAll = prepare<{ id: string }>(
  'webhook-delivery-insert',
  `with incoming as (
     select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[], $8::bool[])
       as i (id, store_id, endpoint_id, event_id, event_type, body, committed_at, leased)
   ), event as (
     insert into webhook_event (store_id, id, type, body, created_at)
     select distinct on (store_id, event_id) store_id, event_id, event_type, body, committed_at from incoming
     on conflict do nothing
   ), delivery as (
     insert into webhook_delivery (store_id, id, endpoint_id, event_id, event_type, status, next_attempt_at)
     select i.store_id, i.id, i.endpoint_id, i.event_id, i.event_type, 'pending', now()
     from incoming i
     -- Once more, now that it counts: the endpoint may have been disabled or deleted since it was looked up.
     join webhook_endpoint e on e.store_id = i.store_id and e.id = i.endpoint_id and e.status <> 'disabled'
     on conflict (store_id, event_id, endpoint_id) do nothing
     returning store_id, endpoint_id, id
   )
   insert into webhook_due (store_id, endpoint_id, delivery_id, claimable_at, is_leased)
   select d.store_id, d.endpoint_id, d.id, now() + case when i.leased then interval '${leaseSeconds} seconds'
     else interval '0' end, i.leased
   from delivery d join incoming i on i.id = d.id
   returning delivery_id as id`,
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
  body: string;
  committedAt: number;
  endpointStatus: Tables['webhook_endpoint']['status'] | null;
  url: string;
  sealedSecret: string;
  previousSecret: DeliveryJob['previousSecret'];
}

// The recursion steps from endpoint to endpoint through the index, so that a backlog of a million calls to one
// costs no more than the one row that is looked at; `room` then says how many of each may be taken.
const claim = planned<DueDelivery>(
  `with recursive waiting as (
     (select store_id, endpoint_id from webhook_due order by store_id, endpoint_id limit 1)
     union all
     select next.store_id, next.endpoint_id from waiting, lateral (
       select d.store_id, d.endpoint_id from webhook_due d
       where (d.store_id, d.endpoint_id) > (waiting.store_id, waiting.endpoint_id)
       order by d.store_id, d.endpoint_id limit 1
     ) next
   ), due as (
     select picked.*
     from waiting
     left join unnest($1::text[], $2::int[]) as tight (endpoint_id, room) using (endpoint_id)
     cross join lateral (
       select d.store_id, d.delivery_id from webhook_due d
       where d.store_id = waiting.store_id and d.endpoint_id = waiting.endpoint_id and d.claimable_at <= now()
       order by d.claimable_at limit coalesce(tight.room, $3) for update skip locked
     ) picked
     limit $4
   ), claimed as (
     update webhook_due d set claimable_at = now() + interval '${leaseSeconds} seconds', is_leased = true
     from due where d.store_id = due.store_id and d.delivery_id = due.delivery_id and ${withoutWaitingForDisk}
     returning d.store_id, d.delivery_id
   )
   select d.id, d.store_id as "storeId", d.endpoint_id as "endpointId", d.event_id as "eventId",
     d.event_type as "eventType", d.attempts, d.is_test as "isTest", v.body,
     extract(epoch from v.created_at)::float8 * 1000 as "committedAt", e.status as "endpointStatus",
     e.url, e.sealed_secret as "sealedSecret", ${previousSecret} as "previousSecret", e.failures,
     e.owner_id as "ownerId", e.app_id as "appId"
   from claimed c
   join webhook_delivery d on d.store_id = c.store_id and d.id = c.delivery_id
   join lateral (
     select v.body, v.created_at from webhook_event v where v.store_id = d.store_id and v.id = d.event_id
     -- A test call has no event; its body is made of its row.
     union all
     select '', d.created_at where d.is_test
   ) v on true
   left join webhook_endpoint e on e.store_id = d.store_id and e.id = d.endpoint_id`,
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

const leasedOf = prepare<{ id: string }>(
  'webhook-leased',
  `select delivery_id as id from unnest($1::text[], $2::text[]) as i (store_id, delivery_id)
   join webhook_due using (store_id, delivery_id) where is_leased`,
);

/** Which of some deliveries are handed out, by id: of the others the attempt has ended. */
export async function findLeased(
  db: Db,
  deliveries: readonly { storeId: string; deliveryId: string }[],
): Promise<ReadonlySet<string>> {
  const { rows } = await db.executeQuery(
    leasedOf([deliveries.map(({ storeId }) => storeId), deliveries.map(({ deliveryId }) => deliveryId)]),
  );
  return new Set(rows.map(({ id }) => id));
}

/** How many calls are due and not in hand, and for how long the oldest has been. */
export async function measureDue(db: Db): Promise<{ due: number; oldestSeconds: number }> {
  const { rows } = await sql<{ due: number; oldestSeconds: number }>`
    select count(*) as due, coalesce(extract(epoch from now() - min(claimable_at)), 0)::float8 as "oldestSeconds"
    from webhook_due where claimable_at <= now()`.execute(db);
  return rows[0]!;
}

/** Ends the leases of a process that is no more. */
export async function releaseLeases(db: Db): Promise<void> {
  await db
    .updateTable('webhook_due')
    .set({ claimable_at: sql`now()`, is_leased: false })
    .where('is_leased', '=', true)
    .execute();
}

/** How long a call that was held back waits until it is looked at again. */
const holdSeconds = 2;

/** Takes leases back for a while: what the calls may tell could not be found out. */
export async function holdBack(db: Db, jobs: readonly DeliveryJob[]): Promise<void> {
  await sql`
    update webhook_due d set claimable_at = now() + make_interval(secs => ${holdSeconds}), is_leased = false
    from ${dueOf(jobs)} where d.store_id = i.store_id and d.delivery_id = i.delivery_id`.execute(db);
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
     select o.*, coalesce(e.status, 'disabled') = 'disabled' as is_unwanted,
       not o.delivered and o.attempt <= cardinality($9::float8[]) as may_retry
     from unnest($1::text[], $2::text[], $3::text[], $4::int[], $5::bool[], $6::int[], $7::text[], $8::text[])
       as o (store_id, endpoint_id, id, attempt, delivered, status_code, error, entry)
     left join webhook_endpoint e on e.store_id = o.store_id and e.id = o.endpoint_id
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
export async function cancelWaitingDeliveries(db: Db, storeId: string, endpointId: string): Promise<void> {
  await sql`
    with due as (
      delete from webhook_due where store_id = ${storeId} and endpoint_id = ${endpointId} returning delivery_id
    )
    update webhook_delivery d set status = 'cancelled', next_attempt_at = null
    from due where d.store_id = ${storeId} and d.id = due.delivery_id`.execute(db);
}

/** Cancels up to `limit` of what has waited for an app's endpoints since before that moment; how many there were. */
export async function cancelOfApp(
  db: Db,
  { storeId, appId, before }: { storeId: string; appId: string; before: string },
  limit: number,
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    with due as (
      delete from webhook_due u using (
        select w.store_id, w.delivery_id from webhook_due w
        join webhook_endpoint e on e.store_id = w.store_id and e.id = w.endpoint_id
        join webhook_delivery d on d.store_id = w.store_id and d.id = w.delivery_id
        where w.store_id = ${storeId} and e.app_id = ${appId} and d.created_at <= ${before}::timestamptz
        limit ${limit}
      ) waiting
      where u.store_id = waiting.store_id and u.delivery_id = waiting.delivery_id
      returning u.store_id, u.delivery_id
    )
    update webhook_delivery d set status = 'cancelled', next_attempt_at = null
    from due where d.store_id = due.store_id and d.id = due.delivery_id`.execute(db);
  return Number(numAffectedRows);
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
      returning xmax = 0 as was_settled
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
