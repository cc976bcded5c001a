import { type EventType, eventTypes, newId, type Problem, errors as shared } from '@waybill/contracts';
import { createBatcher, type Handlers, isTemporary } from '@waybill/kernel';
import type { PublicEvent } from '../bodies/public-event.ts';
import type { Context } from '../context.ts';
import { errors } from '../errors.ts';
import { fanOutInBackground } from './fan-out.ts';
import type { EventInput, EventsInput, routes } from './routes.ts';

/** Maximum number of requests that share a fan-out. */
const batchLimit = 256;
/** How long the first of several simultaneous requests waits for the others. */
const batchDelayMs = 2;

/**
 * Creates the handler of `POST /internal/events`. A request that comes alone does not wait; requests that arrive while
 * another is being written share a fan-out and its commit (`decisions.md 24.5`).
 * @throws invalid_body, invalid_event
 */
export function createPublisher(context: Context): Handlers<typeof routes>['publishEvents'] {
  const publish = createBatcher<readonly PublicEvent[], unknown>(
    (_key, requests) => publishBatch(context, requests),
    batchLimit,
    { batchDelayMs },
  );
  return async ({ body }) => {
    const events = toEvents(body);
    const failure = await publish('all', events);
    if (failure) throw failure;
    const published = events.map(({ id, type }) => ({ id, type }));
    return body.events ? { events: published } : { event: published[0]! };
  };
}

/** Returns, for each request, the error that kept its events from being published, or null. */
async function publishBatch(
  context: Context,
  requests: readonly (readonly PublicEvent[])[],
): Promise<unknown[]> {
  try {
    await fanOutInBackground(context, requests.flat(), { isAtomic: true });
    return requests.map(() => null);
  } catch (error) {
    if (requests.length === 1 || isTemporary(error)) return requests.map(() => error);
    // A faulty request must not keep the events of others from being published, so each is tried alone. An event counts
    // once.
    const outcomes = await Promise.allSettled(
      requests.map((events) => fanOutInBackground(context, events, { isAtomic: true })),
    );
    return outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason : null));
  }
}

function toEvents({ events, ...single }: EventsInput): PublicEvent[] {
  const createdAt = new Date().toISOString();
  const inputs = events ?? [requireComplete(single)];
  const unknown = inputs.flatMap(({ type }, index): Problem[] =>
    isEventType(type)
      ? []
      : [{ pointer: `${events ? `/events/${index}` : ''}/type`, message: 'is not an event type' }],
  );
  if (unknown.length > 0) throw errors.invalid_event({ details: unknown.slice(0, 100) });
  return inputs.map(({ storeId, id = newId('event'), type, data }) => ({
    storeId,
    id,
    type: type as EventType,
    createdAt,
    data: JSON.stringify(data),
  }));
}

function requireComplete({ id, storeId, type, data }: Omit<EventsInput, 'events'>): EventInput {
  if (storeId !== undefined && type !== undefined && data !== undefined) return { id, storeId, type, data };
  const details = Object.entries({ storeId, type, data }).flatMap(([name, value]) =>
    value === undefined ? [{ pointer: `/${name}`, message: 'is required' }] : [],
  );
  throw shared.invalid_body({ details });
}

const isEventType = (type: string): boolean => (eventTypes as readonly string[]).includes(type);
