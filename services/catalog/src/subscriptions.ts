import { subscriptions as table } from '@waybill/contracts';
import type { ServiceContext, SubscriptionDefinition } from '@waybill/kernel';
import { followApps } from './custom-fields/tasks.ts';
import { dropPurged } from './media-uses/purged.ts';
import { takeBackCancelled } from './reservations/reservations.ts';
import type { Tables } from './tables.ts';

export const subscriptions = (context: ServiceContext<object, Tables>): SubscriptionDefinition[] => [
  {
    ...table.catalogCancelledOrders,
    batch: 20,
    handle: (events) => takeBackCancelled(context, events),
  },
  {
    ...table.catalogPurgedMedia,
    batch: 20,
    handle: (events) => dropPurged(context, events),
  },
  {
    ...table.catalogApps,
    batch: 20,
    handle: (events) => followApps(context, events),
  },
];
