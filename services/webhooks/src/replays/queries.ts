import { type CallType, type FilterCondition, newId } from '@waybill/contracts';
import {
  claimByStore,
  compileUnprepared,
  deleteBatch,
  isDistributed,
  ofStore,
  withinStore,
} from '@waybill/kernel';
import { type Insertable, type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import { insertDeliveryCounts, partitionOfRow } from '../deliveries/queries.ts';
import { retentionDays } from '../retention.ts';
import { buildQueueEndpointsSql } from '../schedule/queries.ts';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;
export type ReplayRow = Selectable<Tables['webhook_replay']>;

export function insertReplay(
  trx: Trx,
  storeId: string,
  replay: Omit<Insertable<Tables['webhook_replay']>, 'store_id' | 'state'>,
): Promise<ReplayRow> {
  return trx
    .insertInto('webhook_replay')
    .values({ store_id: storeId, state: 'running', ...replay })
    .returningAll()
    .executeTakeFirstOrThrow();
}

const selectReplays = (db: Db, storeId: string, endpointId: string) =>
  db.selectFrom('webhook_replay').where('store_id', '=', storeId).where('endpoint_id', '=', endpointId);

/** Returns the number of running replays of an endpoint. */
export async function countRunning(db: Db, storeId: string, endpointId: string): Promise<number> {
  const running = selectReplays(db, storeId, endpointId).where('state', '=', 'running');
  const { total } = await running
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

/** Returns replays of an endpoint, newest first, starting after `after`, and their total number. */
export async function listReplays(
  db: Db,
  storeId: string,
  endpointId: string,
  { limit, after }: { limit: number; after: string | null },
) {
  const all = selectReplays(db, storeId, endpointId);
  const rows = await all
    .selectAll()
    .$if(after !== null, (page) => page.where('id', '<', after))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  const { total } = await all.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  return { rows, total };
}

/** Returns a replay of an endpoint, or null when there is none. */
export async function findReplay(
  db: Db,
  storeId: string,
  endpointId: string,
  id: string,
): Promise<ReplayRow | null> {
  const selected = selectReplays(db, storeId, endpointId).where('id', '=', id);
  return (await selected.selectAll().executeTakeFirst()) ?? null;
}

/** Ends a running replay. Returns whether it was running. */
export async function endReplay(
  db: Db,
  storeId: string,
  id: string,
  state: 'done' | 'cancelled',
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('webhook_replay')
    .set({ state, finished_at: sql`now()` })
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .where('state', '=', 'running')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Cancels the waiting calls of a replay, whose number is limited. Calls in flight end by themselves. */
export async function cancelReplayCalls(trx: Trx, storeId: string, id: string): Promise<void> {
  await sql`
    with due as (
      delete from webhook_due where store_id = ${storeId} and replay_id = ${id} and not is_leased
      returning store_id, delivery_id
    )
    update webhook_delivery d set status = 'cancelled', next_attempt_at = null
    from due where d.store_id = due.store_id and d.id = due.delivery_id`.execute(trx);
}

/** Deletes up to `limit` replays that ended more than `days` days ago. Returns whether there may be more. */
export const deleteOldReplays = (db: Db, days: number, limit: number): Promise<boolean> =>
  deleteBatch(db, 'webhook_replay', sql`finished_at < now() - make_interval(days => ${days})`, limit);

/**
 * Returns the running replay whose turn it is, locked until the transaction ends: one of `preferred`, otherwise the one
 * that has waited longest.
 */
export async function claimReplayTurn(trx: Trx, preferred: readonly string[]): Promise<ReplayRow | null> {
  const canContinue = sql`state = 'running' and (looked_at <= now() or id = any(${preferred}::text[]))`;
  const turnOrder = sql`id = any(${preferred}::text[]) desc, looked_at`;
  const [replay] = await claimByStore<ReplayRow>(trx, {
    limit: 1,
    stores: () => sql`
      select store_id as "storeId" from webhook_replay where ${canContinue} order by ${turnOrder} limit 20`,
    async claim(storeId) {
      const { rows } = await sql<ReplayRow>`
        update webhook_replay set looked_at = statement_timestamp()
        where ${ofStore(storeId)} and (store_id, id) in (
          select store_id, id from webhook_replay where ${canContinue} and ${ofStore(storeId)}
          order by ${turnOrder} limit 1 for update skip locked
        ) returning *`.execute(trx);
      return rows;
    },
  });
  return replay ?? null;
}

/** Postpones a replay that cannot continue. */
export async function postponeReplay(trx: Trx, storeId: string, id: string, seconds: number): Promise<void> {
  await sql`
    update webhook_replay set looked_at = statement_timestamp() + make_interval(secs => ${seconds})
    where store_id = ${storeId} and id = ${id}`.execute(trx);
}

/** Counts the unsettled calls of a replay, and those of them that have not been made yet; at most `limit`. */
export async function countUnsettled(
  db: Db,
  storeId: string,
  id: string,
  limit: number,
): Promise<{ unsettled: number; notMade: number }> {
  const { rows } = await sql<{ unsettled: number; notMade: number }>`
    select count(*) as unsettled, count(*) filter (where d.attempts = 0) as "notMade"
    from (
      select store_id, delivery_id from webhook_due where store_id = ${storeId} and replay_id = ${id} limit ${limit}
    ) u join webhook_delivery d on d.store_id = u.store_id and d.id = u.delivery_id`.execute(db);
  return rows[0]!;
}

/** Maximum number of events that a step examines when it counts and when it sends. */
const eventsPerStep = { counting: 5_000, sending: 200 };

/**
 * SQL for the next events of replay $2 of store $1, and for those of them that match it, numbered. Without a record, an
 * event was never called for, unless the record may have been deleted: those of a webhook that is younger than its
 * retention are all there.
 */
const nextEvents = (limit: string, excluded: string) => `replay as (
     select * from webhook_replay where store_id = $1 and id = $2
   ), scan as materialized (
     select v.* from replay join lateral (
       select id, type, created_at from webhook_event e
       where e.store_id = replay.store_id and (e.created_at, e.id) > (replay.reached_at, replay.reached_id)
         and e.created_at < replay.until
       order by e.created_at, e.id limit ${limit}
     ) v on true
   ), recorded as materialized (
     select now() - interval '${retentionDays} days' as since, exists (
       select from replay join webhook_endpoint e on e.store_id = replay.store_id and e.id = replay.endpoint_id
       where e.created_at > now() - interval '${retentionDays} days'
     ) as are_all
   ), matching as materialized (
     select scan.*, row_number() over (order by scan.created_at, scan.id) as ordinal
     from replay cross join recorded cross join scan left join lateral (
       select d.status from webhook_delivery d
       where d.store_id = replay.store_id and d.event_id = scan.id and d.endpoint_id = replay.endpoint_id
       order by d.id desc limit 1
     ) latest on true
     where scan.type = any(replay.types)
       and coalesce(latest.status, case when recorded.are_all or scan.created_at > recorded.since then 'never' end)
         = any(replay.statuses)
       and scan.id <> all(${excluded})
   )`;

const count = compileUnprepared(
  withinStore(
    '$1',
    `with ${nextEvents('$4::int', '$3::text[]')}, reached as (
     select created_at, id from scan order by created_at desc, id desc limit 1
   )
   update webhook_replay r set matched = r.matched + (select count(*) from matching),
     is_counted = next.is_counted,
     reached_at = case when next.is_counted then r.since else reached.created_at end,
     reached_id = case when next.is_counted then '' else reached.id end
   from (select count(*) < $4::int as is_counted from scan) next left join reached on true
   where r.store_id = $1 and r.id = $2`,
  ),
);

/**
 * Continues counting the events that a replay will call for: the next matching ones that the filter does not exclude.
 */
export async function countMatching(
  trx: Trx,
  storeId: string,
  id: string,
  excluded: readonly string[] | null,
): Promise<void> {
  const limit = excluded === null ? eventsPerStep.counting : eventsPerStep.sending;
  await trx.executeQuery(count([storeId, id, excluded ?? [], limit]));
}

const sendText = (isDistributed: boolean) =>
  `with ${nextEvents(String(eventsPerStep.sending), '$4::text[]')}, delivery as (
     insert into webhook_delivery (store_id, id, endpoint_id, event_id, event_type, status, next_attempt_at)
     select replay.store_id, i.id, replay.endpoint_id, m.id, m.type, 'pending', now()
     from replay, unnest($3::text[]) with ordinality as i (id, ordinal) join matching m using (ordinal)
     returning store_id, endpoint_id, event_id, id, ${partitionOfRow(isDistributed)}
   ), due as (
     insert into webhook_due
       (store_id, endpoint_id, delivery_id, claimable_at, is_leased, replay_id, resource, sequence,
        ordered_event_id)
     select d.store_id, d.endpoint_id, d.id, case
         -- The trigger due_ended makes it due when the call before has ended.
         when r.resource is not null and (
           row_number() over (partition by r.resource order by v.created_at, d.event_id) > 1 or exists (
             select from webhook_due u
             where u.store_id = d.store_id and u.endpoint_id = d.endpoint_id and u.resource = r.resource
           )
         ) then 'infinity' else now() end, false, $2, r.resource,
       (extract(epoch from v.created_at) * 1000000)::bigint, case when r.resource is not null then d.event_id end
     from delivery d
     left join webhook_event v on v.store_id = d.store_id and v.id = d.event_id
     left join unnest($5::text[], $6::text[]) as r (event_id, resource) on r.event_id = d.event_id
     returning store_id, endpoint_id, claimable_at
   ), queued as (
     ${buildQueueEndpointsSql('due')}
   ), counted as (
     ${insertDeliveryCounts('delivery')}
   ), reached as (
     -- The last that is called for where more of them match, otherwise the last that was looked at.
     select created_at, id from scan
     where (select count(*) from matching) <= cardinality($3::text[])
       or (created_at, id) <= (select created_at, id from matching where ordinal = cardinality($3::text[]))
     order by created_at desc, id desc limit 1
   ), moved as (
     update webhook_replay r set reached_at = reached.created_at, reached_id = reached.id,
       sent = r.sent + (select count(*) from delivery)
     from reached where r.store_id = $1 and r.id = $2
   )
   select (select count(*) from delivery) as sent, (select count(*) from scan) < ${eventsPerStep.sending}
     and (select count(*) from matching) <= cardinality($3::text[]) as "isEnd"`;
type Sent = { sent: number; isEnd: boolean };
const sendMatchingEvents = compileUnprepared<Sent>(sendText(false));
const sendDistributed = compileUnprepared<Sent>(withinStore('$1', sendText(true)));

/**
 * Creates up to `capacity` deliveries, due at once, for the next events that match a replay. Returns how many, and
 * whether those were the last.
 */
export async function sendMatching(
  trx: Trx,
  storeId: string,
  id: string,
  capacity: number,
  { excluded, resources }: { excluded: readonly string[] | null; resources: ReadonlyMap<string, string> },
): Promise<{ sent: number; isEnd: boolean }> {
  const ids = Array.from({ length: capacity }, () => newId('webhookDelivery'));
  const { rows } = await trx.executeQuery(
    (isDistributed(trx) ? sendDistributed : sendMatchingEvents)([
      storeId,
      id,
      ids,
      excluded ?? [],
      [...resources.keys()],
      [...resources.values()],
    ]),
  );
  return rows[0]!;
}

/** The columns that decide whether and for which events an endpoint may be called. */
export interface ReplayTarget {
  status: Tables['webhook_endpoint']['status'];
  appId: string | null;
  ownerId: string | null;
  filter: FilterCondition[] | null;
  ordering: string | null;
}

/** Returns the next events that a step of a replay examines, with their bodies. */
export async function listNextBodies(
  trx: Trx,
  storeId: string,
  id: string,
): Promise<{ id: string; type: CallType; body: string }[]> {
  const { rows } = await sql<{ id: string; type: CallType; body: string }>`
    select next.id, next.type, next.body from webhook_replay replay cross join lateral (
      select id, type, body from webhook_event e
      where e.store_id = replay.store_id and (e.created_at, e.id) > (replay.reached_at, replay.reached_id)
        and e.created_at < replay.until
      order by e.created_at, e.id limit ${eventsPerStep.sending}
    ) next
    where replay.store_id = ${storeId} and replay.id = ${id} and next.type = any(replay.types)`.execute(trx);
  return rows;
}

/** Returns the endpoint that a replay calls; null when it is gone. */
export async function findReplayTarget(
  db: Db,
  storeId: string,
  endpointId: string,
): Promise<ReplayTarget | null> {
  const row = await db
    .selectFrom('webhook_endpoint')
    .select(['status', 'app_id as appId', 'owner_id as ownerId', 'filter', 'ordering'])
    .where('store_id', '=', storeId)
    .where('id', '=', endpointId)
    .executeTakeFirst();
  return row ?? null;
}
