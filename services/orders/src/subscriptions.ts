import { subscriptions as table } from '@waybill/contracts';
import { onDefinitionsChanged } from '@waybill/custom-fields';
import type { SubscriptionDefinition } from '@waybill/kernel';
import type { Context } from './config.ts';
import { ownEntities } from './custom-fields/values.ts';
import { followStores } from './expiry/expiry.ts';
import { followMethods } from './payment-choices/choices.ts';
import { followFacts } from './payments/facts.ts';

export const subscriptions = (context: Context): SubscriptionDefinition[] => [
  { ...table.ordersStores, batch: 100, handle: (events) => followStores(context.db, events) },
  {
    ...table.ordersCustomFields,
    batch: 100,
    async handle(events) {
      await onDefinitionsChanged(context, ownEntities, events);
    },
  },
  { ...table.ordersPayments, batch: 50, handle: (events) => followFacts(context, events) },
  { ...table.ordersMethods, batch: 100, handle: (events) => followMethods(context.db, events) },
];
