import type { EventData, EventMessage, InstallChanged, Principal } from '@waybill/contracts';
import { lockEndpoint } from '../endpoints/queries.ts';
import { errors } from '../errors.ts';
import type { Context } from '../state.ts';
import { type DeliveryRow, findDelivery, markWaitingOfApp, scheduleRedelivery } from './queries.ts';
import type { Delivery } from './routes.ts';

/**
 * Makes one more attempt due now; of a delivery that still waits, its next one. `decisions.md 6.8`.
 * @throws not_found, invalid_state when the endpoint is disabled
 */
export function redeliver(
  transaction: Context['transaction'],
  storeId: string,
  principal: Principal,
  endpointId: string,
  deliveryId: string,
): Promise<Delivery> {
  return transaction(async (trx) => {
    const endpoint = await lockEndpoint(trx, storeId, principal, endpointId);
    if (!endpoint || !(await findDelivery(trx, storeId, endpointId, deliveryId))) throw errors.not_found();
    if (endpoint.status === 'disabled') throw errors.invalid_state({ message: 'The webhook is disabled.' });
    await scheduleRedelivery(trx, storeId, endpointId, deliveryId);
    return toDelivery((await findDelivery(trx, storeId, endpointId, deliveryId))!);
  });
}

/**
 * Cancels what waits for the endpoints of an app that was uninstalled, disabled or suspended: what came since then is
 * judged when it is handed over. `decisions.md 12.2`.
 */
export async function cancelOfLostApps(
  { db, wake }: Pick<Context, 'db' | 'wake'>,
  events: readonly EventMessage[],
): Promise<void> {
  for (const { storeId, createdAt: before, data } of events) {
    const { appId, isAvailable }: EventData<typeof InstallChanged> = JSON.parse(data);
    // Messages of an app platform that has not been upgraded yet do not say.
    if (isAvailable === false) await markWaitingOfApp(db, { storeId, appId, before });
  }
  wake('cancel');
}

/** The record as the API shows it: without the payload. */
export function toDelivery(row: DeliveryRow): Delivery {
  return {
    id: row.id,
    endpointId: row.endpoint_id,
    eventId: row.event_id,
    eventType: row.event_type,
    attempt: Math.max(1, row.attempts),
    status: row.status,
    nextAttemptAt: row.next_attempt_at?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
    deliveredAt: row.delivered_at?.toISOString() ?? null,
    lastStatusCode: row.last_status_code,
    lastError: row.last_error,
  };
}
