import { appCallTypes, type CallType, type DeliveryJob, newId } from '@waybill/contracts';
import { type BatchLimits, inBatches } from '../batches.ts';
import { prepareHideFields } from '../bodies/app-fields.ts';
import { envelope, orderedResource, type PublicEvent } from '../bodies/public-event.ts';
import type { Context } from '../context.ts';
import { findRights } from '../endpoints/rights.ts';
import { FilteredEvent, toFilteredEvent } from '../filters/select.ts';
import { findErased, redactLateEvents, reduceEvent } from '../personal-data/redaction.ts';
import { type Call, handOver } from '../schedule/hand-over.ts';
import { acquireHostSlots } from '../schedule/host-limits.ts';
import { inlineBytes, lockOrderedEndpoints, promoteEarliestCalls } from '../schedule/queries.ts';
import {
  insertEvents,
  listSubscribers,
  type NewDelivery,
  type NewEvent,
  type Subscriber,
} from './queries.ts';

/** Limits of one inserting statement: number of deliveries, and characters of bodies. */
const batchLimit: BatchLimits = { count: 2_000, size: 4 * 1024 * 1024 };

/** Types of events about installs: an app is called for them, and no log shows them. */
const appEventTypes: ReadonlySet<CallType> = new Set(appCallTypes);

/** An event and the endpoints subscribed to it. */
interface EventWithSubscribers {
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
export async function fanOutInBackground(
  context: Context,
  events: readonly PublicEvent[],
  options: { isAtomic?: boolean } = {},
): Promise<void> {
  const { handOvers } = context.state;
  await handOvers.waitForSlot();
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
  const erasedPromise = findErased(context, incoming);
  const [subscribed, erased] = await Promise.all([
    listSubscribed(context, incoming, erasedPromise),
    erasedPromise,
  ]);
  const isLogged = ({ type }: PublicEvent) => context.config.eventLogDays > 0 && !appEventTypes.has(type);
  const relevant = subscribed.filter(({ event, endpoints }) => endpoints.length > 0 || isLogged(event));
  const measure = ({ event, endpoints }: EventWithSubscribers) => ({
    count: Math.max(1, endpoints.length),
    size: event.data.length,
  });
  const batches = inBatches(relevant, measure, batchLimit);
  let handedOver = Promise.resolve();
  for (const commit of isAtomic ? [batches] : batches.map((batch) => [batch])) {
    // Keeps one batch in memory and one on its way out.
    await handedOver;
    ({ handedOver } = await fanOutBatches(context, commit));
  }
  await redactLateEvents(
    context,
    incoming.filter((event) => !erased.has(event)),
  );
  return { handedOver };
}

/** Writes batches in one commit; `handedOver` resolves when their calls are handed over. */
async function fanOutBatches(
  context: Context,
  batches: readonly EventWithSubscribers[][],
): Promise<{ handedOver: Promise<void> }> {
  const plans: (readonly NewEvent[])[] = [];
  const capacity = await readCapacity(context);
  for (const batch of batches) plans.push(await planDeliveries(context, batch, capacity));
  const inserted = await insertPlans(context, plans);
  const handOverAll = async () => {
    for (const plan of plans) await handOverFirstAttempts(context, plan, inserted);
  };
  const handedOver = handOverAll();
  // The caller that awaits the promise handles the failure; this only prevents an unhandled rejection.
  handedOver.catch(() => {});
  return { handedOver };
}

/** The room left for first attempts while deliveries are planned. */
interface AvailableCapacity {
  endpoints: Map<string, number>;
  lanes: { quick: number; slow: number };
}

async function readCapacity({ state: { lanes } }: Context): Promise<AvailableCapacity> {
  await lanes.refresh();
  return { endpoints: new Map(), lanes: { quick: lanes.capacity('quick'), slow: lanes.capacity('slow') } };
}

/** Decides which first attempts this process hands over itself, and which are left to the schedule. */
function planDeliveries(
  context: Context,
  subscribed: readonly EventWithSubscribers[],
  capacity: AvailableCapacity,
) {
  const { windows, waiting, hosts } = context.state;
  for (const { endpoints } of subscribed) for (const { id, isSlow } of endpoints) windows.setSlow(id, isSlow);
  const isLeased = ({ id, url, isSlow, isScheduled }: Subscriber) => {
    if (isScheduled || capacity.lanes[isSlow ? 'slow' : 'quick']-- <= 0) return false;
    // Calls waiting in memory would occupy slots of their host.
    const waitingCapacity = waiting.isFull || hosts.parseHost(url) !== null ? 0 : windows.waitingCapacity(id);
    const remaining =
      capacity.endpoints.get(id) ?? windows.capacity(id) + waitingCapacity - waiting.count(id);
    capacity.endpoints.set(id, remaining - 1);
    return remaining > 0;
  };
  const planned = subscribed.map(
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
  const seconds = bus.isSingleProcess ? 0 : orderSeconds;
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
    await promoteEarliestCalls(trx, ordered);
    return inserted;
  });
}

/** Hands over the first attempts of inserted deliveries. */
async function handOverFirstAttempts(
  context: Context,
  events: readonly NewEvent[],
  inserted: ReadonlyMap<string, number>,
): Promise<void> {
  const { wakeTask } = context;
  const { windows, waiting, readers, clock, timer } = context.state;
  readers.wake(new Set(events.map(({ event }) => event.storeId)));
  const insertedDeliveries = events.flatMap(({ deliveries, ...event }) =>
    deliveries.flatMap((delivery) => {
      const leasedUntil = inserted.get(delivery.id);
      return leasedUntil === undefined ? [] : { ...event, ...delivery, leasedUntil };
    }),
  );
  const remainingByEndpoint = new Map<string, number>();
  const calls: Call[] = [];
  for (const delivery of insertedDeliveries.filter(({ isLeased }) => isLeased)) {
    const { endpoint } = delivery;
    const remaining =
      remainingByEndpoint.get(endpoint.id) ??
      (waiting.count(endpoint.id) > 0 ? 0 : windows.capacity(endpoint.id));
    remainingByEndpoint.set(endpoint.id, remaining - 1);
    if (remaining > 0) calls.push({ job: toFirstAttempt(delivery), endpoint });
    else waiting.add(toFirstAttempt(delivery), endpoint.changedAt);
  }
  await handOver(context, calls);
  const unleased = insertedDeliveries.filter(({ isLeased }) => !isLeased);
  for (const { endpoint } of unleased) if (!endpoint.isScheduled) windows.setBehind(endpoint.id, true);
  // Wakes the dispatcher only for endpoints with room; elsewhere the end of a call makes room and wakes it.
  if (unleased.some(({ endpoint }) => windows.capacity(endpoint.id) > 0)) wakeTask('dispatch');
  const orderedAt = unleased.flatMap(({ resource, leasedUntil }) => (resource === null ? [] : [leasedUntil]));
  if (orderedAt.length > 0) {
    const waitMs = Math.min(...orderedAt) - (await clock.read());
    if (waitMs > 0 && waitMs < Infinity) timer.wakeIn(waitMs, () => wakeTask('dispatch'));
  }
}

/** Returns the same events, with deliveries left to the schedule where their hosts have no room. */
async function acquireSlots(context: Context, events: readonly NewEvent[]): Promise<readonly NewEvent[]> {
  const { hosts } = context.state;
  const findHost = ({ endpoint, isLeased }: NewDelivery) => (isLeased ? hosts.parseHost(endpoint.url) : null);
  const calls = events.flatMap(({ deliveries }) =>
    deliveries.flatMap((delivery) => {
      const host = findHost(delivery);
      return host === null ? [] : [{ host, deliveryId: delivery.id }];
    }),
  );
  if (calls.length === 0) return events;
  const limited = new Set(calls.map(({ deliveryId }) => deliveryId));
  const acquired = await acquireHostSlots(context, calls, context.config.hostLimits);
  return events.map((event) => ({
    ...event,
    deliveries: event.deliveries.map((delivery) => ({
      ...delivery,
      isLeased: delivery.isLeased && (!limited.has(delivery.id) || acquired.has(delivery.id)),
    })),
  }));
}

/** Returns events with their subscribed endpoints, without those of unavailable apps. */
async function listSubscribed(
  context: Context,
  events: readonly PublicEvent[],
  erasedPromise: Promise<ReadonlySet<PublicEvent>>,
): Promise<EventWithSubscribers[]> {
  const subscribers = await listSubscribers(context.db, events);
  const getRights = await findRights(
    context,
    subscribers.flatMap(({ event: { storeId }, endpoint: { appId, ownerId, filter } }) => [
      { storeId, id: appId },
      ...(filter ? [{ storeId, id: ownerId }] : []),
    ]),
  );
  const erased = await erasedPromise;
  const written = new Map(events.map((event) => [event, erased.has(event) ? reduceEvent(event) : event]));
  const filtered = new Map(events.map((event) => [event, new FilteredEvent(written.get(event)!)]));
  const appViews = await createAppViews(context, subscribers, written);
  const callable = subscribers.filter(
    ({ event, endpoint: { appId, ownerId, filter } }) =>
      getRights(event.storeId, appId) !== null &&
      (appViews.get(`${event.storeId} ${event.id} ${appId}`) ?? filtered.get(event)!).matches(
        filter,
        filter && getRights(event.storeId, ownerId),
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
async function createAppViews(
  context: Context,
  subscribers: readonly { event: PublicEvent; endpoint: Subscriber }[],
  written: ReadonlyMap<PublicEvent, PublicEvent>,
): Promise<ReadonlyMap<string, FilteredEvent>> {
  const views = new Map<string, FilteredEvent>();
  for (const { event, endpoint } of subscribers) {
    const { appId, filter } = endpoint;
    const key = `${event.storeId} ${event.id} ${appId}`;
    if (appId === null || filter === null || views.has(key)) continue;
    const body = envelope(written.get(event)!);
    const hideFields = await prepareHideFields(context, event.storeId, appId, [body]);
    const hidden = hideFields(event.type, body);
    if (hidden !== body) views.set(key, toFilteredEvent(event.type, hidden));
  }
  return views;
}

function toFirstAttempt({
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
