import { newId } from '@waybill/contracts';
import type { ServiceContext } from '@waybill/kernel';
import type { Config } from '../config.ts';
import { handOver, windowsOf } from '../deliveries/hand-over.ts';
import { insertDeliveries, listSubscribers } from '../deliveries/queries.ts';
import type { Tables } from '../tables.ts';
import type { PublicEvent } from './public-event.ts';

/**
 * Makes a delivery of each event for each endpoint that wants it, once however often the event comes, and hands
 * the first attempts over right after the commit. What an endpoint has no room for waits for the dispatcher.
 */
export async function fanOut(
  context: ServiceContext<Config, Tables>,
  events: readonly PublicEvent[],
): Promise<void> {
  const { db, bus, wake } = context;
  const subscribers = await listSubscribers(db, events);
  if (subscribers.length === 0) return;
  const windows = windowsOf(bus);
  const deliveries = subscribers.map(({ event, endpoint }) => {
    const id = newId('webhookDelivery');
    return { id, event, endpoint, body: envelope(event), isHandedOver: windows.take(endpoint.id, id) };
  });
  const inserted = await insertDeliveries(db, deliveries).catch((error) => {
    for (const { id, endpoint } of deliveries) windows.giveBack(endpoint.id, id);
    throw error;
  });
  for (const { id, endpoint } of deliveries) if (!inserted.has(id)) windows.giveBack(endpoint.id, id);
  const fresh = deliveries.filter(({ id }) => inserted.has(id));
  await handOver(
    bus,
    fresh
      .filter(({ isHandedOver }) => isHandedOver)
      .map(({ id, event, endpoint, body }) => ({
        storeId: event.storeId,
        deliveryId: id,
        endpointId: endpoint.id,
        url: endpoint.url,
        sealedSecret: endpoint.sealedSecret,
        eventId: event.id,
        eventType: event.type,
        attempt: 1,
        body,
        committedAt: Date.parse(event.createdAt),
        trace: event.trace,
        isFailing: endpoint.failures > 0,
      })),
  );
  if (fresh.some(({ isHandedOver }) => !isHandedOver)) wake('dispatch');
}

/** The body of every attempt, `store-api.md 6.2`; `data` stays the bytes that the service committed. */
function envelope({ id, type, createdAt, data }: PublicEvent): string {
  return `{"id":${JSON.stringify(id)},"type":"${type}","createdAt":"${createdAt}","data":${data}}`;
}
