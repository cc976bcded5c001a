import type { DeliveryJob } from '@waybill/contracts';
import {
  type Columns,
  compileUnprepared,
  eachStore,
  isDistributed,
  ofStore,
  prepare,
  timestamp,
  withinStore,
} from '@waybill/kernel';
import { type Kysely, type Selectable, sql } from 'kysely';
import { epochMs } from '../lease.ts';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;
type Endpoint = Selectable<Tables['webhook_endpoint']>;

/** Maximum size of a body that is part of the call's message; delivery fetches a larger one. */
export const inlineBytes = 16 * 1024;

/**
 * Queues endpoints for the time at which `rows`, a table of a statement, says that their first delivery is due, or
 * keeps an earlier time. Every statement that adds to `webhook_due`, or makes a row of it due earlier, must include
 * this: it waits for a turn of the dispatcher that works on the endpoint, and a later turn sees both changes. The rows
 * are sorted, because locking them in different orders would deadlock.
 */
export const buildQueueEndpointsSql = (rows: string) =>
  `insert into endpoint_queue as q (store_id, endpoint_id, next_at)
   select store_id, endpoint_id, min(claimable_at) from ${rows} group by store_id, endpoint_id order by store_id, endpoint_id
   on conflict (store_id, endpoint_id) do update set next_at = excluded.next_at where excluded.next_at < q.next_at`;

/** The columns of an endpoint that decide about a call at its hand-over. */
export interface EndpointTarget {
  /** Whether its last call took long; its calls then use the slow lane. */
  isSlow: Endpoint['is_slow'];
  /** The holder whose rights decide what calls contain; null for nobody, so that calls contain only ids. */
  ownerId: Endpoint['owner_id'];
  /** The app that must be available; null when none must. */
  appId: Endpoint['app_id'];
}

/** The current state of an endpoint. */
export interface CurrentEndpoint extends EndpointTarget, Pick<Endpoint, 'id'> {
  /** When its owner last changed it, as text that is only compared. */
  changedAt: string;
}

/** SQL for the previous secret of endpoint `e`; null once it has expired. */
export const previousSecret = `case when e.previous_secret_expires_at > now() then jsonb_build_object(
     'sealed', e.sealed_previous_secret, 'expiresAt', ${timestamp('e.previous_secret_expires_at')}) end`;

const currentEndpoints = prepare<CurrentEndpoint>(
  'webhook-endpoints-now',
  `select e.id, e.is_slow as "isSlow", e.owner_id as "ownerId", e.app_id as "appId", e.updated_at::text as "changedAt"
   from unnest($1::text[], $2::text[]) as i (store_id, id)
   join webhook_endpoint e using (store_id, id)`,
);

/** Reads the current state of endpoints by id; deleted ones are missing. */
export async function findCurrentEndpoints(
  db: Db,
  endpoints: readonly { storeId: string; endpointId: string }[],
) {
  const { rows } = await db.executeQuery(
    currentEndpoints([
      endpoints.map(({ storeId }) => storeId),
      endpoints.map(({ endpointId }) => endpointId),
    ]),
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** A due delivery with everything that its call needs. `endpointStatus` is null when the endpoint is gone. */
export interface DueDelivery
  extends EndpointTarget,
    Columns<
      Tables['webhook_delivery'],
      {
        id: 'id';
        storeId: 'store_id';
        endpointId: 'endpoint_id';
        eventId: 'event_id';
        eventType: 'event_type';
        attempts: 'attempts';
        isTest: 'is_test';
      }
    >,
    Columns<
      Tables['webhook_endpoint'],
      {
        url: 'url';
        sealedSecret: 'sealed_secret';
        settings: 'call_settings';
        sealedSettings: 'sealed_settings';
      }
    > {
  isOrdered: boolean;
  /** The batch that it belongs to; null when it goes alone. */
  batchId: string | null;
  /** The latest time at which it may start, when its endpoint has a rate. */
  startsUntil?: number;
  /** Null when it is large. */
  body: string | null;
  bytes: number;
  committedAt: number;
  leasedUntil: number;
  endpointStatus: Endpoint['status'] | null;
  previousSecret: DeliveryJob['previousSecret'];
  /** Whether its endpoint has more due deliveries. */
  isMoreDue: boolean;
  /** Whether it is marked for cancellation. */
  isMarked: boolean;
  /** Whether its event is no longer kept, so that no call can be made. */
  isEventGone: boolean;
}

/** SQL for the columns that a call needs, from rows that a statement has claimed as `c` and joined by `callJoins`. */
export const callColumns = `d.id, d.store_id as "storeId", d.endpoint_id as "endpointId", d.event_id as "eventId",
     d.event_type as "eventType", d.attempts, d.is_test as "isTest",
     case when octet_length(v.body) <= ${inlineBytes} then v.body end as body, octet_length(v.body) as bytes,
     ${epochMs('v.created_at')} as "committedAt", ${epochMs('c.claimable_at')} as "leasedUntil",
     e.status as "endpointStatus", e.url, e.sealed_secret as "sealedSecret", ${previousSecret} as "previousSecret",
     e.is_slow as "isSlow", e.owner_id as "ownerId", e.app_id as "appId",
     e.call_settings as settings, e.sealed_settings as "sealedSettings", c.resource is not null as "isOrdered",
     case when e.batch is not null then c.batch_id end as "batchId",
     coalesce(c.queued_at <= mark.before, false) as "isMarked", v.body is null as "isEventGone"`;
export const callJoins = `join webhook_delivery d on d.store_id = c.store_id and d.id = c.delivery_id
   left join lateral (
     select v.body, v.created_at from webhook_event v where v.store_id = d.store_id and v.id = d.event_id
     -- A test call has no event; its body is made of its row.
     union all
     select '', d.created_at where d.is_test
   ) v on true
   left join webhook_endpoint e on e.store_id = d.store_id and e.id = d.endpoint_id
   left join endpoint_cancellation mark on mark.store_id = d.store_id and mark.endpoint_id = d.endpoint_id`;

/** An endpoint and its store. */
export type EndpointId = Columns<
  Tables['endpoint_queue'],
  { storeId: 'store_id'; endpointId: 'endpoint_id' }
>;

const queueMissing = compileUnprepared<Pick<EndpointId, 'endpointId'>>(
  `with recursive waiting as (
     (select store_id, endpoint_id from webhook_due where endpoint_id > $1 order by endpoint_id limit 1)
     union all
     select next.store_id, next.endpoint_id from waiting, lateral (
       select d.store_id, d.endpoint_id from webhook_due d
       where d.endpoint_id > waiting.endpoint_id order by d.endpoint_id limit 1
     ) next
   ), step as (
     select * from waiting limit $2
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
     ${buildQueueEndpointsSql('late')}
   )
   select endpoint_id as "endpointId" from step order by endpoint_id desc limit 1`,
);

/**
 * Queues those of the next `limit` endpoints with unsettled deliveries after the endpoint `after` that are not in the
 * queue. Returns the id of the last one; null at the end.
 */
export async function queueMissingEndpoints(
  db: Db,
  after: string | null,
  limit: number,
): Promise<string | null> {
  if (isDistributed(db)) return queueMissingOfStores(db, after, limit);
  const { rows } = await db.executeQuery(queueMissing([after ?? '', limit]));
  return rows[0]?.endpointId ?? null;
}

// On Citus the rows are read directly, without stepping from one endpoint to the next.
const unsettled = compileUnprepared<EndpointId>(
  `select distinct endpoint_id as "endpointId", store_id as "storeId" from webhook_due
   where endpoint_id > $1 order by endpoint_id limit $2`,
);
const missingOfStore = compileUnprepared<object>(
  withinStore(
    '$1',
    `with late as (
       select s.store_id, s.endpoint_id, first.claimable_at
       from unnest(array_fill($1::text, array[cardinality($2::text[])]), $2::text[]) as s (store_id, endpoint_id)
       cross join lateral (
         select d.claimable_at from webhook_due d
         where d.store_id = s.store_id and d.endpoint_id = s.endpoint_id
         order by d.claimable_at limit 1
       ) first
       left join endpoint_queue q on q.store_id = s.store_id and q.endpoint_id = s.endpoint_id
       where q.next_at is null or q.next_at > greatest(first.claimable_at, now())
     )
     ${buildQueueEndpointsSql('late')}`,
  ),
);

async function queueMissingOfStores(db: Db, after: string | null, limit: number): Promise<string | null> {
  const { rows } = await db.executeQuery(unsettled([after ?? '', limit]));
  await eachStore(db, rows, async (group, storeId) => {
    await db.executeQuery(missingOfStore([storeId, group.map(({ endpointId }) => endpointId)]));
    return [];
  });
  return rows.at(-1)?.endpointId ?? null;
}

const selectLeased = prepare<Columns<Tables['webhook_due'], { id: 'delivery_id' }>>(
  'webhook-leased',
  `select u.delivery_id as id from unnest($1::text[], $2::text[]) as i (store_id, delivery_id)
   join webhook_due u using (store_id, delivery_id)
   left join endpoint_cancellation mark on mark.store_id = u.store_id and mark.endpoint_id = u.endpoint_id
   where u.is_leased and (mark.before is null or u.queued_at > mark.before)`,
);

/**
 * Returns the ids of those deliveries that are handed out. The attempts of the others have ended, or they are to be
 * cancelled.
 */
export async function findLeased(
  db: Db,
  deliveries: readonly { storeId: string; deliveryId: string }[],
): Promise<ReadonlySet<string>> {
  const { rows } = await db.executeQuery(
    selectLeased([deliveries.map(({ storeId }) => storeId), deliveries.map(({ deliveryId }) => deliveryId)]),
  );
  return new Set(rows.map(({ id }) => id));
}

const selectAnyDue = prepare<object>(
  'webhook-any-due',
  `select from endpoint_queue where next_at <= now() limit 1`,
);

/** Whether any endpoint is due to be looked at. */
export async function hasDueEndpoint(db: Db): Promise<boolean> {
  const { rows } = await db.executeQuery(selectAnyDue([]));
  return rows.length > 0;
}

/** Maximum number of endpoints that the metrics look at, and of deliveries of each. */
const measureLimits = { endpoints: 50, deliveries: 200 };

/**
 * Measures how many calls are due and not in flight, and how long the oldest has been due. It looks only at the
 * endpoints that have waited longest, and at a limited number of deliveries of each: this suffices for an alert, and
 * stays cheap with millions waiting.
 */
export async function measureDue(db: Db): Promise<{ due: number; oldestSeconds: number }> {
  if (isDistributed(db)) return measureDueOfStores(db);
  const { rows } = await sql<{ due: number; oldestSeconds: number }>`
    with late as (
      select store_id, endpoint_id from endpoint_queue where next_at <= now()
      order by next_at limit ${measureLimits.endpoints}
    )
    select count(*) as due, coalesce(extract(epoch from now() - min(claimable_at)), 0)::float8 as "oldestSeconds"
    from late cross join lateral (
      select claimable_at from webhook_due d
      where d.store_id = late.store_id and d.endpoint_id = late.endpoint_id and claimable_at <= now()
      order by claimable_at limit ${measureLimits.deliveries}
    ) waiting`.execute(db);
  return rows[0]!;
}

/** Measures the same on Citus, where a limited lateral subquery must belong to a single store. */
async function measureDueOfStores(db: Db): Promise<{ due: number; oldestSeconds: number }> {
  const { rows: late } = await sql<EndpointId>`
    select store_id as "storeId", endpoint_id as "endpointId" from endpoint_queue where next_at <= now()
    order by next_at limit ${measureLimits.endpoints}`.execute(db);
  let [due, oldestSeconds] = [0, 0];
  for (const { storeId, endpointId } of late) {
    const { rows } = await sql<{ due: number; seconds: number }>`
      select count(*) as due, coalesce(extract(epoch from now() - min(claimable_at)), 0)::float8 as seconds
      from (
        select claimable_at from webhook_due
        where store_id = ${storeId} and endpoint_id = ${endpointId} and claimable_at <= now()
        order by claimable_at limit ${measureLimits.deliveries}
      ) waiting`.execute(db);
    due += rows[0]!.due;
    oldestSeconds = Math.max(oldestSeconds, rows[0]!.seconds);
  }
  return { due, oldestSeconds };
}

/** Ends the leases of a process that no longer exists. */
export async function releaseLeases(db: Db): Promise<void> {
  await sql`
    with due as (
      update webhook_due set claimable_at = now(), is_leased = false where is_leased
      returning store_id, endpoint_id, claimable_at
    ) ${sql.raw(buildQueueEndpointsSql('due'))}`.execute(db);
}

const lockOrders = prepare<object>(
  'webhook-orders-lock',
  `select pg_advisory_xact_lock(hashtextextended('order ' || id, 0))
   from (select distinct id from unnest($1::text[]) as e (id) order by id) sorted`,
);

/**
 * Keeps others from starting or ending calls of ordered endpoints until the transaction ends. The statements after it
 * find out whether a call must wait for another.
 */
export async function lockOrderedEndpoints(trx: Db, endpointIds: readonly string[]): Promise<void> {
  if (endpointIds.length > 0) await trx.executeQuery(lockOrders([endpointIds]));
}

const promoteEarliestText = `with touched as (
     select distinct * from unnest($1::text[], $2::text[], $3::text[]) as t (store_id, endpoint_id, resource)
   ), moved as materialized (
     select earliest.store_id, earliest.delivery_id as earliest_id, active.delivery_id as active_id
     from touched t
     cross join lateral (
       select d.store_id, d.delivery_id, d.claimable_at from webhook_due d
       where d.store_id = t.store_id and d.endpoint_id = t.endpoint_id and d.resource = t.resource
       order by d.sequence, d.ordered_event_id nulls first, d.delivery_id limit 1
     ) earliest
     cross join lateral (
       select d.delivery_id from webhook_due d
       where d.store_id = t.store_id and d.endpoint_id = t.endpoint_id and d.resource = t.resource
         and d.claimable_at < 'infinity' and not d.is_leased and exists (
           select from webhook_delivery w where w.store_id = d.store_id and w.id = d.delivery_id and w.attempts = 0
         )
       limit 1 for update
     ) active
     where earliest.claimable_at = 'infinity'
   ), put_back as (
     update webhook_due d set claimable_at = 'infinity' from moved
     where d.store_id = moved.store_id and d.delivery_id = moved.active_id and not d.is_leased
     returning d.store_id, moved.earliest_id
   ), due as (
     update webhook_due d set claimable_at = greatest(statement_timestamp(), d.not_before) from put_back p
     where d.store_id = p.store_id and d.delivery_id = p.earliest_id
     returning d.store_id, d.endpoint_id, d.claimable_at
   ) ${buildQueueEndpointsSql('due')}`;
const promoteEarliest = compileUnprepared<object>(promoteEarliestText);
const promoteEarliestOfStore = compileUnprepared<object>(withinStore('$4', promoteEarliestText));

/**
 * Lets the earliest call about each of these objects go first, when a later one was written before it and is not handed
 * over yet. Requires the lock of the endpoint.
 */
export async function promoteEarliestCalls(
  trx: Db,
  resources: readonly { storeId: string; endpointId: string; resource: string }[],
): Promise<void> {
  await eachStore(trx, resources, async (group, storeId) => {
    const values = [
      group.map((each) => each.storeId),
      group.map(({ endpointId }) => endpointId),
      group.map(({ resource }) => resource),
    ];
    await trx.executeQuery(
      storeId === null ? promoteEarliest(values) : promoteEarliestOfStore([...values, storeId]),
    );
    return [];
  });
}

/** Hands over again calls that were not made because they came too late for their endpoint's rate. */
export async function requeueNotStarted(
  trx: Db,
  calls: readonly { storeId: string; deliveryId: string }[],
): Promise<void> {
  await eachStore(trx, calls, async (group, storeId) => {
    const { rows } = await sql<object>`
      with uncounted as (
        delete from endpoint_call c using ${deliveryKeys(group)}
        where c.store_id = i.store_id and c.delivery_id = i.delivery_id and ${ofStore(storeId, 'c.store_id')}
      ), due as (
        update webhook_due d set claimable_at = now(), is_leased = false
        from ${deliveryKeys(group)} where d.store_id = i.store_id and d.delivery_id = i.delivery_id and d.is_leased
          and ${ofStore(storeId, 'd.store_id')}
        returning d.store_id, d.endpoint_id, d.claimable_at
      ) ${sql.raw(buildQueueEndpointsSql('due'))}`.execute(trx);
    return rows;
  });
}

/** How long a call that was held back waits. */
const holdBackSeconds = 2;

/** Revokes leases for a while, because the rights that decide what the calls contain could not be read. */
export async function postponeCalls(db: Db, jobs: readonly DeliveryJob[]): Promise<void> {
  await eachStore(db, jobs, async (group, storeId) => {
    const { rows } = await sql<object>`
      with due as (
        update webhook_due d set claimable_at = now() + make_interval(secs => ${holdBackSeconds}), is_leased = false
        from ${deliveryKeys(group)} where d.store_id = i.store_id and d.delivery_id = i.delivery_id
          and ${ofStore(storeId, 'd.store_id')}
        returning d.store_id, d.endpoint_id, d.claimable_at
      ) ${sql.raw(buildQueueEndpointsSql('due'))}`.execute(db);
    return rows;
  });
}

/** Cancels deliveries that were about to be handed over. */
export async function cancelDeliveries(db: Db, jobs: readonly DeliveryJob[]): Promise<void> {
  await eachStore(db, jobs, async (group, storeId) => {
    const { rows } = await sql<object>`
      with ${deleteFromSchedule(group, storeId)}
      update webhook_delivery d set status = 'cancelled', next_attempt_at = null
      from due where d.store_id = due.store_id and d.id = due.delivery_id and ${ofStore(storeId, 'd.store_id')}`.execute(
      db,
    );
    return rows;
  });
}

/** Ends deliveries that were about to be handed over and whose events are gone. */
export async function endDeliveriesWithoutEvent(
  db: Db,
  deliveries: readonly ScheduledDelivery[],
): Promise<void> {
  await eachStore(db, deliveries, async (group, storeId) => {
    const { rows } = await sql<object>`
      with ${deleteFromSchedule(group, storeId)}
      update webhook_delivery d set status = 'dead', next_attempt_at = null,
        last_status_code = null, last_error = 'the event is no longer kept'
      from due where d.store_id = due.store_id and d.id = due.delivery_id and ${ofStore(storeId, 'd.store_id')}`.execute(
      db,
    );
    return rows;
  });
}

type ScheduledDelivery = Pick<DeliveryJob, 'storeId' | 'deliveryId'>;

const deleteFromSchedule = (deliveries: readonly ScheduledDelivery[], storeId: string | null) => sql`due as (
    delete from webhook_due d using ${deliveryKeys(deliveries)}
    where d.store_id = i.store_id and d.delivery_id = i.delivery_id and ${ofStore(storeId, 'd.store_id')}
    returning d.store_id, d.delivery_id
  )`;

const deliveryKeys = (jobs: readonly ScheduledDelivery[]) =>
  sql`unnest(${jobs.map(({ storeId }) => storeId)}::text[], ${jobs.map(({ deliveryId }) => deliveryId)}::text[])
    as i (store_id, delivery_id)`;
