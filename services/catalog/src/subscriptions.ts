import { subscriptions as table } from '@waybill/contracts';
import type { ServiceContext, SubscriptionDefinition } from '@waybill/kernel';
import { onInstallsChanged } from './custom-fields/tasks.ts';
import { removePurgedMedia } from './media-uses/purged.ts';
import { onUnitsReturned } from './reservations/reservations.ts';
import type { Tables } from './tables.ts';

export const subscriptions = (context: ServiceContext<object, Tables>): SubscriptionDefinition[] => [
  {
    ...table.catalogCancelledOrders,
    batch: 20,
    handle: (events) => onUnitsReturned(context, events),
  },
  {
    ...table.catalogPurgedMedia,
    batch: 20,
    handle: (events) => removePurgedMedia(context, events),
  },
  {
    ...table.catalogApps,
    batch: 20,
    handle: (events) => onInstallsChanged(context, events),
  },
];
