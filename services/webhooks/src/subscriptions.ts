import { type EventType, publicEvents, subscriptions as table } from '@waybill/contracts';
import type { SubscriptionDefinition } from '@waybill/kernel';
import { onAppEvents } from './app-endpoints/app-endpoints.ts';
import { onInstallChanged } from './cancellations/cancellations.ts';
import type { Context } from './context.ts';
import { fanOutInBackground } from './events/fan-out.ts';
import { onErasures } from './personal-data/redaction.ts';

const publicTypes = new Map(publicEvents.map(({ name, publicType }) => [name, publicType]));

/**
 * Sends every public event to its subscribed endpoints and events about installs to their apps, and cancels calls to
 * apps that become unavailable.
 */
export const subscriptions = (context: Context): SubscriptionDefinition[] => [
  {
    ...table.webhookFanOut,
    batch: 200,
    handle: (events) =>
      fanOutInBackground(
        context,
        events.map(({ name, ...event }) => ({ ...event, type: publicTypes.get(name) as EventType })),
      ),
  },
  { ...table.webhookLifecycle, batch: 200, handle: (events) => onAppEvents(context, events) },
  { ...table.webhookPaymentCalls, batch: 200, handle: (events) => onAppEvents(context, events) },
  { ...table.webhookErasures, batch: 20, handle: (events) => onErasures(context, events) },
  { ...table.webhookApps, batch: 100, handle: (events) => onInstallChanged(context, events) },
];
