import { subscriptions as table } from '@waybill/contracts';
import { onDefinitionsChanged } from '@waybill/custom-fields';
import type { SubscriptionDefinition } from '@waybill/kernel';
import type { Context } from './config.ts';
import { ownEntities } from './custom-fields/values.ts';
import { onStoreChanges } from './expiry/expiry.ts';
import { removePurgedMedia } from './media-uses/purged.ts';
import { onMethodsAnnounced } from './payment-choices/choices.ts';
import { onPaymentFacts } from './payments/facts.ts';

export const subscriptions = (context: Context): SubscriptionDefinition[] => [
  { ...table.ordersStores, batch: 100, handle: (events) => onStoreChanges(context.db, events) },
  {
    ...table.ordersCustomFields,
    batch: 100,
    async handle(events) {
      await onDefinitionsChanged(context, ownEntities, events);
    },
  },
  { ...table.ordersPurgedMedia, batch: 20, handle: (events) => removePurgedMedia(context, events) },
  { ...table.ordersPayments, batch: 50, handle: (events) => onPaymentFacts(context, events) },
  { ...table.ordersMethods, batch: 100, handle: (events) => onMethodsAnnounced(context.db, events) },
];
