import { type EventType, eventTypes, type Principal, type Rights } from '@waybill/contracts';
import { parseInstant } from '@waybill/kernel';
import { type HideFields, prepareHideFields } from '../bodies/app-fields.ts';
import { canReadFully, reduceBody } from '../bodies/reduction.ts';
import type { Context } from '../context.ts';
import { toHolder } from '../endpoints/rights.ts';
import { errors } from '../errors.ts';
import { retentionDays } from '../retention.ts';
import { findEvent, findLogEnds, findPosition, type LoggedEvent, listEvents } from './queries.ts';

const dayMs = 86_400_000;

/** Returns the time before which events are no longer in the log. */
const oldestLogTime = (logDays: number) => new Date(Date.now() - (logDays || retentionDays) * dayMs);

export interface LogRequest {
  limit: number;
  after?: string | undefined;
  type?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
  /** `desc` lists the newest first, going backwards from `after`. */
  dir: 'asc' | 'desc';
  /** In seconds. Reading backwards never waits. */
  wait: number;
}

/**
 * Returns a page of a store's log as JSON, reduced to what the principal may read (`decisions.md 12.1, 12.2`). If the
 * page is empty, waits for as long as requested, or until `signal` aborts.
 * @throws invalid_cursor, cursor_expired
 */
export async function readLog(
  context: Context,
  storeId: string,
  principal: Principal,
  { limit, after, type, dir, wait, ...range }: LogRequest,
  signal: AbortSignal,
): Promise<string> {
  const { db, config, state } = context;
  const { readers } = state;
  const { rights } = toHolder(principal);
  const prepareHiding = (events: readonly LoggedEvent[]) =>
    prepareHideFieldsFor(context, storeId, principal, events);
  const renderPage = async (events: readonly LoggedEvent[], after: string | null) =>
    renderEvents(events, after, rights, await prepareHiding(events));
  const oldest = oldestLogTime(config.eventLogDays);
  const [since, until] = [parseInstant(range.since ?? ''), parseInstant(range.until ?? '')];
  const filter = {
    after: after === undefined ? null : await requirePosition(after),
    dir,
    types: parseTypes(type),
    since: since && since > oldest ? since : oldest,
    until,
  };
  if (dir === 'desc') return renderPage(await listEvents(db, storeId, filter, limit), null);
  const deadline = Date.now() + wait * 1000;
  for (;;) {
    // Read the end of the log before the events, so that events written in between are not missed.
    const end = wait > 0 ? ((await findLogEnds(db, [storeId])).get(storeId) ?? 0) : 0;
    const events = await listEvents(db, storeId, filter, limit);
    const remainingMs = deadline - Date.now();
    const isComplete =
      events.length > 0 || remainingMs <= 0 || signal.aborted || (until && until <= new Date());
    if (isComplete) return renderPage(events, after ?? null);
    if (!(await readers.wait(storeId, end, remainingMs, signal))) return renderPage([], after ?? null);
  }

  async function requirePosition(id: string): Promise<number> {
    if (!eventIdPattern.test(id)) throw errors.invalid_cursor();
    const entry = await findPosition(db, storeId, id);
    if (!entry || entry.createdAt < oldest) throw errors.cursor_expired();
    return entry.position;
  }
}

/**
 * Returns an event of a store's log as JSON, reduced to what the principal may read.
 * @throws not_found
 */
export async function readEvent(
  context: Pick<Context, 'db' | 'config' | 'cache' | 'peers'>,
  storeId: string,
  principal: Principal,
  id: string,
): Promise<string> {
  const { db, config } = context;
  const event = await findEvent(db, storeId, id, oldestLogTime(config.eventLogDays));
  if (!event) throw errors.not_found();
  const hide = await prepareHideFieldsFor(context, storeId, principal, [event]);
  return `{"event":${renderEvent(event, toHolder(principal).rights, hide)}}`;
}

/** First-party applications choose the ids of their events (`decisions.md 6.6`). */
const eventIdPattern = /^evt_[0-9A-Za-z_-]{1,100}$/;

/** Returns the function that hides custom fields from the principal. */
const prepareHideFieldsFor = (
  context: Pick<Context, 'cache' | 'peers'>,
  storeId: string,
  principal: Principal,
  events: readonly LoggedEvent[],
): Promise<HideFields> =>
  prepareHideFields(
    context,
    storeId,
    principal.kind === 'app' ? principal.appId : null,
    events.map(({ body }) => body),
  );

function renderEvents(
  events: readonly LoggedEvent[],
  after: string | null,
  rights: Rights,
  hide: HideFields,
): string {
  const nextCursor = events.at(-1)?.id ?? after;
  const renderedEvents = events.map((event) => renderEvent(event, rights, hide));
  return `{"events":[${renderedEvents.join()}],"nextCursor":${JSON.stringify(nextCursor)}}`;
}

const renderEvent = ({ type, body }: LoggedEvent, rights: Rights, hide: HideFields) =>
  canReadFully(rights, type) ? hide(type, body) : reduceBody(type, body);

function parseTypes(list: string | undefined): EventType[] {
  const names = new Set((list ?? '').split(',').map((name) => name.trim()));
  return eventTypes.filter((type) => names.has(type));
}
