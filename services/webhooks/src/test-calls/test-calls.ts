import { type EventType, newId, type Principal } from '@waybill/contracts';
import { type RateLimit, takeOrRefuse } from '@waybill/kernel';
import { testBody } from '../bodies/test-body.ts';
import { toDelivery } from '../deliveries/deliveries.ts';
import { findDelivery } from '../deliveries/queries.ts';
import type { Delivery } from '../deliveries/routes.ts';
import { lockEndpoint } from '../endpoints/queries.ts';
import { previousSecretOf } from '../endpoints/secrets.ts';
import { errors } from '../errors.ts';
import { handOver } from '../schedule/hand-over.ts';
import { leaseMs } from '../schedule/queries.ts';
import type { Context } from '../state.ts';
import { insertTestDelivery } from './queries.ts';

/** They go out beside what waits for the endpoint, so one that hangs must not be given many. */
const limit: RateLimit = { perMinute: 60, burst: 30 };

/**
 * Calls an endpoint once with the sample of a type, by default the first that it subscribes to; a disabled one, too.
 * The call goes in front of what waits, and carries what the endpoint's owner may read, as every call does.
 * `decisions.md 12.5`.
 * @throws not_found, rate_limited
 */
export async function callForTest(
  context: Context,
  storeId: string,
  principal: Principal,
  endpointId: string,
  wanted: EventType | undefined,
): Promise<Delivery> {
  const ids = { id: newId('webhookDelivery'), eventId: newId('event') };
  await takeOrRefuse(context.cache, `webhook-test:${storeId} ${endpointId}`, limit, {
    message: 'Too many test calls of this webhook; wait before the next one.',
  });
  const { endpoint, delivery } = await context.transaction(async (trx) => {
    const endpoint = await lockEndpoint(trx, storeId, principal, endpointId);
    if (!endpoint) throw errors.not_found();
    await insertTestDelivery(trx, storeId, endpointId, { ...ids, type: wanted ?? endpoint.events[0]! });
    return { endpoint, delivery: (await findDelivery(trx, storeId, endpointId, ids.id))! };
  });
  const { is_slow: isSlow, owner_id: ownerId, app_id: appId, url, sealed_secret: sealedSecret } = endpoint;
  const { event_type: eventType, created_at: at } = delivery;
  const job = {
    storeId,
    deliveryId: ids.id,
    endpointId,
    url,
    sealedSecret,
    previousSecret: previousSecretOf(endpoint),
    eventId: ids.eventId,
    eventType,
    attempt: 1,
    body: testBody(ids.eventId, eventType, at),
    committedAt: at.getTime(),
    // Both are of one moment of the database.
    leasedUntil: at.getTime() + leaseMs,
    isTest: true,
  };
  await handOver(context, [{ job, endpoint: { isSlow, ownerId, appId } }]).catch((err: unknown) => {
    context.log.warn({ err, deliveryId: ids.id }, 'a test call is made when its lease ends');
  });
  return toDelivery(delivery);
}
