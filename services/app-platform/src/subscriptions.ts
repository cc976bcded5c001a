import { subscriptions as table } from '@waybill/contracts';
import type { SubscriptionDefinition } from '@waybill/kernel';
import { deleteProductData } from './app-data/app-data.ts';
import type { Context } from './config.ts';
import { onDepartures } from './departures.ts';

/** Lists the events of other services that the app platform handles. */
export const subscriptions = (context: Context): SubscriptionDefinition[] => [
  {
    ...table.appPlatformProducts,
    batch: 100,
    handle: (events) => deleteProductData(context, events),
  },
  { ...table.appPlatformDepartures, batch: 100, handle: (events) => onDepartures(context, events) },
];
