import { type EventType, newId, type Principal } from '@waybill/contracts';
import { enforceRateLimit, type IdempotentWrite, type RateLimit } from '@waybill/kernel';
import { testBody } from '../bodies/test-body.ts';
import type { Context, Write } from '../context.ts';
import { toDelivery } from '../deliveries/deliveries.ts';
import { type DeliveryRow, findDelivery } from '../deliveries/queries.ts';
import type { Delivery } from '../deliveries/routes.ts';
import { type Endpoint, lockEndpoint } from '../endpoints/queries.ts';
import { findPreviousSecret } from '../endpoints/secrets.ts';
import { errors } from '../errors.ts';
import { leaseMs } from '../lease.ts';
import { type Call, handOver } from '../schedule/hand-over.ts';
import { insertTestDelivery } from './queries.ts';

/** Test calls go out beside waiting calls, so an endpoint that hangs must not get many. */
const limit: RateLimit = { perMinute: 60, burst: 30 };

/**
 * Calls an endpoint once with the sample of a type, by default the first that it subscribes to, even if it is disabled.
 * The call precedes waiting ones, and contains only what the endpoint's owner may read (`decisions.md 12.5`).
 * @throws not_found, rate_limited
 */
export async function startTestCall(
  context: Context,
  idempotentWrite: IdempotentWrite,
  storeId: string,
  principal: Principal,
  endpointId: string,
  requestedType: EventType | undefined,
): Promise<{ delivery: Delivery }> {
  const ids = { id: newId('webhookDelivery'), eventId: newId('event') };
  await enforceRateLimit(context.cache, `webhook-test:${storeId} ${endpointId}`, limit, {
    message: 'Too many test calls of this webhook; wait before the next one.',
  });
  let call: Call | undefined;
  const answer = await idempotentWrite.commit(async ({ trx }: Write) => {
    const endpoint = await lockEndpoint(trx, storeId, principal, endpointId);
    if (!endpoint) throw errors.not_found();
    // With a rate, the call must be claimed, because rates are enforced there.
    const isLeased = endpoint.max_per_second === null;
    const batchId = endpoint.batch ? newId('webhookBatch') : null;
    const type = requestedType ?? endpoint.events[0]!;
    await insertTestDelivery(trx, storeId, endpointId, { ...ids, type, batchId, isLeased });
    const delivery = (await findDelivery(trx, storeId, endpointId, ids.id))!;
    if (isLeased) call = toCall(endpoint, delivery, batchId);
    return { delivery: toDelivery(delivery) };
  });
  // Hand over after the commit: a call that ends before its record is visible would be made again.
  if (call)
    await handOver(context, [call]).catch((err: unknown) => {
      context.log.warn({ err, deliveryId: ids.id }, 'a test call is made when its lease ends');
    });
  else context.wakeTask('dispatch');
  return answer;
}

function toCall(endpoint: Endpoint, delivery: DeliveryRow, batchId: string | null): Call {
  const { is_slow: isSlow, owner_id: ownerId, app_id: appId, url, sealed_secret: sealedSecret } = endpoint;
  const { call_settings: settings, sealed_settings: sealedSettings } = endpoint;
  const { event_id: eventId, event_type: eventType, created_at: at } = delivery;
  const body = testBody(eventId, eventType, at);
  const job = {
    storeId: delivery.store_id,
    deliveryId: delivery.id,
    endpointId: endpoint.id,
    url,
    sealedSecret,
    previousSecret: findPreviousSecret(endpoint),
    eventId,
    eventType,
    attempt: 1,
    body,
    committedAt: at.getTime(),
    // Both times come from the same moment of the database.
    leasedUntil: at.getTime() + leaseMs,
    isTest: true,
    ...(settings && { settings, sealedSettings }),
    ...(batchId && {
      batch: { id: batchId, members: [{ deliveryId: delivery.id, eventId, eventType, body }] },
    }),
  };
  return { job, endpoint: { isSlow, ownerId, appId } };
}
