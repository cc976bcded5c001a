import type { PartitionedTable } from '@waybill/kernel';
import type { Config } from './config.ts';
import { retentionDays } from './event-log/event-log.ts';

const dayMs = 86_400_000;

/**
 * Events and the records of their calls go by the week: a batch looks at every partition that there is, and with days
 * finding its plan alone took longer than a turn of the dispatcher may.
 */
export const partitions = ({ eventLogDays }: Config): PartitionedTable[] => {
  const days = { events: Math.max(retentionDays, eventLogDays), deliveries: retentionDays };
  return [
    {
      table: 'webhook_event',
      column: 'id',
      ids: 'event',
      every: 'week',
      keptMs: days.events * dayMs,
      isOver: `created_at < now() - interval '${days.events} days'`,
    },
    {
      table: 'webhook_delivery',
      column: 'id',
      ids: 'webhookDelivery',
      every: 'week',
      keptMs: days.deliveries * dayMs,
      // A delivery that somebody asked for again may still be in the schedule.
      isOver: `created_at < now() - interval '${days.deliveries} days' and status not in ('pending', 'retrying')`,
      waitsForRows: true,
      // A record grows to some four times its size with its first attempt; in its page, no index has to hear of that.
      storage: 'fillfactor = 30',
    },
    {
      table: 'webhook_unsuccessful',
      column: 'delivery_id',
      ids: 'webhookDelivery',
      every: 'week',
      keptMs: days.deliveries * dayMs,
      isOver: `created_at < now() - interval '${days.deliveries} days'`,
    },
  ];
};
