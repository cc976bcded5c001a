import { type CallType, eventTypes } from '@waybill/contracts';
import {
  claimByStore,
  compileUnprepared,
  deleteBatch,
  ofStore,
  prepare,
  prepareByTopology,
  timestamp,
} from '@waybill/kernel';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

/** The types whose events contain personal data. */
export const redactableTypes: ReadonlySet<CallType> = new Set(
  eventTypes.filter((type) => /^(?:order|payment|fulfillment|refund|return|customer|form)\./.test(type)),
);

/**
 * Whether a type is about a part of an order, and so about the customer who placed it. Such events are redacted with
 * the order.
 */
export const isAboutOrder = (type: CallType): boolean =>
  /^(?:payment|fulfillment|refund|return)\./.test(type);
const orderTypesInSql = `'{${eventTypes.filter(isAboutOrder).join()}}'::text[]`;
const redactableTypesInSql = `'{${[...redactableTypes].join()}}'::text[]`;

/** SQL for the subject of a row `e` of `webhook_event` of one of these types, as JSON. */
const subjectJson = `(e.body::json -> 'data' -> case e.type when 'form.submitted' then 'formSubmission'
  else split_part(e.type, '.', 1) end)`;

/**
 * SQL for the id by which a row `e` of `webhook_event` is erased: that of its subject, or of the subject's order; null
 * for other types.
 */
const erasedById = `case when e.type = any(${orderTypesInSql}) then ${subjectJson} ->> 'orderId'
  when e.type = any(${redactableTypesInSql}) then ${subjectJson} ->> 'id' end`;

/** SQL for the log of a delivery's attempts without the replies. */
const withoutReplies = (log: string) =>
  `(select jsonb_agg(entry || '{"reply":null}' order by ordinal)
    from jsonb_array_elements(${log}) with ordinality as entries (entry, ordinal))`;

/** Marks customers and orders whose events up to that moment must hold only ids. */
export async function markErased(
  trx: Trx,
  storeId: string,
  ids: readonly string[],
  erasedAt: string,
): Promise<void> {
  await sql`
    insert into erased_subject as s (store_id, id, erased_at)
    select ${storeId}, id, ${erasedAt}::timestamptz from unnest(${ids}::text[]) as id order by id
    on conflict (store_id, id) do update set erased_at = greatest(s.erased_at, excluded.erased_at)`.execute(
    trx,
  );
}

/** Deletes up to `limit` marks more than a day older than the days they count. Returns whether there may be more. */
export const deleteOldSubjects = (db: Db, days: number, limit: number): Promise<boolean> =>
  deleteBatch(db, 'erased_subject', sql`erased_at < now() - make_interval(days => ${days + 1})`, limit);

const selectStoresWithErasures = prepareByTopology<{ storeId: string }>(
  'webhook-stores-of-erased',
  (isDistributed) =>
    isDistributed
      ? 'select distinct store_id as "storeId" from erased_subject where store_id = any($1::text[])'
      : `select store_id as "storeId" from (select distinct unnest($1::text[]) as store_id) i
   where exists (select from erased_subject s where s.store_id = i.store_id)`,
);

/** Returns the items of stores that have had anything erased; few stores have. */
export async function filterStoresWithErasures<Item extends { storeId: string }>(
  db: Db,
  items: readonly Item[],
): Promise<Item[]> {
  if (items.length === 0) return [];
  const { rows } = await db.executeQuery(selectStoresWithErasures(db)([items.map(({ storeId }) => storeId)]));
  const found = new Set(rows.map(({ storeId }) => storeId));
  return items.filter(({ storeId }) => found.has(storeId));
}

const selectErasedSubjects = prepare<{ index: number }>(
  'webhook-erased-subjects',
  `select i.index::int - 1 as index
   from unnest($1::text[], $2::text[], $3::timestamptz[]) with ordinality as i (store_id, id, at, index)
   join erased_subject s on s.store_id = i.store_id and s.id = i.id and i.at <= s.erased_at`,
);

/** Returns the indexes of the subjects that were erased at or after their time `at`. */
export async function findErasedIndexes(
  db: Db,
  subjects: readonly { storeId: string; id: string; at: string }[],
): Promise<number[]> {
  const { rows } = await db.executeQuery(
    selectErasedSubjects([
      subjects.map(({ storeId }) => storeId),
      subjects.map(({ id }) => id),
      subjects.map(({ at }) => at),
    ]),
  );
  return rows.map(({ index }) => index);
}

/**
 * Requests a walk through the logs of stores from their beginning. A store whose walk is in progress gets another one
 * after it.
 */
export async function requestRedaction(db: Db, storeIds: readonly string[]): Promise<void> {
  await sql`
    insert into event_redaction (store_id) select id from unnest(${storeIds}::text[]) as id order by id
    on conflict (store_id) do update set is_asked_again = true`.execute(db);
}

/** A walk through a store's log, with the last event examined and its time to the microsecond. */
export interface Walk {
  storeId: string;
  reachedAt: string;
  reachedId: string;
}

/** Returns the walk that has waited longest for a step, locked until the transaction ends. */
export async function claimWalk(trx: Trx): Promise<Walk | null> {
  const [walk] = await claimByStore<Walk>(trx, {
    limit: 1,
    stores: () => sql`select store_id as "storeId" from event_redaction order by looked_at limit 20`,
    async claim(storeId) {
      const { rows } = await sql<Omit<Walk, 'reachedAt'>>`
        update event_redaction set looked_at = statement_timestamp(),
          -- One that begins sees all that is marked by now.
          is_asked_again = is_asked_again and reached_at is not null
        where ${ofStore(storeId)} and store_id in (
          select store_id from event_redaction where ${ofStore(storeId)}
          order by looked_at limit 1 for update skip locked
        )
        returning store_id as "storeId", reached_id as "reachedId"`.execute(trx);
      const [claimed] = rows;
      if (!claimed) return [];
      // A statement of its own, because Citus cannot return a time as text from an update. The row is locked, so it
      // does not change in between.
      const { rows: reached } = await sql<{ reachedAt: string }>`
        select coalesce(reached_at, '-infinity')::text as "reachedAt" from event_redaction
        where store_id = ${claimed.storeId}`.execute(trx);
      return [{ ...claimed, reachedAt: reached[0]!.reachedAt }];
    },
  });
  return walk ?? null;
}

export async function saveWalkPosition(trx: Trx, storeId: string, { at, id }: { at: string; id: string }) {
  await sql`update event_redaction set reached_at = ${at}::timestamptz, reached_id = ${id}
    where store_id = ${storeId}`.execute(trx);
}

/** Ends a walk, or restarts it when that was requested meanwhile. */
export async function endWalk(trx: Trx, storeId: string): Promise<void> {
  await sql`
    with ended as (delete from event_redaction where store_id = ${storeId} and not is_asked_again)
    update event_redaction set reached_at = null, reached_id = '', is_asked_again = false
    where store_id = ${storeId} and is_asked_again`.execute(trx);
}

/** An event that a walk examines. */
export interface ScannedEvent {
  id: string;
  type: CallType;
  /** In RFC 3339 format. */
  createdAt: string;
  /** The same time to the microsecond. */
  at: string;
  /** Size of the body. */
  bytes: number;
  /** The id of its subject if that is erased; otherwise null. */
  subject: string | null;
}

const selectNextEvents = compileUnprepared<ScannedEvent>(
  `select e.id, e.type, ${timestamp('e.created_at')} as "createdAt", e.created_at::text as at,
     octet_length(e.body) as bytes, case when s.id is not null then ${subjectJson} ->> 'id' end as subject
   from (
     select store_id, id, type, created_at, body from webhook_event
     where store_id = $1 and (created_at, id) > ($2::timestamptz, $3)
     order by created_at, id limit $4
   ) e
   left join erased_subject s on s.store_id = $1 and s.id = ${erasedById} and e.created_at <= s.erased_at
   order by e.created_at, e.id`,
);

/** Returns the next events of a walk, ordered by time. */
export async function listNextEvents(
  trx: Trx,
  storeId: string,
  { reachedAt, reachedId }: Walk,
  limit: number,
): Promise<ScannedEvent[]> {
  const { rows } = await trx.executeQuery(selectNextEvents([storeId, reachedAt, reachedId, limit]));
  return rows;
}

/** Replaces the bodies of events of a store. */
export async function replaceBodies(
  trx: Trx,
  storeId: string,
  events: readonly { id: string; body: string }[],
): Promise<void> {
  if (events.length === 0) return;
  await sql`
    update webhook_event e set body = i.body
    from unnest(${events.map(({ id }) => id)}::text[], ${events.map(({ body }) => body)}::text[]) as i (id, body)
    where e.store_id = ${storeId} and e.id = i.id`.execute(trx);
}

/**
 * Deletes the replies to calls for these events. Returns false when some rows were locked by others and had to be
 * skipped.
 */
export async function deleteRepliesTo(
  trx: Trx,
  storeId: string,
  eventIds: readonly string[],
): Promise<boolean> {
  if (eventIds.length === 0) return true;
  const { rows } = await sql<{ isAll: boolean }>`
    with calls as materialized (
      select d.id from unnest(${eventIds}::text[]) as i (id)
      cross join lateral (
        select id from webhook_delivery where store_id = ${storeId} and event_id = i.id and attempt_log <> '[]'
      ) d
    ), unlocked as materialized (
      select id, attempt_log from webhook_delivery
      where store_id = ${storeId} and id in (select id from calls) for update skip locked
    ), emptied as (
      update webhook_delivery d set attempt_log = ${sql.raw(withoutReplies('d.attempt_log'))}
      from unlocked where d.store_id = ${storeId} and d.id = unlocked.id
    )
    select (select count(*) from calls) = (select count(*) from unlocked) as "isAll"`.execute(trx);
  return rows[0]!.isAll;
}

const deleteRepliesOfErased = compileUnprepared(
  `with calls as materialized (
     select d.store_id, d.id, d.event_id from unnest($1::text[], $2::text[]) as i (store_id, id)
     join webhook_delivery d using (store_id, id)
   ), erased as materialized (
     select calls.store_id, calls.id from calls cross join lateral (
       select ${erasedById} as id, e.created_at from webhook_event e
       where e.store_id = calls.store_id and e.id = calls.event_id
     ) subject
     join erased_subject s on s.store_id = calls.store_id and s.id = subject.id and subject.created_at <= s.erased_at
   )
   update webhook_delivery d set attempt_log = ${withoutReplies('d.attempt_log')}
   from erased where d.store_id = erased.store_id and d.id = erased.id and d.attempt_log <> '[]'`,
);

/**
 * Deletes the replies of calls that have just ended and whose events must hold only ids: the calls may have begun
 * before the erasure. Costs one look at an index when no store has such events.
 */
export async function deleteCustomerReplies(
  trx: Trx,
  calls: readonly { storeId: string; deliveryId: string }[],
): Promise<void> {
  const concerned = await filterStoresWithErasures(trx, calls);
  if (concerned.length === 0) return;
  await trx.executeQuery(
    deleteRepliesOfErased([
      concerned.map(({ storeId }) => storeId),
      concerned.map(({ deliveryId }) => deliveryId),
    ]),
  );
}

/** Number of the store's events that are scanned for one page of a customer's events. */
const scannedPerPage = 10_000;

/** SQL for the types of events about an order's parts. */
const partTypesInSql = `'{${eventTypes.filter((type) => isAboutOrder(type) || type === 'document.issued').join()}}'::text[]`;

/**
 * Returns the kept events of a customer, its orders and their parts, oldest first, among the next `scannedPerPage` events
 * of the store. `orderIds` are the orders whose parts are searched for.
 */
export async function listCustomerEvents(
  db: Db,
  storeId: string,
  { customerId, orderIds }: { customerId: string; orderIds: readonly string[] },
  after: string | null,
): Promise<{ items: { id: string; type: string; createdAt: string }[]; next: string | null }> {
  // The cursor is the time to the microsecond, a line break, and the id.
  const [afterAt = '', afterId = ''] = (after ?? '-infinity\n').split('\n');
  const { rows } = await sql<{
    items: { id: string; type: string; createdAt: string }[];
    next: string | null;
  }>`
    with scanned as materialized (
      select id, type, created_at, body from webhook_event
      where store_id = ${storeId} and (created_at, id) > (${afterAt}::timestamptz, ${afterId})
      order by created_at, id limit ${scannedPerPage}
    ), matching as (
      select id, type, created_at from scanned e
      where case
        when type = any(${sql.raw(partTypesInSql)}) then ${sql.raw(subjectJson)} ->> 'orderId' = any(${[...orderIds]}::text[])
        else type = any(${sql.raw(redactableTypesInSql)}) and strpos(body, ${customerId}) > 0
          and ${customerId} in (${sql.raw(subjectJson)} ->> 'id', ${sql.raw(subjectJson)} ->> 'customerId')
      end
    )
    select coalesce((
        select json_agg(json_build_object('id', id, 'type', type, 'createdAt', ${sql.raw(timestamp('created_at'))})
          order by created_at, id) from matching
      ), '[]') as items,
      (select created_at::text || E'\n' || id from scanned order by created_at desc, id desc
        offset 0 limit case when (select count(*) from scanned) = ${scannedPerPage} then 1 else 0 end) as next`.execute(
    db,
  );
  return rows[0]!;
}
