import {
  CustomerErased,
  type EventData,
  type EventMessage,
  type FormSubmissionsErased,
  getEventSubject,
} from '@waybill/contracts';
import { envelope, type PublicEvent } from '../bodies/public-event.ts';
import { reduceData } from '../bodies/reduction.ts';
import type { Context } from '../context.ts';
import {
  claimWalk,
  deleteRepliesTo,
  endWalk,
  filterStoresWithErasures,
  findErasedIndexes,
  isAboutOrder,
  listNextEvents,
  markErased,
  redactableTypes,
  replaceBodies,
  requestRedaction,
  saveWalkPosition,
} from './queries.ts';

/** Number of days that an erasure is remembered. A later event of such a type always holds only its id. */
export const subjectRetentionDays = 30;
const dayMs = 86_400_000;

/**
 * Records that customers, orders or form submissions were erased. From this commit on their earlier events are written
 * with ids only, and a task redacts the stored ones (`decisions.md 15.7`).
 */
export async function onErasures(
  { transaction, wakeTask }: Pick<Context, 'transaction' | 'wakeTask'>,
  events: readonly EventMessage[],
): Promise<void> {
  for (const event of events) {
    const { storeId, createdAt } = event;
    await transaction(async (trx) => {
      await markErased(trx, storeId, erasedIds(event), createdAt);
      await requestRedaction(trx, [storeId]);
    });
  }
  wakeTask('redact-events');
}

function erasedIds({ name, data }: EventMessage): string[] {
  if (name !== CustomerErased.name)
    return (JSON.parse(data) as EventData<typeof FormSubmissionsErased>).formSubmissionIds;
  const { customerId, orderIds }: EventData<typeof CustomerErased> = JSON.parse(data);
  return [customerId, ...orderIds];
}

/** Finds the events that must hold only ids. */
export async function findErased(
  { db }: Pick<Context, 'db'>,
  events: readonly PublicEvent[],
): Promise<ReadonlySet<PublicEvent>> {
  const redactable = events.filter(({ type }) => redactableTypes.has(type));
  const candidates = await filterStoresWithErasures(db, redactable);
  const subjects = candidates.map(({ storeId, type, createdAt, data }) => ({
    storeId,
    id: findErasedId(type, data),
    at: createdAt,
  }));
  const indexes = subjects.length > 0 ? await findErasedIndexes(db, subjects) : [];
  const oldest = Date.now() - subjectRetentionDays * dayMs;
  return new Set([
    ...indexes.map((index) => candidates[index]!),
    ...redactable.filter(({ createdAt }) => Date.parse(createdAt) < oldest),
  ]);
}

/** Reduces an event to the id of its subject. */
export function reduceEvent(event: PublicEvent): PublicEvent {
  return { ...event, data: JSON.stringify(reduceData(event.type, JSON.parse(event.data))) };
}

/**
 * Requests another walk through the log if one of these just written events must be redacted by now: a walk may have
 * passed their positions while they were being written.
 */
export async function redactLateEvents(
  context: Pick<Context, 'db' | 'wakeTask'>,
  events: readonly PublicEvent[],
): Promise<void> {
  const erasedEvents = await findErased(context, events);
  if (erasedEvents.size === 0) return;
  await requestRedaction(context.db, [...new Set([...erasedEvents].map(({ storeId }) => storeId))]);
  context.wakeTask('redact-events');
}

/** Maximum number of events that a step examines, and that it redacts. */
const stepLimits = { events: 2_000, redacted: 200 };

/**
 * Takes a step of the walk, of any store, that has waited longest. The next events whose subjects are erased lose all
 * but their ids, and the records of their calls lose the replies. The changes and the new position are one commit.
 * Returns true when there may be more to do.
 */
export function redactEvents({ transaction }: Pick<Context, 'transaction'>): Promise<boolean> {
  return transaction(async (trx) => {
    const walk = await claimWalk(trx);
    if (!walk) return false;
    const { storeId } = walk;
    const scanned = await listNextEvents(trx, storeId, walk, stepLimits.events);
    const toRedact = scanned
      .filter(({ subject }) => subject !== null)
      .map(({ id, type, createdAt, subject, bytes, at }) => {
        const data = JSON.stringify({ [getEventSubject(type).key]: { id: subject } });
        return { id, at, bytes, body: envelope({ id, type, createdAt, data }) };
      })
      .filter(({ body, bytes }) => Buffer.byteLength(body) !== bytes)
      .slice(0, stepLimits.redacted);
    const ids = toRedact.map(({ id }) => id);
    // Another process is recording the end of a call at this moment, so the step is repeated later.
    if (!(await deleteRepliesTo(trx, storeId, ids))) return false;
    await replaceBodies(trx, storeId, toRedact);
    const isFull = toRedact.length === stepLimits.redacted;
    const last = isFull ? toRedact.at(-1)! : scanned.at(-1);
    if (isFull || scanned.length === stepLimits.events) await saveWalkPosition(trx, storeId, last!);
    else await endWalk(trx, storeId);
    return true;
  });
}

/**
 * Returns the id whose erasure erases an event: that of its subject, or of the subject's order; empty when there is none.
 */
function findErasedId(type: PublicEvent['type'], data: string): string {
  const subjects = JSON.parse(data) as Record<string, { id?: string; orderId?: string } | undefined>;
  const subject = subjects[getEventSubject(type).key];
  return (isAboutOrder(type) ? subject?.orderId : subject?.id) ?? '';
}
