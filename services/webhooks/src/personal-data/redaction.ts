import {
  CustomerErased,
  type EventData,
  type EventMessage,
  type FormSubmissionsErased,
  subjectOf,
} from '@waybill/contracts';
import { envelope, type PublicEvent } from '../bodies/public-event.ts';
import { reduceData } from '../bodies/reduction.ts';
import type { Context } from '../context.ts';
import {
  endWalk,
  forgetRepliesTo,
  isOfOrder,
  listErased,
  listNext,
  markErased,
  moveWalk,
  ofStoresWithErased,
  redactableTypes,
  replaceBodies,
  requestWalk,
  takeWalk,
} from './queries.ts';

/** For so many days it is known of whom the events are to be redacted; one that comes later than that holds its id alone. */
export const subjectRetentionDays = 30;
const dayMs = 86_400_000;

/**
 * Takes note of customers, orders and submissions of forms that were erased: from the commit on their events of before come in with ids
 * alone, and a task goes through those that are here. `decisions.md 15.7`.
 */
export async function onErasures(
  { transaction, wake }: Pick<Context, 'transaction' | 'wake'>,
  events: readonly EventMessage[],
): Promise<void> {
  for (const event of events) {
    const { storeId, createdAt } = event;
    await transaction(async (trx) => {
      await markErased(trx, storeId, erasedIds(event), createdAt);
      await requestWalk(trx, [storeId]);
    });
  }
  wake('redact-events');
}

function erasedIds({ name, data }: EventMessage): string[] {
  if (name !== CustomerErased.name)
    return (JSON.parse(data) as EventData<typeof FormSubmissionsErased>).formSubmissionIds;
  const { customerId, orderIds }: EventData<typeof CustomerErased> = JSON.parse(data);
  return [customerId, ...orderIds];
}

/** Finds those of some events that are to hold ids alone. */
export async function findErased(
  { db }: Pick<Context, 'db'>,
  events: readonly PublicEvent[],
): Promise<ReadonlySet<PublicEvent>> {
  const redactable = events.filter(({ type }) => redactableTypes.has(type));
  const looked = await ofStoresWithErased(db, redactable);
  const subjects = looked.map(({ storeId, type, createdAt, data }) => ({
    storeId,
    id: erasedIdOf(type, data),
    at: createdAt,
  }));
  const indexes = subjects.length > 0 ? await listErased(db, subjects) : [];
  const oldest = Date.now() - subjectRetentionDays * dayMs;
  return new Set([
    ...indexes.map((index) => looked[index]!),
    ...redactable.filter(({ createdAt }) => Date.parse(createdAt) < oldest),
  ]);
}

/** An event with the id of what it tells of, and no more. */
export function reduceEvent(event: PublicEvent): PublicEvent {
  return { ...event, data: JSON.stringify(reduceData(event.type, JSON.parse(event.data))) };
}

/**
 * Has the log gone through once more where one of these events, which were just written, is to be redacted by now: a walk
 * may have passed their place while they were on their way.
 */
export async function redactLate(
  context: Pick<Context, 'db' | 'wake'>,
  events: readonly PublicEvent[],
): Promise<void> {
  const late = await findErased(context, events);
  if (late.size === 0) return;
  await requestWalk(context.db, [...new Set([...late].map(({ storeId }) => storeId))]);
  context.wake('redact-events');
}

/** The most events that a step looks at, and that it redacts. */
const step = { events: 2_000, redacted: 200 };

/**
 * Takes a step of the walk that has waited longest, of all stores: the next events of the log lose all but the ids where
 * their subjects are erased, and the records of their calls what receivers replied. What a step did and the place that
 * it reached are one commit. True: there may be more to do.
 */
export function redactEvents({ transaction }: Pick<Context, 'transaction'>): Promise<boolean> {
  return transaction(async (trx) => {
    const walk = await takeWalk(trx);
    if (!walk) return false;
    const { storeId } = walk;
    const scanned = await listNext(trx, storeId, walk, step.events);
    const toRedact = scanned
      .filter(({ subject }) => subject !== null)
      .map(({ id, type, createdAt, subject, bytes, at }) => {
        const data = JSON.stringify({ [subjectOf(type).key]: { id: subject } });
        return { id, at, bytes, body: envelope({ id, type, createdAt, data }) };
      })
      .filter(({ body, bytes }) => Buffer.byteLength(body) !== bytes)
      .slice(0, step.redacted);
    const ids = toRedact.map(({ id }) => id);
    // The record of a call that ends at this moment is somebody else's: the step is taken again.
    if (!(await forgetRepliesTo(trx, storeId, ids))) return false;
    await replaceBodies(trx, storeId, toRedact);
    const isFull = toRedact.length === step.redacted;
    const last = isFull ? toRedact.at(-1)! : scanned.at(-1);
    if (isFull || scanned.length === step.events) await moveWalk(trx, storeId, last!);
    else await endWalk(trx, storeId);
    return true;
  });
}

/** The id by which an event is erased: that of what it tells of, or of its order; empty where there is none. */
function erasedIdOf(type: PublicEvent['type'], data: string): string {
  const things = JSON.parse(data) as Record<string, { id?: string; orderId?: string } | undefined>;
  const thing = things[subjectOf(type).key];
  return (isOfOrder(type) ? thing?.orderId : thing?.id) ?? '';
}
