import { type EventType, publicEvents, subscriptions as table } from '@waybill/contracts';
import type { SubscriptionDefinition } from '@waybill/kernel';
import { cancelOfLostApps } from './cancellations/cancellations.ts';
import { fanOut } from './events/fan-out.ts';
import { followErasures } from './personal-data/redaction.ts';
import type { Context } from './state.ts';

const publicTypes = new Map(publicEvents.map(({ name, publicType }) => [name, publicType]));

/** Every domain event of the public catalogue goes out to the endpoints that want it; an app's may go silent. */
export const subscriptions = (context: Context): SubscriptionDefinition[] => [
  {
    ...table.webhookFanOut,
    batch: 200,
    handle: (events) =>
      fanOut(
        context,
        events.map(({ name, ...event }) => ({ ...event, type: publicTypes.get(name) as EventType })),
      ),
  },
  { ...table.webhookErasures, batch: 20, handle: (events) => followErasures(context, events) },
  { ...table.webhookApps, batch: 100, handle: (events) => cancelOfLostApps(context, events) },
];
