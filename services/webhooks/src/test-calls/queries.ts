import type { EventType } from '@waybill/contracts';
import { sql, type Transaction } from 'kysely';
import { countDeliveriesOf, partitionOfRow } from '../deliveries/queries.ts';
import { leaseMs } from '../lease.ts';
import { queueEndpointsOf } from '../schedule/queries.ts';
import type { Tables } from '../tables.ts';

/** Inserts a delivery that is leased from the start, and is not tried again when it fails. */
export async function insertTestDelivery(
  trx: Transaction<Tables>,
  storeId: string,
  endpointId: string,
  { id, eventId, type }: { id: string; eventId: string; type: EventType },
): Promise<void> {
  await sql`
    with delivery as (
      insert into webhook_delivery
        (store_id, id, endpoint_id, event_id, event_type, status, next_attempt_at, is_test, is_last_attempt)
      values (${storeId}, ${id}, ${endpointId}, ${eventId}, ${type}, 'pending', now(), true, true)
      returning store_id, endpoint_id, ${sql.raw(partitionOfRow)}
    ), due as (
      insert into webhook_due (store_id, endpoint_id, delivery_id, claimable_at, is_leased)
      values (${storeId}, ${endpointId}, ${id}, now() + make_interval(secs => ${leaseMs / 1000}), true)
      returning store_id, endpoint_id, claimable_at
    ), queued as (
      ${sql.raw(queueEndpointsOf('due'))}
    )
    ${sql.raw(countDeliveriesOf('delivery'))}`.execute(trx);
}
