import { newId } from '@waybill/contracts';
import { deleteStep, planned } from '@waybill/kernel';
import { type Insertable, type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import { countDeliveriesOf, partitionOfRow } from '../deliveries/queries.ts';
import { queueEndpointsOf } from '../schedule/queries.ts';
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

const replaysOf = (db: Db, storeId: string, endpointId: string) =>
  db.selectFrom('webhook_replay').where('store_id', '=', storeId).where('endpoint_id', '=', endpointId);

/** How many replays of an endpoint run. */
export async function countRunning(db: Db, storeId: string, endpointId: string): Promise<number> {
  const running = replaysOf(db, storeId, endpointId).where('state', '=', 'running');
  const { total } = await running
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

/** Replays of an endpoint, newest first, from after that one on; and how many there are in all. */
export async function listReplays(
  db: Db,
  storeId: string,
  endpointId: string,
  { limit, after }: { limit: number; after: string | null },
) {
  const all = replaysOf(db, storeId, endpointId);
  const rows = await all
    .selectAll()
    .$if(after !== null, (page) => page.where('id', '<', after))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  const { total } = await all.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  return { rows, total };
}

/** A replay of an endpoint, null when there is none. */
export async function findReplay(
  db: Db,
  storeId: string,
  endpointId: string,
  id: string,
): Promise<ReplayRow | null> {
  const one = replaysOf(db, storeId, endpointId).where('id', '=', id);
  return (await one.selectAll().executeTakeFirst()) ?? null;
}

/** Ends a replay that runs; whether it did. */
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

/** Cancels the calls of a replay that wait: no more than it may have unsettled. Those in flight end by themselves. */
export async function cancelCallsOf(trx: Trx, storeId: string, id: string): Promise<void> {
  await sql`
    with due as (
      delete from webhook_due where store_id = ${storeId} and replay_id = ${id} and not is_leased
      returning store_id, delivery_id
    )
    update webhook_delivery d set status = 'cancelled', next_attempt_at = null
    from due where d.store_id = due.store_id and d.id = due.delivery_id`.execute(trx);
}

/** Deletes up to `limit` replays of before the days they are kept; whether there may be more. */
export const deleteOldReplays = (db: Db, days: number, limit: number): Promise<boolean> =>
  deleteStep(db, 'webhook_replay', sql`finished_at < now() - make_interval(days => ${days})`, limit);

/**
 * The replay whose turn it is, of those that run: one of `preferred`, otherwise the one that has waited longest; locked
 * until the transaction ends.
 */
export async function takeTurn(trx: Trx, preferred: readonly string[]): Promise<ReplayRow | null> {
  const { rows } = await sql<ReplayRow>`
    update webhook_replay set looked_at = clock_timestamp() where (store_id, id) in (
      select store_id, id from webhook_replay
      where state = 'running' and (looked_at <= now() or id = any(${preferred}::text[]))
      order by id = any(${preferred}::text[]) desc, looked_at limit 1 for update skip locked
    ) returning *`.execute(trx);
  return rows[0] ?? null;
}

/** Leaves a replay that cannot go on alone for so long. */
export async function postpone(trx: Trx, storeId: string, id: string, seconds: number): Promise<void> {
  await sql`
    update webhook_replay set looked_at = clock_timestamp() + make_interval(secs => ${seconds})
    where store_id = ${storeId} and id = ${id}`.execute(trx);
}

/** How many calls of a replay are not settled, and how many of them have not been made yet; up to `limit`. */
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

/** The most events that a step looks at, to count them and to call for them. */
const stepEvents = { counting: 5_000, sending: 200 };

/** The next events of replay $2 of store $1, and those of them that match it, numbered. */
const nextEvents = (limit: number) => `replay as (
     select * from webhook_replay where store_id = $1 and id = $2
   ), scan as materialized (
     select v.* from replay join lateral (
       select id, type, created_at from webhook_event e
       where e.store_id = replay.store_id and (e.created_at, e.id) > (replay.reached_at, replay.reached_id)
         and e.created_at < replay.until
       order by e.created_at, e.id limit ${limit}
     ) v on true
   ), matching as materialized (
     select scan.*, row_number() over (order by scan.created_at, scan.id) as ordinal
     from replay cross join scan left join lateral (
       select d.status from webhook_delivery d
       where d.store_id = replay.store_id and d.event_id = scan.id and d.endpoint_id = replay.endpoint_id
       order by d.id desc limit 1
     ) latest on true
     where scan.type = any(replay.types) and coalesce(latest.status, 'never') = any(replay.statuses)
   )`;

const count = planned(
  `with ${nextEvents(stepEvents.counting)}, reached as (
     select created_at, id from scan order by created_at desc, id desc limit 1
   )
   update webhook_replay r set matched = r.matched + (select count(*) from matching),
     is_counted = next.is_counted,
     reached_at = case when next.is_counted then r.since else reached.created_at end,
     reached_id = case when next.is_counted then '' else reached.id end
   from (select count(*) < ${stepEvents.counting} as is_counted from scan) next left join reached on true
   where r.store_id = $1 and r.id = $2`,
);

/** Goes on with counting what a replay will call for. */
export async function countMatching(trx: Trx, storeId: string, id: string): Promise<void> {
  await trx.executeQuery(count([storeId, id]));
}

const send = planned<{ sent: number; isEnd: boolean }>(
  `with ${nextEvents(stepEvents.sending)}, delivery as (
     insert into webhook_delivery (store_id, id, endpoint_id, event_id, event_type, status, next_attempt_at)
     select replay.store_id, i.id, replay.endpoint_id, m.id, m.type, 'pending', now()
     from replay, unnest($3::text[]) with ordinality as i (id, ordinal) join matching m using (ordinal)
     returning store_id, endpoint_id, id, ${partitionOfRow}
   ), due as (
     insert into webhook_due (store_id, endpoint_id, delivery_id, claimable_at, is_leased, replay_id)
     select store_id, endpoint_id, id, now(), false, $2 from delivery
     returning store_id, endpoint_id, claimable_at
   ), queued as (
     ${queueEndpointsOf('due')}
   ), counted as (
     ${countDeliveriesOf('delivery')}
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
   select (select count(*) from delivery) as sent, (select count(*) from scan) < ${stepEvents.sending}
     and (select count(*) from matching) <= cardinality($3::text[]) as "isEnd"`,
);

/**
 * Makes up to `room` deliveries, due at once, of the next events that match a replay. Gives how many, and whether those
 * were the last.
 */
export async function sendMatching(
  trx: Trx,
  storeId: string,
  id: string,
  room: number,
): Promise<{ sent: number; isEnd: boolean }> {
  const ids = Array.from({ length: room }, () => newId('webhookDelivery'));
  const { rows } = await trx.executeQuery(send([storeId, id, ids]));
  return rows[0]!;
}

/** The columns that decide whether an endpoint may be called; null when it is gone. */
export async function findReplayTarget(
  db: Db,
  storeId: string,
  endpointId: string,
): Promise<{ status: Tables['webhook_endpoint']['status']; appId: string | null } | null> {
  const row = await db
    .selectFrom('webhook_endpoint')
    .select(['status', 'app_id as appId'])
    .where('store_id', '=', storeId)
    .where('id', '=', endpointId)
    .executeTakeFirst();
  return row ?? null;
}
