import { type DeliveryJob, newId } from '@waybill/contracts';
import type { ServiceContext } from '@waybill/kernel';
import type { Config } from '../config.ts';
import { type Call, handOver, sendingOf } from '../deliveries/hand-over.ts';
import { insertDeliveries, leaseMs, listSubscribers, type NewDelivery } from '../deliveries/queries.ts';
import { findRights } from '../endpoints/rights.ts';
import type { Tables } from '../tables.ts';
import { envelope, type PublicEvent } from './public-event.ts';

/**
 * Makes a delivery of each event for each endpoint that wants it, once however often the event comes, and hands
 * the first attempts over right after the commit. What an endpoint has no room for waits: in memory where that is
 * a matter of seconds, for the dispatcher otherwise.
 */
export async function fanOut(
  context: ServiceContext<Config, Tables>,
  events: readonly PublicEvent[],
): Promise<void> {
  const { db, bus, wake } = context;
  const subscribers = await listCallable(context, events);
  if (subscribers.length === 0) return;
  const { windows, waiting } = sendingOf(bus);
  const space = new Map<string, number>();
  const spaceOf = (id: string) =>
    windows.room(id) + (waiting.isFull ? 0 : windows.waitingRoom(id)) - waiting.count(id);
  const deliveries = subscribers.map(({ event, endpoint }) => {
    const left = space.get(endpoint.id) ?? spaceOf(endpoint.id);
    space.set(endpoint.id, left - 1);
    return { id: newId('webhookDelivery'), event, endpoint, body: envelope(event), isLeased: left > 0 };
  });
  const inserted = await insertDeliveries(db, deliveries);
  const fresh = deliveries.filter(({ id }) => inserted.has(id));
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
  // Where there is no room, the end of a call makes some, and wakes it.
  if (left.some(({ endpoint }) => windows.room(endpoint.id) > 0)) wake('dispatch');
}

/** Each event with each endpoint that wants it; those of apps that are not available are left out. */
async function listCallable(context: ServiceContext<Config, Tables>, events: readonly PublicEvent[]) {
  const subscribers = await listSubscribers(context.db, events);
  const rightsOf = await findRights(
    context,
    subscribers.map(({ event: { storeId }, endpoint: { appId } }) => ({ storeId, id: appId })),
  );
  return subscribers.filter(({ event, endpoint }) => rightsOf(event.storeId, endpoint.appId) !== null);
}

function firstAttempt({ id, event, endpoint, body }: NewDelivery): DeliveryJob {
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
    body,
    committedAt: Date.parse(event.createdAt),
    leasedUntil: Date.now() + leaseMs,
    trace: event.trace,
  };
}
