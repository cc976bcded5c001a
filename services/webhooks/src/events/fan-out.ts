import { type CallType, type DeliveryJob, lifecycleTypes, newId } from '@waybill/contracts';
import { type Bounds, inBatches } from '../batches.ts';
import { envelope, type PublicEvent } from '../bodies/public-event.ts';
import type { Context } from '../context.ts';
import { findRights } from '../endpoints/rights.ts';
import { findErased, redactLate, reduceEvent } from '../personal-data/redaction.ts';
import { type Call, handOver } from '../schedule/hand-over.ts';
import { acquireHostSlots } from '../schedule/host-limits.ts';
import { inlineBytes } from '../schedule/queries.ts';
import {
  insertEvents,
  listSubscribers,
  type NewDelivery,
  type NewEvent,
  type Subscriber,
} from './queries.ts';

/** The most that one statement inserts: deliveries, and characters of bodies. */
const batchLimit: Bounds = { count: 2_000, size: 4 * 1024 * 1024 };

/** Events about installs: an app is called for them, and no log shows them. */
const ofApps: ReadonlySet<CallType> = new Set(lifecycleTypes);

/** An event with the endpoints that want it. */
interface WantedEvent {
  event: PublicEvent;
  endpoints: Subscriber[];
}

/**
 * Writes events into the log, once however often they come, with a delivery for each endpoint that wants one, and
 * hands the first attempts over right after the commit. What an endpoint has no room for waits: in memory where that
 * is a matter of seconds, for the dispatcher otherwise. Many or large events go in parts, each with a commit of its
 * own: what comes before one that fails is done with.
 */
export async function fanOut(context: Context, events: readonly PublicEvent[]): Promise<void> {
  // The bus may hand over one event twice, also at once.
  const distinct = new Map(events.map((event) => [`${event.storeId} ${event.id}`, event]));
  const incoming = [...distinct.values()];
  const [listed, erased] = await Promise.all([listWanted(context, incoming), findErased(context, incoming)]);
  const wanted = listed.map((each) =>
    erased.has(each.event) ? { ...each, event: reduceEvent(each.event) } : each,
  );
  const isLogged = ({ type }: PublicEvent) => context.config.eventLogDays > 0 && !ofApps.has(type);
  const kept = wanted.filter(({ event, endpoints }) => endpoints.length > 0 || isLogged(event));
  const measure = ({ event, endpoints }: WantedEvent) => ({
    count: Math.max(1, endpoints.length),
    size: event.data.length,
  });
  for (const part of inBatches(kept, measure, batchLimit)) await fanOutBatch(context, part);
  await redactLate(
    context,
    incoming.filter((event) => !erased.has(event)),
  );
}

async function fanOutBatch(context: Context, wanted: readonly WantedEvent[]) {
  const { db, wake } = context;
  const { windows, waiting, lanes, readers, hosts } = context.state;
  await lanes.refresh();
  for (const { endpoints } of wanted) for (const { id, isSlow } of endpoints) windows.learn(id, isSlow);
  const space = new Map<string, number>();
  const laneRoom = { quick: lanes.room('quick'), slow: lanes.room('slow') };
  const isLeased = ({ id, url, isSlow }: Subscriber) => {
    if (laneRoom[isSlow ? 'slow' : 'quick']-- <= 0) return false;
    // Calls that wait in memory would hold slots of their host.
    const waitingRoom = waiting.isFull || hosts.hostOf(url) !== null ? 0 : windows.waitingRoom(id);
    const left = space.get(id) ?? windows.room(id) + waitingRoom - waiting.count(id);
    space.set(id, left - 1);
    return left > 0;
  };
  const planned = wanted.map(
    ({ event, endpoints }): NewEvent => ({
      event,
      body: envelope(event),
      deliveries: endpoints.map((endpoint) => ({
        id: newId('webhookDelivery'),
        endpoint,
        isLeased: isLeased(endpoint),
      })),
    }),
  );
  const events = await acquireSlots(context, planned);
  const inserted = await insertEvents(db, events);
  readers.wake(new Set(wanted.map(({ event }) => event.storeId)));
  const fresh = events.flatMap(({ deliveries, ...event }) =>
    deliveries.flatMap((delivery) => {
      const leasedUntil = inserted.get(delivery.id);
      return leasedUntil === undefined ? [] : { ...event, ...delivery, leasedUntil };
    }),
  );
  const room = new Map<string, number>();
  const calls: Call[] = [];
  for (const delivery of fresh.filter(({ isLeased }) => isLeased)) {
    const { endpoint } = delivery;
    const left = room.get(endpoint.id) ?? (waiting.count(endpoint.id) > 0 ? 0 : windows.room(endpoint.id));
    room.set(endpoint.id, left - 1);
    if (left > 0) calls.push({ job: firstAttempt(delivery), endpoint });
    else waiting.add(firstAttempt(delivery), endpoint.changedAt);
  }
  await handOver(context, calls);
  const left = fresh.filter(({ isLeased }) => !isLeased);
  for (const { endpoint } of left) windows.setBehind(endpoint.id, true);
  // Where there is no room, the end of a call makes room and wakes the dispatcher.
  if (left.some(({ endpoint }) => windows.room(endpoint.id) > 0)) wake('dispatch');
}

/** Gives the same events. Deliveries that their hosts have no room for are left to the schedule. */
async function acquireSlots(context: Context, events: readonly NewEvent[]): Promise<readonly NewEvent[]> {
  const { hosts } = context.state;
  const hostOf = ({ endpoint, isLeased }: NewDelivery) => (isLeased ? hosts.hostOf(endpoint.url) : null);
  const calls = events.flatMap(({ deliveries }) =>
    deliveries.flatMap((delivery) => {
      const host = hostOf(delivery);
      return host === null ? [] : [{ host, deliveryId: delivery.id }];
    }),
  );
  if (calls.length === 0) return events;
  const limited = new Set(calls.map(({ deliveryId }) => deliveryId));
  const taken = await acquireHostSlots(context, calls, context.config.hostLimits);
  return events.map((event) => ({
    ...event,
    deliveries: event.deliveries.map((delivery) => ({
      ...delivery,
      isLeased: delivery.isLeased && (!limited.has(delivery.id) || taken.has(delivery.id)),
    })),
  }));
}

/** Events with the endpoints that want them; those of apps that are not available are left out. */
async function listWanted(context: Context, events: readonly PublicEvent[]): Promise<WantedEvent[]> {
  const subscribers = await listSubscribers(context.db, events);
  const rightsOf = await findRights(
    context,
    subscribers.map(({ event: { storeId }, endpoint: { appId } }) => ({ storeId, id: appId })),
  );
  const callable = subscribers.filter(
    ({ event, endpoint }) => rightsOf(event.storeId, endpoint.appId) !== null,
  );
  const byEvent = Map.groupBy(callable, ({ event }) => event);
  return events.map((event) => ({
    event,
    endpoints: byEvent.get(event)?.map(({ endpoint }) => endpoint) ?? [],
  }));
}

function firstAttempt({
  id,
  event,
  endpoint,
  body,
  leasedUntil,
}: NewDelivery & Pick<NewEvent, 'event' | 'body'> & { leasedUntil: number }): DeliveryJob {
  const bytes = Buffer.byteLength(body);
  return {
    storeId: event.storeId,
    deliveryId: id,
    endpointId: endpoint.id,
    url: endpoint.url,
    sealedSecret: endpoint.sealedSecret,
    previousSecret: endpoint.previousSecret,
    eventId: event.id,
    eventType: event.type,
    attempt: 1,
    body: bytes <= inlineBytes ? body : { bytes, isReduced: true },
    committedAt: Date.parse(event.createdAt),
    leasedUntil,
    trace: event.trace,
  };
}
