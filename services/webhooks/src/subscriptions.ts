import { type EventType, publicEvents, subscriptions as table } from '@waybill/contracts';
import type { ServiceContext, SubscriptionDefinition } from '@waybill/kernel';
import type { Config } from './config.ts';
import { cancelOfLostApps } from './deliveries/deliveries.ts';
import { fanOut } from './events/fan-out.ts';
import type { Tables } from './tables.ts';

const publicTypes = new Map(publicEvents.map(({ name, publicType }) => [name, publicType]));

/** Every domain event of the public catalogue goes out to the endpoints that want it; an app's may go silent. */
export const subscriptions = (context: ServiceContext<Config, Tables>): SubscriptionDefinition[] => [
  {
    ...table.webhookFanOut,
    batch: 200,
    handle: (events) =>
      fanOut(
        context,
        events.map(({ name, ...event }) => ({ ...event, type: publicTypes.get(name) as EventType })),
      ),
  },
  { ...table.webhookApps, batch: 100, handle: (events) => cancelOfLostApps(context, events) },
];
