import { subscriptions as table } from '@waybill/contracts';
import type { SubscriptionDefinition } from '@waybill/kernel';
import { forgetProducts } from './app-data/app-data.ts';
import type { Context } from './config.ts';
import { followDepartures } from './departures.ts';

/** Lists the events of other services that the app platform handles. */
export const subscriptions = (context: Context): SubscriptionDefinition[] => [
  {
    ...table.appPlatformProducts,
    batch: 100,
    handle: (events) => forgetProducts(context, events),
  },
  { ...table.appPlatformDepartures, batch: 100, handle: (events) => followDepartures(context, events) },
];
