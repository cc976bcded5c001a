import type { EventType } from '@waybill/contracts';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;

/** An event of the log. */
export interface LoggedEvent extends Pick<Tables['webhook_event'], 'id' | 'type'> {
  /** The whole envelope as JSON. */
  body: Tables['webhook_event']['body'];
}

/** Selects events of a store's log. */
export interface LogFilter {
  /** The position after which the list continues, in its direction; null starts at its beginning. */
  after: number | null;
  dir: 'asc' | 'desc';
  /** Empty for all types. */
  types: readonly EventType[];
  since: Date;
  until: Date | null;
}

/** Maximum number of bytes of a page, which always holds at least one event. */
const maxPageBytes = 4 * 1024 * 1024;

/** How far the clocks of two servers may differ. */
const clockSkewMs = 600_000;

/** Returns a page of a store's log, in its order or backwards. */
export async function listEvents(
  db: Db,
  storeId: string,
  { after, dir, types, since, until }: LogFilter,
  limit: number,
): Promise<LoggedEvent[]> {
  // The position of an event is never earlier than its creation.
  const oldest = (since.getTime() - clockSkewMs) * 1000;
  const from = Math.max(oldest, dir === 'asc' ? (after ?? 0) : 0);
  const before = dir === 'desc' && after !== null ? sql`and position < ${after}` : sql``;
  const orderBy = dir === 'asc' ? sql`order by position` : sql`order by position desc`;
  const pageQuery = (typeCondition: ReturnType<typeof sql>) => sql`
    select id, type, body, position from webhook_event
    where store_id = ${storeId} ${typeCondition} and position > ${from} and created_at >= ${since}
      ${before} ${until ? sql`and created_at < ${until}` : sql``}
    ${orderBy} limit ${limit}`;
  // Each type is read in its own order, which the index has, and the results are merged.
  const events =
    types.length === 0
      ? pageQuery(sql``)
      : sql`select e.* from unnest(${types}::text[]) as wanted (type)
          cross join lateral (${pageQuery(sql`and type = wanted.type`)}) e
          ${orderBy} limit ${limit}`;
  const { rows } = await sql<LoggedEvent>`
    select id, type, body from (
      select *, sum(octet_length(body)) over (${orderBy}) - octet_length(body) as "bytesBefore"
      from (${events}) page
    ) measured
    where "bytesBefore" < ${maxPageBytes} ${orderBy}`.execute(db);
  return rows;
}

/** Returns the position of an event in its store's log, and its time; null when there is no such event. */
export async function findPosition(
  db: Db,
  storeId: string,
  id: string,
): Promise<{ position: number; createdAt: Date } | null> {
  const row = await db
    .selectFrom('webhook_event')
    .select(['position', 'created_at as createdAt'])
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .executeTakeFirst();
  // Events from before the log existed precede everything in it.
  return row ? { ...row, position: row.position ?? 0 } : null;
}

/** Returns an event created since then, or null when there is none. */
export async function findEvent(
  db: Db,
  storeId: string,
  id: string,
  since: Date,
): Promise<LoggedEvent | null> {
  const row = await db
    .selectFrom('webhook_event')
    .select(['id', 'type', 'body'])
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .where('created_at', '>=', since)
    .executeTakeFirst();
  return row ?? null;
}

/** Returns the last position of each store's log; stores without events are missing. */
export async function findLogEnds(db: Db, storeIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('event_log')
    .select(['store_id', 'last_position'])
    .where('store_id', '=', sql<string>`any(${storeIds}::text[])`)
    .execute();
  return new Map(rows.map((row) => [row.store_id, row.last_position]));
}
