import { appCallTypes, type CallType, type DeliveryJob, newId } from '@waybill/contracts';
import { type Bounds, inBatches } from '../batches.ts';
import { hidingFrom } from '../bodies/app-fields.ts';
import { envelope, orderedResource, type PublicEvent } from '../bodies/public-event.ts';
import type { Context } from '../context.ts';
import { findRights } from '../endpoints/rights.ts';
import { FilteredEvent, filteredBody } from '../filters/select.ts';
import { findErased, redactLate, reduceEvent } from '../personal-data/redaction.ts';
import { type Call, handOver } from '../schedule/hand-over.ts';
import { acquireHostSlots } from '../schedule/host-limits.ts';
import { inlineBytes, lockOrderedEndpoints, putEarliestFirst } from '../schedule/queries.ts';
import {
  insertEvents,
  listSubscribers,
  type NewDelivery,
  type NewEvent,
  type Subscriber,
} from './queries.ts';

/** Limits of one inserting statement: number of deliveries, and characters of bodies. */
const batchLimit: Bounds = { count: 2_000, size: 4 * 1024 * 1024 };

/** Types of events about installs: an app is called for them, and no log shows them. */
const ofApps: ReadonlySet<CallType> = new Set(appCallTypes);

/** An event and the endpoints subscribed to it. */
interface WantedEvent {
  event: PublicEvent;
  endpoints: Subscriber[];
}

/** Writes events and waits until their calls are handed over; see `writeEvents`. */
export async function fanOut(
  context: Context,
  events: readonly PublicEvent[],
  options: { isAtomic?: boolean } = {},
): Promise<void> {
  const { handedOver } = await writeEvents(context, events, options);
  await handedOver;
}

/**
 * Writes events and returns once they are committed. The hand-over of their calls continues in the background, at most
 * a few batches at a time.
 */
export async function fanOutSoon(
  context: Context,
  events: readonly PublicEvent[],
  options: { isAtomic?: boolean } = {},
): Promise<void> {
  const { handOvers } = context.state;
  await handOvers.room();
  const { handedOver } = await writeEvents(context, events, options);
  handOvers.add(handedOver, context.log);
}

/**
 * Writes events into the log, each once however often it arrives, with a delivery for each subscribed endpoint.
 * Resolves when they are committed; `handedOver` resolves once the first attempts are handed over. Calls that an
 * endpoint has no room for wait in memory if that takes only seconds, otherwise in the schedule. Many or large events
 * are written in batches with a commit each, unless `isAtomic` requires all or none to be written.
 */
export async function writeEvents(
  context: Context,
  events: readonly PublicEvent[],
  { isAtomic = false }: { isAtomic?: boolean } = {},
): Promise<{ handedOver: Promise<void> }> {
  // The bus may deliver an event twice, even at the same time.
  const distinct = new Map(events.map((event) => [`${event.storeId} ${event.id}`, event]));
  const incoming = [...distinct.values()];
  const finding = findErased(context, incoming);
  const [wanted, erased] = await Promise.all([listWanted(context, incoming, finding), finding]);
  const isLogged = ({ type }: PublicEvent) => context.config.eventLogDays > 0 && !ofApps.has(type);
  const kept = wanted.filter(({ event, endpoints }) => endpoints.length > 0 || isLogged(event));
  const measure = ({ event, endpoints }: WantedEvent) => ({
    count: Math.max(1, endpoints.length),
    size: event.data.length,
  });
  const batches = inBatches(kept, measure, batchLimit);
  let handedOver = Promise.resolve();
  for (const together of isAtomic ? [batches] : batches.map((batch) => [batch])) {
    // Keeps one batch in memory and one on its way out.
    await handedOver;
    ({ handedOver } = await fanOutTogether(context, together));
  }
  await redactLate(
    context,
    incoming.filter((event) => !erased.has(event)),
  );
  return { handedOver };
}

/** Writes batches in one commit; `handedOver` resolves when their calls are handed over. */
async function fanOutTogether(
  context: Context,
  batches: readonly WantedEvent[][],
): Promise<{ handedOver: Promise<void> }> {
  const plans: (readonly NewEvent[])[] = [];
  const rooms = await lookAtRooms(context);
  for (const batch of batches) plans.push(await planDeliveries(context, batch, rooms));
  const inserted = await insertPlans(context, plans);
  const handOverAll = async () => {
    for (const plan of plans) await handOverFirst(context, plan, inserted);
  };
  const handedOver = handOverAll();
  // The caller that awaits the promise handles the failure; this only prevents an unhandled rejection.
  handedOver.catch(() => {});
  return { handedOver };
}

/** The room left for first attempts while deliveries are planned. */
interface Rooms {
  endpoints: Map<string, number>;
  lanes: { quick: number; slow: number };
}

async function lookAtRooms({ state: { lanes } }: Context): Promise<Rooms> {
  await lanes.refresh();
  return { endpoints: new Map(), lanes: { quick: lanes.room('quick'), slow: lanes.room('slow') } };
}

/** Decides which first attempts this process hands over itself, and which are left to the schedule. */
function planDeliveries(context: Context, wanted: readonly WantedEvent[], rooms: Rooms) {
  const { windows, waiting, hosts } = context.state;
  for (const { endpoints } of wanted) for (const { id, isSlow } of endpoints) windows.learn(id, isSlow);
  const isLeased = ({ id, url, isSlow, isScheduled }: Subscriber) => {
    if (isScheduled || rooms.lanes[isSlow ? 'slow' : 'quick']-- <= 0) return false;
    // Calls waiting in memory would occupy slots of their host.
    const waitingRoom = waiting.isFull || hosts.hostOf(url) !== null ? 0 : windows.waitingRoom(id);
    const left = rooms.endpoints.get(id) ?? windows.room(id) + waitingRoom - waiting.count(id);
    rooms.endpoints.set(id, left - 1);
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
        resource: endpoint.isOrdered ? orderedResource(event.type, event.data) : null,
      })),
    }),
  );
  return acquireSlots(context, planned);
}

/**
 * How many seconds an ordered event waits after its commit for earlier ones, which other replicas of this service or of
 * the emitting service may still be processing. A single process sees events in their order.
 */
const orderSeconds = 1;

/** Inserts the planned events and returns the time at which each new delivery can be claimed. */
async function insertPlans(
  { bus, db, transaction }: Context,
  plans: readonly (readonly NewEvent[])[],
): Promise<ReadonlyMap<string, number>> {
  const seconds = bus.soleProcess ? 0 : orderSeconds;
  const ordered = plans
    .flat()
    .flatMap(({ event: { storeId }, deliveries }) =>
      deliveries.flatMap(({ endpoint, resource }) =>
        resource === null ? [] : [{ storeId, endpointId: endpoint.id, resource }],
      ),
    );
  if (plans.length === 1 && ordered.length === 0) return insertEvents(db, plans[0]!, seconds);
  return transaction(async (trx) => {
    const endpointIds = ordered.map(({ endpointId }) => endpointId);
    await lockOrderedEndpoints(trx, endpointIds);
    const inserted = new Map<string, number>();
    for (const plan of plans)
      for (const [id, at] of await insertEvents(trx, plan, seconds)) inserted.set(id, at);
    await putEarliestFirst(trx, ordered);
    return inserted;
  });
}

/** Hands over the first attempts of inserted deliveries. */
async function handOverFirst(
  context: Context,
  events: readonly NewEvent[],
  inserted: ReadonlyMap<string, number>,
): Promise<void> {
  const { wake } = context;
  const { windows, waiting, readers, clock, timer } = context.state;
  readers.wake(new Set(events.map(({ event }) => event.storeId)));
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
  for (const { endpoint } of left) if (!endpoint.isScheduled) windows.setBehind(endpoint.id, true);
  // Wakes the dispatcher only for endpoints with room; elsewhere the end of a call makes room and wakes it.
  if (left.some(({ endpoint }) => windows.room(endpoint.id) > 0)) wake('dispatch');
  const orderedAt = left.flatMap(({ resource, leasedUntil }) => (resource === null ? [] : [leasedUntil]));
  if (orderedAt.length > 0) {
    const waitMs = Math.min(...orderedAt) - (await clock.read());
    if (waitMs > 0 && waitMs < Infinity) timer.wakeIn(waitMs, () => wake('dispatch'));
  }
}

/** Returns the same events, with deliveries left to the schedule where their hosts have no room. */
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

/** Returns events with their subscribed endpoints, without those of unavailable apps. */
async function listWanted(
  context: Context,
  events: readonly PublicEvent[],
  finding: Promise<ReadonlySet<PublicEvent>>,
): Promise<WantedEvent[]> {
  const subscribers = await listSubscribers(context.db, events);
  const rightsOf = await findRights(
    context,
    subscribers.flatMap(({ event: { storeId }, endpoint: { appId, ownerId, filter } }) => [
      { storeId, id: appId },
      ...(filter ? [{ storeId, id: ownerId }] : []),
    ]),
  );
  const erased = await finding;
  const written = new Map(events.map((event) => [event, erased.has(event) ? reduceEvent(event) : event]));
  const filtered = new Map(events.map((event) => [event, new FilteredEvent(written.get(event)!)]));
  const seenByApps = await readAsApps(context, subscribers, written);
  const callable = subscribers.filter(
    ({ event, endpoint: { appId, ownerId, filter } }) =>
      rightsOf(event.storeId, appId) !== null &&
      (seenByApps.get(`${event.storeId} ${event.id} ${appId}`) ?? filtered.get(event)!).passes(
        filter,
        filter && rightsOf(event.storeId, ownerId),
      ),
  );
  const byEvent = Map.groupBy(callable, ({ event }) => event);
  return events.map((event) => ({
    event: written.get(event)!,
    endpoints: byEvent.get(event)?.map(({ endpoint }) => endpoint) ?? [],
  }));
}

/**
 * Returns the events filtered by apps' endpoints as those apps see them, so that a filter reveals nothing about hidden
 * fields.
 */
async function readAsApps(
  context: Context,
  subscribers: readonly { event: PublicEvent; endpoint: Subscriber }[],
  written: ReadonlyMap<PublicEvent, PublicEvent>,
): Promise<ReadonlyMap<string, FilteredEvent>> {
  const seen = new Map<string, FilteredEvent>();
  for (const { event, endpoint } of subscribers) {
    const { appId, filter } = endpoint;
    const key = `${event.storeId} ${event.id} ${appId}`;
    if (appId === null || filter === null || seen.has(key)) continue;
    const body = envelope(written.get(event)!);
    const hide = await hidingFrom(context, event.storeId, appId, [body]);
    const hidden = hide(event.type, body);
    if (hidden !== body) seen.set(key, filteredBody(event.type, hidden));
  }
  return seen;
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
    ...(endpoint.settings && { settings: endpoint.settings, sealedSettings: endpoint.sealedSettings }),
  };
}
