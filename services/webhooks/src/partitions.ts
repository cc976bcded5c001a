import type { PartitionedTable } from '@waybill/kernel';
import type { Config } from './config.ts';
import { retentionDays } from './retention.ts';

const dayMs = 86_400_000;

/**
 * Partitions of events and delivery records by week. A batch looks at every partition, and with daily ones planning
 * alone took longer than a turn of the dispatcher may.
 */
export const partitions = ({ eventLogDays }: Config): PartitionedTable[] => {
  const days = { events: Math.max(retentionDays, eventLogDays), deliveries: retentionDays };
  return [
    {
      table: 'webhook_event',
      column: 'id',
      ids: 'event',
      every: 'week',
      retentionMs: days.events * dayMs,
      expiredCondition: `created_at < now() - interval '${days.events} days'`,
    },
    {
      table: 'webhook_delivery',
      column: 'id',
      ids: 'webhookDelivery',
      every: 'week',
      retentionMs: days.deliveries * dayMs,
      // A redelivery may still be in the schedule.
      expiredCondition: `created_at < now() - interval '${days.deliveries} days' and status not in ('pending', 'retrying')`,
      waitsForRows: true,
      // The first attempt grows a record to about four times its size. As long as it fits into its page, no index needs
      // an update.
      storage: 'fillfactor = 30',
    },
    {
      table: 'webhook_unsuccessful',
      column: 'delivery_id',
      ids: 'webhookDelivery',
      every: 'week',
      retentionMs: days.deliveries * dayMs,
      expiredCondition: `created_at < now() - interval '${days.deliveries} days'`,
    },
  ];
};
