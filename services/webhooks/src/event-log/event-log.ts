import { type EventType, eventTypes, type Principal, type Rights } from '@waybill/contracts';
import { parseInstant } from '@waybill/kernel';
import { mayRead, reduceBody } from '../bodies/reduction.ts';
import type { Context } from '../context.ts';
import { holderOf } from '../endpoints/rights.ts';
import { errors } from '../errors.ts';
import { findEnds, findEvent, findPosition, type LoggedEvent, listEvents } from './queries.ts';

const dayMs = 86_400_000;
/** Events that an endpoint is called for are kept for this many days, as long as the records of the calls. */
export const retentionDays = 30;

/** Since when events are in the log. */
const horizon = (logDays: number) => new Date(Date.now() - (logDays || retentionDays) * dayMs);

export interface LogRequest {
  limit: number;
  after?: string | undefined;
  type?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
  /** `desc`: the newest first, backwards from `after`. */
  dir: 'asc' | 'desc';
  /** In seconds; the newest are never waited for backwards. */
  wait: number;
}

/**
 * A page of a store's log as JSON, with no more in it than who asks may read: `decisions.md 12.1, 12.2`. Where there
 * is nothing, it waits for as long as was asked for, or until `signal` aborts.
 * @throws invalid_cursor, cursor_expired
 */
export async function readLog(
  { db, config, state: { readers } }: Context,
  storeId: string,
  principal: Principal,
  { limit, after, type, dir, wait, ...wanted }: LogRequest,
  signal: AbortSignal,
): Promise<string> {
  const { rights } = holderOf(principal);
  const oldest = horizon(config.eventLogDays);
  const [since, until] = [parseInstant(wanted.since ?? ''), parseInstant(wanted.until ?? '')];
  const filter = {
    after: after === undefined ? null : await positionOf(after),
    dir,
    types: typesOf(type),
    since: since && since > oldest ? since : oldest,
    until,
  };
  if (dir === 'desc') return pageOf(await listEvents(db, storeId, filter, limit), null, rights);
  const deadline = Date.now() + wait * 1000;
  for (;;) {
    // Before the events: what is written in between does not go unseen.
    const end = wait > 0 ? ((await findEnds(db, [storeId])).get(storeId) ?? 0) : 0;
    const events = await listEvents(db, storeId, filter, limit);
    const leftMs = deadline - Date.now();
    const isAnswer = events.length > 0 || leftMs <= 0 || signal.aborted || (until && until <= new Date());
    if (isAnswer) return pageOf(events, after ?? null, rights);
    if (!(await readers.wait(storeId, end, leftMs, signal))) return pageOf([], after ?? null, rights);
  }

  async function positionOf(id: string): Promise<number> {
    if (!eventIdPattern.test(id)) throw errors.invalid_cursor();
    const entry = await findPosition(db, storeId, id);
    if (!entry || entry.createdAt < oldest) throw errors.cursor_expired();
    return entry.position;
  }
}

/**
 * An event of a store's log as JSON, with no more in it than who asks may read.
 * @throws not_found
 */
export async function readEvent(
  { db, config }: Pick<Context, 'db' | 'config'>,
  storeId: string,
  principal: Principal,
  id: string,
): Promise<string> {
  const event = await findEvent(db, storeId, id, horizon(config.eventLogDays));
  if (!event) throw errors.not_found();
  return `{"event":${readable(event, holderOf(principal).rights)}}`;
}

/** First-party applications choose the ids of their events (`decisions.md 6.6`). */
const eventIdPattern = /^evt_[0-9A-Za-z_-]{1,100}$/;

function pageOf(events: readonly LoggedEvent[], after: string | null, rights: Rights): string {
  const nextCursor = events.at(-1)?.id ?? after;
  const texts = events.map((event) => readable(event, rights));
  return `{"events":[${texts.join()}],"nextCursor":${JSON.stringify(nextCursor)}}`;
}

const readable = ({ type, body }: LoggedEvent, rights: Rights) =>
  mayRead(rights, type) ? body : reduceBody(type, body);

function typesOf(list: string | undefined): EventType[] {
  const names = new Set((list ?? '').split(',').map((name) => name.trim()));
  return eventTypes.filter((type) => names.has(type));
}
