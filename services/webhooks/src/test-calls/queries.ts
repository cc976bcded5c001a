import type { EventType } from '@waybill/contracts';
import { isDistributed } from '@waybill/kernel';
import { sql, type Transaction } from 'kysely';
import { insertDeliveryCounts, partitionOfRow } from '../deliveries/queries.ts';
import { leaseMs } from '../lease.ts';
import { buildQueueEndpointsSql } from '../schedule/queries.ts';
import type { Tables } from '../tables.ts';

export interface NewTestDelivery {
  id: string;
  eventId: string;
  type: EventType;
  /** Set when the endpoint gets batches: the test call is a batch of its own. */
  batchId: string | null;
  /** Whether this process hands it over itself; otherwise it is due at once. */
  isLeased: boolean;
}

/** Inserts a delivery that is not retried when it fails. */
export async function insertTestDelivery(
  trx: Transaction<Tables>,
  storeId: string,
  endpointId: string,
  { id, eventId, type, batchId, isLeased }: NewTestDelivery,
): Promise<void> {
  await sql`
    with delivery as (
      insert into webhook_delivery
        (store_id, id, endpoint_id, event_id, event_type, status, next_attempt_at, is_test, is_last_attempt)
      select ${storeId}, ${id}, ${endpointId}, ${eventId}, ${type}, 'pending', now(), true, true
      returning store_id, endpoint_id, ${sql.raw(partitionOfRow(isDistributed(trx)))}
    ), due as (
      insert into webhook_due (store_id, endpoint_id, delivery_id, claimable_at, is_leased, batch_id)
      values (${storeId}, ${endpointId}, ${id}, now() + make_interval(secs => ${isLeased ? leaseMs / 1000 : 0}),
        ${isLeased}, ${batchId})
      returning store_id, endpoint_id, claimable_at
    ), queued as (
      ${sql.raw(buildQueueEndpointsSql('due'))}
    )
    ${sql.raw(insertDeliveryCounts('delivery'))}`.execute(trx);
}
